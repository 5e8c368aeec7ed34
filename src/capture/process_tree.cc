#include "capture/process_tree.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/directory_entries.h"

namespace frx::capture {
namespace {

std::int32_t digits_at(const char*& at) {
  std::int32_t value = 0;
  while (*at >= '0' && *at <= '9' && value < 100'000'000) value = value * 10 + (*at++ - '0');
  return value;
}

const char* skip_fields(const char* at, int count) {
  for (; count > 0 && *at != '\0'; --count) {
    while (*at != ' ' && *at != '\0') ++at;
    if (*at == ' ') ++at;
  }
  return at;
}

struct ProcessStat {
  char state = 0;  // 0: the process is gone
  std::int32_t parent = 0, threads = 0;
};

// "71 (name of any bytes) S 1 71 71 0 -1 ...": the state is field 3, the parent 4, the number of threads 20.
ProcessStat stat_of(int proc, const char* number) {
  std::array<char, 32> path{};
  std::strncat(path.data(), number, 20);
  std::strcat(path.data(), "/stat");
  const int file = ::openat(proc, path.data(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  std::array<char, 512> text{};
  const ssize_t got = ::read(file, text.data(), text.size() - 1);
  ::close(file);
  if (got <= 0) return {};
  const char* at = std::strrchr(text.data(), ')');
  if (at == nullptr || at[1] != ' ' || at[2] == '\0') return {};
  ProcessStat stat;
  stat.state = at[2];
  at = skip_fields(at + 2, 1);
  stat.parent = digits_at(at);
  at = skip_fields(at, 16);
  stat.threads = digits_at(at);
  return stat;
}

bool is_over(char state) { return state == 'Z' || state == 'X' || state == 'x'; }

}  // namespace

bool ProcessTree::has(const Pids& pids, std::int32_t pid) {
  const auto place = static_cast<std::size_t>(pid);
  return pid > 0 && place < most_pids && (pids[place / 64] >> (place % 64) & 1U) != 0;
}

void ProcessTree::enter(Pids& pids, std::int32_t pid) {
  const auto place = static_cast<std::size_t>(pid);
  if (pid > 0 && place < most_pids) pids[place / 64] |= std::uint64_t{1} << (place % 64);
}

// A zombie belongs to the tree, too: in the same pass its children may be seen that have not been given a new parent yet.
void ProcessTree::add(const Later& process, int signal, Seen& seen) {
  enter(members_, process.pid);
  if (is_over(process.state)) return;
  ++seen.alive;
  seen.threads += static_cast<std::size_t>(std::max(process.threads, 1));
  if (signal == 0 || has(told_, process.pid)) return;
  enter(told_, process.pid);
  if (::kill(process.pid, signal) == 0) ++seen.signalled;
}

ProcessTree::Seen ProcessTree::signal_below(std::span<const pid_t> roots, int signal) {
  alignas(8) std::array<char, 16384> entries;
  Seen seen;
  members_.fill(0);
  later_count_ = 0;
  for (const pid_t root : roots) enter(members_, root);
  if (signal != 0 && std::exchange(told_signal_, signal) != signal) told_.fill(0);
  const int proc = ::open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (proc < 0) return seen;
  for_each_entry(proc, entries, [&](const char* name) {
    const char* digits = name;
    const std::int32_t pid = digits_at(digits);
    if (pid <= 1 || *digits != '\0' || has(members_, pid)) return;
    const ProcessStat stat = stat_of(proc, name);
    if (stat.state == 0) return;
    const Later process{pid, stat.parent, stat.threads, stat.state};
    if (has(members_, stat.parent)) {
      add(process, signal, seen);
    } else if (later_count_ < later_.size()) {
      later_[later_count_++] = process;
    }
  });
  ::close(proc);
  // Numbers rise with age until they begin anew: only then is a parent seen after its child.
  for (bool found = true; found;) {
    found = false;
    for (std::size_t i = 0; i < later_count_; ++i) {
      if (!has(members_, later_[i].parent)) continue;
      add(later_[i], signal, seen);
      later_[i--] = later_[--later_count_];
      found = true;
    }
  }
  return seen;
}

}  // namespace frx::capture
