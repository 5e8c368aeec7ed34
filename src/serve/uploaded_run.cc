#include "serve/uploaded_run.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include "base/files.h"
#include "base/text.h"
#include "model/bundle_paths.h"

namespace frx::serve {
namespace {

namespace fs = std::filesystem;
namespace paths = model::bundle;

// Members in the order of what they are worth.
struct Worth {
  std::string_view path;
  int score;
};
constexpr Worth worth[] = {{paths::derived_summary, 120}, {paths::raw_trace, 60}, {paths::profiler_trace, 30}, {paths::gpu_metrics, 10},
                           {paths::metadata, 2},          {paths::manifest, 1},   {paths::run_config, 1},      {paths::logs, 0}};

bool stays_inside(std::string_view path) {
  if (path.empty() || path.starts_with('/') || path.find('\0') != std::string_view::npos) return false;
  if (path.ends_with('/')) path.remove_suffix(1);
  for (const std::string_view part : split(path, '/')) {
    if (part.empty() || part == "." || part == "..") return false;
  }
  return true;
}

// The run in which `path` is the member `member`.
std::optional<std::string> run_around(std::string_view path, std::string_view member) {
  if (!path.ends_with(member)) return std::nullopt;
  path.remove_suffix(member.size());
  if (path.empty()) return "";
  if (!path.ends_with('/')) return std::nullopt;
  return std::string(path.substr(0, path.size() - 1));
}

Result<> put(const http::Part& part, const std::string& path) {
  if (part.path.empty()) return write_file(path, part.bytes);
  std::error_code error;
  fs::create_directories(fs::path(path).parent_path(), error);
  fs::create_hard_link(part.path, path, error);
  // Another file system.
  if (error) fs::copy_file(part.path, path, error);
  if (error) return fail(ErrorKind::environment, "cannot keep an uploaded file: {}", error.message()).at(path);
  return {};
}

}  // namespace

std::optional<RunMember> run_member(std::string_view filename) {
  std::string path(filename);
  std::ranges::replace(path, '\\', '/');
  if (!stays_inside(path)) return std::nullopt;
  for (const Worth& one : worth) {
    if (const auto run = run_around(path, one.path)) return RunMember{*run, std::string(one.path)};
  }
  // A trace of another name in the folder for them.
  const std::size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "" : path.substr(0, slash + 1), name = path.substr(folder.size());
  if (const auto run = run_around(folder, paths::profiler_folder); run && paths::is_profiler_trace("profiler/" + name))
    return RunMember{*run, "profiler/" + name};
  // Taken out of its folder.
  for (const Worth& one : worth) {
    const std::size_t at = one.path.rfind('/');
    if (at == std::string_view::npos || name != one.path.substr(at + 1)) continue;
    return RunMember{folder.empty() ? "" : folder.substr(0, folder.size() - 1), std::string(one.path)};
  }
  return std::nullopt;
}

int score_of_run(std::span<const RunMember> members) {
  int score = 0;
  for (const RunMember& member : members) {
    const auto* const known = std::ranges::find(worth, member.path, &Worth::path);
    if (known != std::end(worth)) score += known->score;
  }
  return score;
}

Result<std::optional<UploadedRun>> uploaded_run(std::span<const http::Part> parts) {
  struct Run {
    std::vector<RunMember> members;
    std::vector<std::size_t> parts;
  };
  std::map<std::string, Run> runs;
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].filename.empty()) continue;
    if (std::optional<RunMember> member = run_member(parts[i].filename)) {
      Run& run = runs[member->run];
      run.members.push_back(std::move(*member));
      run.parts.push_back(i);
      all.push_back(i);
    }
  }
  const auto is_run = [](const Run& run) {
    return std::ranges::any_of(run.members,
                               [](const RunMember& one) { return one.path == paths::derived_summary || one.path == paths::raw_trace; });
  };
  std::erase_if(runs, [&](const auto& run) { return !is_run(run.second); });
  if (runs.empty()) return std::optional<UploadedRun>();
  const auto best = std::ranges::max_element(runs, {}, [](const auto& run) { return score_of_run(run.second.members); });
  TRY_ASSIGN(TemporaryDirectory folder, TemporaryDirectory::make(fs::temp_directory_path().string()));
  const std::string name = best->first.empty() ? "run" : best->first.substr(best->first.rfind('/') + 1);
  const std::string path = folder.file(name);
  for (std::size_t i = 0; i < best->second.members.size(); ++i)
    TRY(put(parts[best->second.parts[i]], path + "/" + best->second.members[i].path));
  return std::optional<UploadedRun>(UploadedRun{std::move(folder), path, std::move(all)});
}

}  // namespace frx::serve
