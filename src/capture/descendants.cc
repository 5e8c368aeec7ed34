#include "capture/descendants.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <mutex>
#include <utility>

#include "base/files.h"
#include "base/text.h"

namespace frx::capture {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds grace{1000};  // between SIGTERM and SIGKILL

std::string small_file(const fs::path& path) { return read_file(path, 4 << 20).value_or(""); }

// The children of every thread of this process, as the kernel lists them; empty where it does not.
std::vector<pid_t> children() {
  std::vector<pid_t> found;
  std::error_code error;
  for (fs::directory_iterator it("/proc/self/task", error), end; !error && it != end; it.increment(error)) {
    const std::string list = small_file(it->path() / "children");
    for (const std::string_view word : split(list, ' ')) {
      pid_t pid = 0;
      std::from_chars(word.data(), word.data() + word.size(), pid);
      if (pid > 0) found.push_back(pid);
    }
  }
  return found;
}

bool has_variable(pid_t pid, const std::string& variable) {
  const std::string all = small_file(fmt::format("/proc/{}/environ", pid));
  for (const std::string_view one : split(all, '\0')) {
    if (one == variable) return true;
  }
  return false;
}

// Zombies that became our children would keep the group alive.
bool group_is_gone(pid_t group) {
  while (::waitpid(-group, nullptr, WNOHANG) > 0) {
  }
  return ::kill(-group, 0) != 0 && errno == ESRCH;
}

std::mutex own_guard;
std::set<pid_t> own_children;  // under the guard

}  // namespace

void OwnChildren::add(pid_t pid) {
  const std::lock_guard lock(own_guard);
  own_children.insert(pid);
}

void OwnChildren::remove(pid_t pid) {
  const std::lock_guard lock(own_guard);
  own_children.erase(pid);
}

bool OwnChildren::has(pid_t pid) {
  const std::lock_guard lock(own_guard);
  return own_children.contains(pid);
}

Descendants::Descendants(std::string mark) : mark_(std::move(mark)) {
  ::prctl(PR_GET_CHILD_SUBREAPER, &before_, 0, 0, 0);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  for (const pid_t pid : children()) children_before_.insert(pid);
}

Descendants::~Descendants() { ::prctl(PR_SET_CHILD_SUBREAPER, before_, 0, 0, 0); }

void Descendants::end_group(pid_t group, const std::function<void()>& meanwhile) {
  if (group_is_gone(group)) return;
  ::kill(-group, SIGTERM);
  ::kill(-group, SIGCONT);
  const Clock::time_point deadline = Clock::now() + grace;
  while (!group_is_gone(group)) {
    const bool over = Clock::now() > deadline;
    if (over) ::kill(-group, SIGKILL);
    if (Clock::now() > deadline + grace) return;  // beyond the reach of SIGKILL: stuck in the kernel
    meanwhile();
  }
}

std::vector<pid_t> Descendants::strays() const {
  std::vector<pid_t> found;
  if (mark_.empty()) return found;
  for (const pid_t pid : children()) {
    if (has_variable(pid, mark_)) found.push_back(pid);
  }
  return found;
}

// The children of a killed stray become our children in turn.
void Descendants::kill_strays() const {
  for (int generation = 0; generation < 16; ++generation) {
    const std::vector<pid_t> found = strays();
    if (found.empty()) return;
    for (const pid_t pid : found) ::kill(pid, SIGKILL);
    for (const pid_t pid : found) ::waitpid(pid, nullptr, 0);
  }
}

std::vector<pid_t> Descendants::escaped() const {
  std::vector<pid_t> found;
  for (const pid_t pid : children()) {
    const bool is_known = OwnChildren::has(pid) || children_before_.contains(pid) || (!mark_.empty() && has_variable(pid, mark_));
    if (!is_known && ::waitpid(pid, nullptr, WNOHANG) == 0) found.push_back(pid);  // and has not ended
  }
  return found;
}

}  // namespace frx::capture
