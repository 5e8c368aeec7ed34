#include "cli/ci_targets.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/text.h"
#include "capture/spawn.h"
#include "ingest/recordings.h"

namespace frx::cli {
namespace {

// As in folders (docs/contract.md, section 2.2).
constexpr std::string_view code_endings[] = {".cu", ".cuh", ".cuda", ".ptx", ".cubin", ".fatbin"};

// A file that is there and is no link out of the repository. Reports of Nsight Systems are read by nsys, which is not started on files that
// a repository brings.
bool is_recording(std::string_view path) {
  std::error_code error;
  return ingest::is_named_as_recording(path) && !path.ends_with(".nsys-rep") &&
         std::filesystem::is_regular_file(std::filesystem::symlink_status(path, error));
}

}  // namespace

RepositoryFiles files_of_repository(const Io& io) {
  const std::optional<std::string> git = io.host->program("git");
  if (!git) return {.code = {"."}};
  capture::ChildCommand command;
  command.argv = {*git, "ls-files", "-z"};
  command.err = capture::Output::discard;
  command.time_limit = std::chrono::seconds(60);
  const Result<capture::Exit> listed = io.host->run(command);
  if (!listed || !listed->ok()) return {.code = {"."}};
  RepositoryFiles files;
  for (const std::string_view path : split(listed->out, '\0')) {
    if (is_recording(path)) files.recordings.emplace_back(path);
    if (std::ranges::none_of(code_endings, [&](std::string_view ending) { return path.ends_with(ending); })) continue;
    std::string top(path.substr(0, path.find('/')));
    if (std::ranges::find(files.code, top) == files.code.end()) files.code.push_back(std::move(top));
  }
  return files;
}

std::string ci_service(const Io& io) {
  if (io.environment("GITHUB_ACTIONS") == "true") return "github";
  if (io.environment("GITLAB_CI")) return "gitlab";
  if (io.environment("JENKINS_URL")) return "jenkins";
  return io.environment("CI").value_or("").empty() ? "" : "other";
}

std::string file_or_usual(const std::string& file, std::string_view usual) {
  std::error_code error;
  return file.empty() && std::filesystem::is_regular_file(usual, error) ? std::string(usual) : file;
}

Result<> append_to(const std::string& path, std::string_view text) {
  const capture::Fd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
  if (!file) return fail(ErrorKind::unreadable, "cannot be opened to append to it: {}", std::strerror(errno)).at(path);
  while (!text.empty()) {
    const ssize_t written = ::write(file.get(), text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return fail(ErrorKind::unreadable, "cannot be written: {}", std::strerror(errno)).at(path);
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

}  // namespace frx::cli
