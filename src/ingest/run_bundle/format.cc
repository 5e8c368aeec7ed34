// How a run bundle is recognised: a folder by the files of a run in it, an archive by its first bytes.

#include <filesystem>

#include "ingest/observation.h"
#include "model/bundle_paths.h"

namespace frx::ingest {
namespace {

namespace fs = std::filesystem;
namespace paths = model::bundle;

constexpr std::string_view bundle_endings[] = {".zip"};
constexpr std::string_view of_a_run[] = {paths::metadata, paths::manifest, paths::raw_trace, paths::derived_summary, "profiler"};

// The folder is not listed: it may be a large one of code.
Match recognises_bundle(const Look& look) {
  if (!look.is_folder) return look.head.starts_with("PK\x03\x04") || look.head.starts_with("PK\x05\x06") ? Match::certain : Match::no;
  std::error_code ignored;
  for (const std::string_view member : of_a_run) {
    if (fs::exists(fs::path(look.path) / member, ignored)) return Match::certain;
  }
  return Match::no;
}

Result<Observation> read_bundle(Source& source, const ReadOptions&) {
  TRY_ASSIGN(RunBundle bundle, RunBundle::open(source));
  return Observation{std::move(bundle)};
}

}  // namespace

constinit const Format run_bundle_format = {
    .id = "run-bundle",
    .title = "a run bundle",
    .kind = Kind::run_bundle,
    .endings = bundle_endings,
    .recognises = recognises_bundle,
    .read = read_bundle,
};

}  // namespace frx::ingest
