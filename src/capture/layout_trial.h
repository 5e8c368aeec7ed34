// Runs a program for frx layout trial: fresh processes in the order A B B A, each with a folder of its own to write to, then one profiled
// run of each side. Nothing but variables of the environment differs between the sides of a plan; none of a run's files lies in the user's
// folders.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "capture/gpu/gpu_meter.h"
#include "capture/program_run.h"

namespace frx::capture {

struct LayoutTrialRequest {
  std::vector<std::string> baseline, candidate;  // argument vectors; no shell touches them
  std::string plan;                              // file that the candidate applies; "": none, the commands differ
  std::string folder;                            // in which each run gets a folder
  std::size_t blocks = 2;                        // of two runs: A B, then B A, and so on
  std::size_t windows = 0, warmup = 0;           // that a run is asked for, and those at its begin that do not count
  std::uint64_t seed = 0;
  std::chrono::milliseconds time_limit{0};  // of each run; 0: none
};

struct LayoutTrialRun {
  bool is_candidate = false, is_profiled = false;
  std::string folder;   // of what it wrote, below that of the request
  std::string failure;  // in words; "" when it ended with 0
  std::string errors;   // the last part of its standard error
  double seconds = 0;
  GpuMeasurement gpus;  // while it ran
};

// The runs that were made, in their order. One that fails, or does not end in time, is the last. Fails only when the user stops it, or a
// folder cannot be made.
Result<std::vector<LayoutTrialRun>> run_layout_trial(const LayoutTrialRequest& request, const Host& host, const RunProgress& progress = {});

// "A B B A": the sides of the runs that are timed, in their order; true: the candidate.
std::vector<bool> trial_order(std::size_t blocks);

}  // namespace frx::capture
