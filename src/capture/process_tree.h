// The processes below one process, by what the kernel says of parents (/proc/N/stat).
//
// A process leaves its group and its session, and clears its environment, but it keeps its place below the nearest ancestor that takes
// orphans (a "subreaper"). System calls and the object's own memory only, so that a process may use it that was forked while other threads
// had locks. One object is 1 MiB: keep it in static memory or on the heap.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace frx::capture {

class ProcessTree {
 public:
  struct Seen {
    std::size_t alive = 0;     // that have not ended; zombies have
    std::size_t threads = 0;   // of these
    std::size_t signalled = 0;  // SIGSTOP: of those that were running
  };

  // One pass over all processes. Those below `root`, which is not among them, get `signal` as soon as they are seen; 0 sends none.
  // SIGSTOP goes to those only that are not stopped. A process that is started during the pass may be missed.
  Seen signal_below(pid_t root, int signal);

 private:
  static constexpr std::size_t most_pids = 4'194'304;  // PID_MAX_LIMIT of 64-bit kernels
  struct Later {
    std::int32_t pid = 0, parent = 0;
    std::int32_t threads = 0;
    char state = 0;
  };

  bool is_member(std::int32_t pid) const;
  void add(const Later& process, int signal, Seen& seen);

  std::array<std::uint64_t, most_pids / 64> members_{};
  std::array<Later, 32768> later_{};  // seen before their parents were
  std::size_t later_count_ = 0;
};

}  // namespace frx::capture
