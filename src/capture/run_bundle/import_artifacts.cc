#include "capture/run_bundle/import_artifacts.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "base/files.h"
#include "base/output_file.h"
#include "base/text.h"
#include "model/bundle_paths.h"

namespace frx::capture {
namespace {

namespace fs = std::filesystem;
namespace bundle = model::bundle;

bool is_profiler_file(std::string_view name) {
  return name == "profiler_trace.json" || name == "profiler_trace.json.gz" || name.ends_with(".pt.trace.json") ||
         name.ends_with(".pt.trace.json.gz");
}

// The path for a file of this name; "" when it is no artifact.
std::string destination_of(const std::string& name) {
  if (is_profiler_file(name)) return std::string(bundle::profiler_folder) + name;
  if (name == "trace.jsonl") return std::string(bundle::raw_trace);
  if (name == "summary.json") return std::string(bundle::derived_summary);
  if (name == "metadata.json") return std::string(bundle::workload_metadata);
  if (name == "run_config.yaml") return std::string(bundle::workload_run_config);
  if (name == "gpu_metrics.csv") return name;
  return {};
}

std::vector<std::string> files_of(const std::string& directory) {
  std::vector<std::string> found;
  std::error_code error;
  for (fs::directory_iterator it(directory, error), end; !error && it != end; it.increment(error)) {
    std::error_code ignored;
    if (it->is_regular_file(ignored) && !destination_of(it->path().filename()).empty()) found.push_back(it->path().string());
  }
  std::sort(found.begin(), found.end());
  return found;
}

Result<> copy_file(const std::string& from, const std::string& to) {
  TRY_ASSIGN(const std::unique_ptr<ByteSource> source, open_file(from));
  TRY_ASSIGN(OutputFile target, OutputFile::create(to, Access::owner_only));
  std::vector<char> buffer(1 << 18);
  while (true) {
    TRY_ASSIGN(const std::size_t got, source->read(buffer));
    if (got == 0) return target.commit();
    TRY(target.write({buffer.data(), got}));
  }
}

std::uint64_t size_of(const std::string& path) {
  std::error_code ignored;
  const auto size = fs::file_size(path, ignored);
  return ignored ? 0 : size;
}

std::optional<std::tuple<std::uint64_t, std::uint64_t, std::int64_t>> mark_of(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return std::nullopt;
  const std::int64_t changed = std::int64_t{info.st_mtim.tv_sec} * 1'000'000'000 + info.st_mtim.tv_nsec;
  return std::tuple{std::uint64_t{info.st_ino}, static_cast<std::uint64_t>(info.st_size), changed};
}

}  // namespace

ArtifactImport::ArtifactImport(std::vector<std::string> directories, bool with_profiler)
    : directories_(std::move(directories)), with_profiler_(with_profiler) {
  for (std::string& directory : directories_) {
    std::error_code ignored;
    directory = fs::absolute(directory, ignored).lexically_normal().string();
    for (const std::string& file : files_of(directory)) {
      if (const auto mark = mark_of(file)) before_.emplace(file, *mark);
    }
  }
}

bool ArtifactImport::is_old(const std::string& path) const {
  const auto found = before_.find(path);
  return found != before_.end() && mark_of(path) == found->second;
}

void ArtifactImport::take(const std::string& source, const RunFolder& folder, bool move, Outcome& outcome) const {
  const std::string path = destination_of(fs::path(source).filename());
  const std::string target = folder.file(path);
  if (!with_profiler_ && is_profiler_file(fs::path(source).filename().string())) return;
  if (is_old(source)) {
    outcome.warnings.push_back(fmt::format("{} was there before the run and has not changed: not imported", printable(source)));
    return;
  }
  const bool replaces = path == bundle::gpu_metrics && size_of(source) > size_of(target);
  std::error_code error;
  if (fs::exists(target, error) && !replaces) return;
  if (move) fs::rename(source, target, error);
  if (!move || error) {
    if (const Result<> copied = copy_file(source, target); !copied) {
      outcome.warnings.push_back(fmt::format("{} could not be imported: {}", printable(source), copied.error().message));
      return;
    }
  }
  outcome.imported.push_back(path);
}

// The bundle itself is FRX_OUTPUT_DIR: files that were written to its top are moved to their paths.
ArtifactImport::Outcome ArtifactImport::run(const RunFolder& folder) const {
  Outcome outcome;
  for (const std::string& file : files_of(folder.absolute())) {
    const std::string name = fs::path(file).filename();
    if (is_profiler_file(name) || name == "trace.jsonl" || name == "summary.json") take(file, folder, true, outcome);
  }
  for (const std::string& directory : directories_) {
    if (directory == folder.absolute()) continue;
    for (const std::string& file : files_of(directory)) take(file, folder, false, outcome);
  }
  if (!outcome.imported.empty()) outcome.warnings.push_back("imported artifacts: " + join(outcome.imported, ", "));
  return outcome;
}

}  // namespace frx::capture
