// Recordings of Nsight Systems: exports to SQLite are read as a trace; of reports the message says how to export them.

#include "ingest/nsys/read_export.h"
#include "ingest/observation.h"

namespace frx::ingest {
namespace {

constexpr std::string_view report_endings[] = {".nsys-rep", ".qdrep"}, database_endings[] = {".sqlite"};

Match begins_database(const Look& look) { return look.head.starts_with("SQLite format 3") ? Match::certain : Match::no; }
Match begins_report(const Look& look) { return look.head.starts_with("NVIDIA Tegra Profiler Report") ? Match::certain : Match::no; }

Result<Observation> read_database(Source& source, const ReadOptions& options) {
  constexpr std::uint64_t most_packed = std::uint64_t{4} << 30;  // of what is not a file of its own, and is held in memory
  TRY_ASSIGN(std::shared_ptr<const RandomAccess> access, source.random_access_to_content(most_packed));
  TRY_ASSIGN(model::Timeline timeline,
             nsys::read_export(source.name(), std::move(access), options.progress, source.stop_token(), options.may_be_idle));
  return Observation{std::move(timeline)};
}

}  // namespace

constinit const Format nsys_report_format = {
    .id = "nsys-report",
    .title = "an Nsight Systems report",
    .kind = Kind::other,
    .endings = report_endings,
    .recognises = begins_report,
    .hint = "export it: nsys export --type sqlite REPORT.nsys-rep, and give the .sqlite file",
};

constinit const Format nsys_database_format = {
    .id = "nsys-database",
    .title = "an Nsight Systems export",
    .kind = Kind::trace,
    .endings = database_endings,
    .recognises = begins_database,
    .read = read_database,
};

}  // namespace frx::ingest
