// Ends what this process started when this process is killed.
//
// SIGKILL cannot be handled, so a small process of its own waits for it: it holds one end of a connection whose other end disappears with
// this process. A parent-death signal alone would reach the direct child only.
#pragma once

#include <sys/types.h>

#include <string_view>

namespace frx::capture {

class DeathWatch {
 public:
  DeathWatch() = default;
  // The child has ended: nothing is watched any more.
  ~DeathWatch() { stop(); }
  DeathWatch(const DeathWatch&) = delete;
  DeathWatch& operator=(const DeathWatch&) = delete;

  // Call it before the child is started. `mark`: "NAME=VALUE" in the environment of descendants that left the group; empty: only the group
  // is ended. Where no process can be started, nothing is watched.
  void start(std::string_view mark);
  void stop() { leave(true); }
  // Ends what is left as if this process were killed, and waits for that. The child that leads the group has been reaped.
  void end_all() { leave(false); }

  // In the child, before exec: it tells its own number, so that its number is known at every moment. Async-signal-safe.
  void tell_from_child(bool leads_a_group) const;

 private:
  void leave(bool done);

  int to_ = -1;
  pid_t pid_ = -1;  // the process that watches; -1: none
};

}  // namespace frx::capture
