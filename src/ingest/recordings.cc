#include "ingest/recordings.h"

#include <algorithm>
#include <filesystem>

namespace frx::ingest {
namespace {

namespace fs = std::filesystem;

constexpr int deepest_folder = 6;
constexpr std::size_t most_entries = 100'000;  // that are looked at

constexpr std::string_view endings[] = {".ncu-rep", ".nsight-cuprof-report", ".nsys-rep",
                                        ".sqlite",  ".pt.trace.json",        ".pt.trace.json.gz",
                                        ".ncu.csv", ".trace.json",           ".trace.json.gz"};

bool is_run_bundle(const fs::path& folder) {
  std::error_code error;
  return fs::exists(folder / "manifest.json", error) && (fs::exists(folder / "raw", error) || fs::exists(folder / "derived", error));
}

}  // namespace

bool is_named_as_recording(std::string_view file) {
  return std::ranges::any_of(endings, [&](std::string_view ending) { return file.size() > ending.size() && file.ends_with(ending); });
}

std::vector<std::string> recordings_below(const std::string& folder, std::size_t most) {
  std::vector<std::string> found;
  std::error_code error;
  std::size_t seen = 0;
  fs::recursive_directory_iterator it(folder, fs::directory_options::skip_permission_denied, error);
  for (const fs::recursive_directory_iterator end; it != end && !error && seen < most_entries; it.increment(error), ++seen) {
    std::error_code ignored;
    const std::string name = it->path().filename().string();
    if (it->is_directory(ignored)) {
      const bool is_bundle = is_run_bundle(it->path());
      if (is_bundle) found.push_back(it->path().string());
      if (is_bundle || name.starts_with('.') || it.depth() >= deepest_folder) it.disable_recursion_pending();
    } else if (it->is_regular_file(ignored) && is_named_as_recording(name)) {
      found.push_back(it->path().string());
    }
  }
  std::ranges::sort(found);
  if (found.size() > most) found.resize(most);
  return found;
}

}  // namespace frx::ingest
