// Recordings of Nsight Systems: recognised, so that the message can say which file to give instead.

#include "ingest/format.h"

namespace frx::ingest {
namespace {

constexpr std::string_view report_endings[] = {".nsys-rep", ".qdrep"}, database_endings[] = {".sqlite"};
constexpr std::string_view what_to_do = "this version reads Nsight Compute profiles: ncu -o report ./your_app";

Match begins_nsys_database(const Look& look) { return look.head.starts_with("SQLite format 3") ? Match::certain : Match::no; }
Match begins_nsys_report(const Look& look) { return look.head.starts_with("NVIDIA Tegra Profiler Report") ? Match::certain : Match::no; }

}  // namespace

constinit const Format nsys_report_format = {
    .id = "nsys-report",
    .title = "an Nsight Systems report",
    .kind = Kind::other,
    .endings = report_endings,
    .recognises = begins_nsys_report,
    .hint = what_to_do,
};

constinit const Format nsys_database_format = {
    .id = "nsys-database",
    .title = "an Nsight Systems database",
    .kind = Kind::other,
    .endings = database_endings,
    .recognises = begins_nsys_database,
    .hint = what_to_do,
};

}  // namespace frx::ingest
