// Starts one child process: an argument vector (never a shell), its streams, its place among process groups.
//
// The caller decides how to wait for it: process.h waits and captures the output, workload.h passes it on.
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "capture/death_watch.h"
#include "capture/signals.h"

namespace frx::capture {

class Keeper;

// A file descriptor that is closed.
class Fd {
 public:
  Fd() = default;
  explicit Fd(int value) : value_(value) {}
  ~Fd() { close(); }
  Fd(Fd&& other) noexcept : value_(std::exchange(other.value_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    std::swap(value_, other.value_);
    return *this;
  }
  int get() const { return value_; }
  explicit operator bool() const { return value_ >= 0; }
  void close() {
    if (value_ >= 0) ::close(std::exchange(value_, -1));
  }

 private:
  int value_ = -1;
};

struct Pipe {
  Fd read;
  Fd write;
};

Result<Pipe> make_pipe();

struct SpawnRequest {
  enum class Group { ours, own, own_session };

  const std::vector<std::string>& argv;
  const std::vector<std::pair<std::string, std::string>>& environment;  // added to that of this process
  std::string directory;                                                // empty: the current one
  Group group = Group::own;                                             // own and own_session: the child leads it
  int in = -1, out = -1, err = -1;                                      // to become 0, 1, 2; -1: inherited
  std::string mark = {};           // "NAME=VALUE" of `environment` that identifies descendants, see DeathWatch
  std::uint64_t memory_limit = 0;  // bytes of address space, for each process of it; 0: none besides that of this process
  // The process that stands between this one and the program, which is then in a session of its own. The number that spawn() gives is the
  // keeper's, signals are passed on by it, and no DeathWatch is started.
  const Keeper* keeper = nullptr;
};

// Why nothing was run, as the child reports it.
struct SpawnFailure {
  enum class Step { run, enter, fork };
  int error = 0;  // an errno
  Step step = Step::run;
};

// Its number, once it runs. `forwarding` passes signals on to it from before it runs; forget() it before it is reaped.
// `watch` ends it when this process is killed; stop() it after it is reaped. An error when it cannot be run; nothing is left to reap then.
Result<pid_t> spawn(const SpawnRequest& request, SignalForwarding& forwarding, DeathWatch& watch);

// Whether a child has ended; it is not reaped.
bool has_ended(pid_t pid);
// Readable when it has; none before Linux 5.3: ask has_ended() now and then.
Fd end_of(pid_t pid);

// The status of exit() and the signal that ended it, one of them 0. Waits for the end.
std::pair<int, int> reap(pid_t pid);

}  // namespace frx::capture
