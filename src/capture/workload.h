// Runs the program that is being observed: its output passes through live, byte by byte, and into a log.
//
// A stream that is a terminal stays one for the program (a pseudo-terminal), so that progress bars move; where our two output streams are
// one, so are the program's, and the log has their order exactly. Our standard input is the program's. It runs in a session of its own:
// SIGINT, SIGTERM and SIGHUP are passed on to all of it, a second SIGINT ends all of it at once, and processes that it leaves in its group
// are ended with it.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace frx::capture {

struct WorkloadRequest {
  std::vector<std::string> argv;
  std::vector<std::pair<std::string, std::string>> environment;  // added to that of this process
  std::string log_path;                            // the output is appended to it as it arrives, for the owner alone; empty: nowhere
  std::string mark;                                // "NAME=VALUE" of `environment` that identifies stray descendants; empty: none are
  int out = 1, err = 2;                            // where its output is passed on to
  std::function<void(std::string_view line)> say;  // messages for the user while it runs; may be empty
};

struct WorkloadEnd {
  int status = 0;          // of exit(), when `signal` is 0
  int signal = 0;          // that ended it
  int interrupted_by = 0;  // the last signal that this process received and passed on
  std::chrono::nanoseconds took{0};
  std::vector<std::string> notes;
  int output_error = 0;  // errno: why its output could not be passed on to its end; 0 when it was

  // The exit code that a shell would report.
  int code() const { return signal == 0 ? status : 128 + signal; }
};

// An error only when the program could not be started at all.
Result<WorkloadEnd> run_workload(const WorkloadRequest& request);

}  // namespace frx::capture
