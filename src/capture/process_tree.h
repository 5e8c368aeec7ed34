// The processes below one process, by what the kernel says of parents (/proc/N/stat).
//
// A process leaves its group and its session, and clears its environment, but it keeps its place below the nearest ancestor that takes
// orphans (a "subreaper"). System calls and the object's own memory only, so that a process may use it that was forked while other threads
// had locks. One object is 1.5 MiB: keep it in static memory or on the heap.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace frx::capture {

class ProcessTree {
 public:
  struct Seen {
    std::size_t alive = 0;      // that have not ended; zombies have
    std::size_t threads = 0;    // of these
    std::size_t signalled = 0;  // that got it in this pass
  };

  // One pass over all processes. Those below `roots`, which are not among them, get `signal` as soon as they are seen; 0 sends none. A
  // process that is started during the pass may be missed, and so may be the children of one that the signal ends, where the roots do not
  // take orphans. Where passes with one signal follow each other, each process gets it once: when a pass finds none to send it to, all have
  // it.
  Seen signal_below(std::span<const pid_t> roots, int signal);
  Seen signal_below(pid_t root, int signal) { return signal_below({&root, 1}, signal); }

 private:
  static constexpr std::size_t most_pids = 4'194'304;  // PID_MAX_LIMIT of 64-bit kernels
  using Pids = std::array<std::uint64_t, most_pids / 64>;
  struct Later {
    std::int32_t pid = 0, parent = 0;
    std::int32_t threads = 0;
    char state = 0;
  };

  static bool has(const Pids& pids, std::int32_t pid);
  static void enter(Pids& pids, std::int32_t pid);
  void add(const Later& process, int signal, Seen& seen);

  Pids members_{}, told_{};
  int told_signal_ = 0;
  std::array<Later, 32768> later_{};  // seen before their parents were
  std::size_t later_count_ = 0;
};

}  // namespace frx::capture
