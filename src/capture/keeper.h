// A process between this one and a program, from which nothing that the program starts can get away.
//
// It takes the orphans below it, so that every descendant stays below it, whatever group, session or environment the descendant has. It
// ends all of them when it is told to, when the program has ended, and when this process is gone, also by SIGKILL. A DeathWatch, which
// knows descendants by their group and their environment, cannot find those that left both.
//
// It sleeps while the program runs.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>

#include "base/result.h"
#include "capture/spawn.h"

namespace frx::capture {

class Cgroup;

// What it says when all is over.
struct KeeperEnd {
  std::int32_t wait_status = 0;  // of the program, as waitpid gives it
  std::uint32_t left = 0;        // processes besides the program that had to be ended
  std::uint32_t stuck = 0;       // that got SIGKILL and have not ended yet: there are many, or they are within the kernel
  std::int64_t ended_at_ns = 0;  // of the program, on CLOCK_MONOTONIC; 0: it is among those that have not ended yet
};

class Keeper {
 public:
  // `cgroup`: the control group that the program is to be put into, or nullptr; it outlives this.
  static Result<Keeper> make(const Cgroup* cgroup);

  // SIGTERM for the program and all its descendants. What is still there a second later is killed.
  void ask_to_end() const { tell('T'); }
  void end_now() const { tell('K'); }
  // All of them are stopped, and continued.
  void stop() const { tell('S'); }
  void go_on() const { tell('C'); }
  // Once its process has ended; nullopt: it was killed itself.
  std::optional<KeeperEnd> end() const;

  // In the process that becomes the keeper, after fork: starts the program by run(what) in a child of its own, and never returns.
  // `report`: where spawn() waits for the reason why nothing could be run. Async-signal-safe.
  [[noreturn]] void stand_between(void (*run)(const void* what), const void* what, int report) const;

 private:
  void tell(char message) const;

  Fd ours_, its_;
  const Cgroup* cgroup_ = nullptr;
};

}  // namespace frx::capture
