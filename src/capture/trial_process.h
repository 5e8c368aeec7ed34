// Runs a program of the user for frx tune, and contains it: its time, its output, its files, what it starts.
//
// The program leads a session of its own and, where the machine lets us, a control group of its own. When it has ended, or was ended,
// nothing that it started is left running, whatever group, session or environment it gave itself (capture/keeper.h); the same holds when
// this process is killed meanwhile. What it prints goes into two files, of which only the first and the last part are kept when there is
// much of it (capture/kept_output.h). It has no input, writes no memory image when it crashes, and dies before this process when the host
// runs out of memory.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "capture/host.h"

namespace frx::capture {

struct TrialProcess {
  std::vector<std::string> argv;                                 // no shell touches it
  std::vector<std::pair<std::string, std::string>> environment;  // added to that of this process
  std::string out_path, err_path;                                // what it prints; made, or replaced
  std::chrono::milliseconds time_limit{60'000};                  // to SIGTERM; SIGKILL a second later
  std::uint64_t output_limit = std::uint64_t{16} << 20;          // bytes kept of each stream
  std::string folder;                                            // its own, watched for its size
  std::uint64_t folder_limit = std::uint64_t{8} << 30;           // bytes in it; more end the program
  std::uint64_t free_disk = std::uint64_t{256} << 20;            // bytes that have to stay free where `folder` is; less end the program
  // Called some times a second while it runs: a reason to end it, or "". Afterwards it is asked to end (SIGTERM), and made to a second
  // later.
  std::function<std::string()> reason_to_stop;
};

struct TrialEnd {
  int status = 0;  // of exit(), when `signal` is 0
  int signal = 0;  // that ended it
  bool timed_out = false;
  std::string stopped;  // what reason_to_stop said
  // Why it was ended for what it did: "more than 8 GiB in its folder", "the disk is nearly full: less than 256 MiB are free", "more than
  // 4096 processes and threads"; "" when it was not.
  std::string contained;
  int interrupted_by = 0;          // the signal that this process received and passed on
  std::size_t left_running = 0;    // processes that it left, which were ended
  std::uint64_t output_bytes = 0;  // of both streams, also what was not kept
  std::chrono::nanoseconds took{0};
  std::vector<std::string> notes;
  // Of all its processes together, where the control group of this process hands its controllers on; absent elsewhere.
  std::optional<std::uint64_t> memory_peak;   // bytes of the host
  std::optional<std::uint64_t> threads_peak;  // at once

  int code() const { return signal == 0 ? status : 128 + signal; }
};

// An error only when the program could not be started, or its files could not be made. Returns within two seconds of the time limit, and of
// the moment at which there was a reason to stop.
Result<TrialEnd> run_trial(const TrialProcess& process);

}  // namespace frx::capture
