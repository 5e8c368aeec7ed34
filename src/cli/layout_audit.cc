#include "cli/layout_audit.h"

#include <fcntl.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <filesystem>

#include "base/moment.h"
#include "cli/folder_lock.h"
#include "cli/git_revision.h"
#include "compose/layout_trial.h"

namespace frx::cli {
namespace {

std::string user_name() {
  const passwd* entry = ::getpwuid(::getuid());
  return entry && entry->pw_name ? entry->pw_name : "";
}

// Whether the file ends in the middle of a line.
bool ends_open(int file) {
  struct stat facts {};
  char last = '\n';
  if (::fstat(file, &facts) != 0 || !S_ISREG(facts.st_mode) || facts.st_size == 0) return false;
  return ::pread(file, &last, 1, facts.st_size - 1) == 1 && last != '\n';
}

}  // namespace

Result<capture::Fd> open_audit_log(const std::string& path) {
  std::error_code ignored;  // opening the file says it
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (!folder.empty()) std::filesystem::create_directories(folder, ignored);
  capture::Fd log(::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  if (!log) return fail(ErrorKind::unreadable, "the audit log cannot be opened: {}", std::strerror(errno)).at(path);
  return log;
}

Result<> add_to_audit_log(const capture::Fd& log, const std::string& path, const report::LayoutTrial& trial, Io& io) {
  const std::string line =
      compose::audit_line(trial, {moment_text(std::int64_t{std::time(nullptr)} * 1000), git_revision(*io.host), user_name()});
  const capture::Fd lock = lock_folder_of(path);
  const std::string text = (ends_open(log.get()) ? "\n" : "") + line;
  // One call: a line is there whole, or a crash cuts it at the end, and no other line is touched.
  const ssize_t written = ::write(log.get(), text.data(), text.size());
  if (written == static_cast<ssize_t>(text.size())) return {};
  return fail(ErrorKind::unreadable, "the audit log cannot be written: {}", written < 0 ? std::strerror(errno) : "the disk is full")
      .at(path);
}

}  // namespace frx::cli
