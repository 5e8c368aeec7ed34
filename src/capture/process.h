// Runs one child process: an argument vector (never a shell), its streams, a time limit.
//
// The child leads a process group of its own, and what it starts is known by a variable of its environment, so that a time limit ends all
// of its descendants. When frx is told to stop (Ctrl-C, SIGTERM), the signal is passed on to the child and its result is still returned;
// descendants that go on are ended.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace frx::capture {

enum class Input { nothing, inherit };
enum class Output { inherit, to_stderr, keep, discard };

struct ChildCommand {
  std::vector<std::string> argv;
  std::vector<std::pair<std::string, std::string>> environment;  // added to that of this process
  std::string directory;                                         // empty: the current one
  Input input = Input::nothing;
  Output out = Output::keep;
  Output err = Output::keep;
  std::size_t keep_limit = std::size_t{1} << 20;  // bytes kept of each stream
  std::chrono::milliseconds time_limit{0};        // 0: none
  std::uint64_t memory_limit = 0;                 // bytes of address space, for each of its processes; 0: none
};

struct Exit {
  int status = 0;  // of exit(), when `signal` is 0
  int signal = 0;  // that ended it
  bool timed_out = false;
  int interrupted_by = 0;  // the signal that this process received and passed on
  bool out_cut = false;    // more was written than kept
  bool err_cut = false;
  std::string out;
  std::string err;
  std::chrono::nanoseconds took{0};

  bool ok() const { return status == 0 && signal == 0 && !timed_out; }
  // The exit code that a shell would report.
  int code() const { return signal == 0 ? status : 128 + signal; }
};

// An error only when the child could not be started at all.
Result<Exit> run_process(const ChildCommand& command);

// "exit code 3", "killed by signal 9 (Killed)", "no answer within 5 s"
std::string describe(const Exit& exit, std::chrono::milliseconds time_limit = std::chrono::milliseconds{0});

}  // namespace frx::capture
