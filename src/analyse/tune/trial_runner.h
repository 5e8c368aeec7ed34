// One run of a configuration: its process, the state of the GPUs meanwhile, and what its files say afterwards.
#pragma once

#include <chrono>
#include <functional>
#include <span>
#include <string>

#include "analyse/tune/trial_folder.h"
#include "analyse/tune/tuner.h"
#include "capture/gpu/sampling_thread.h"

namespace frx::analyse {

// What may be said of a run that goes on, from the times (ms) of its measured steps so far.
using FateOf = std::function<derive::tune::Fate(std::span<const double> times_so_far)>;

struct RanTrial {
  report::TuneRun run;
  TrialReading reading;
  capture::GpuFacts gpus;        // empty when it was reused
  bool was_reused = false;       // of an earlier tuning
  bool was_interrupted = false;  // by the user: it is not finished, and nothing of it counts
};

class TrialRunner {
 public:
  // `folder`: absolute, of the tuning.
  TrialRunner(const TuneRequest& request, std::string folder, Context& context, const TuneTools& tools)
      : request_(request), folder_(std::move(folder)), context_(context), tools_(tools) {}

  // In the folder `name` of the tuning, unless a finished run of the same plan is there. Errors: a folder cannot be written; the analysis
  // was stopped. A program that fails is no error.
  Result<RanTrial> run(const TrialPlan& plan, const std::string& name, const FateOf& fate_of = {});

  const std::string& folder() const { return folder_; }

 private:
  Result<RanTrial> run_anew(const TrialPlan& plan, const std::string& name, const FateOf& fate_of);
  capture::TrialProcess process_of(const TrialPlan& plan, const std::string& folder) const;

  const TuneRequest& request_;
  std::string folder_;
  Context& context_;
  const TuneTools& tools_;
};

}  // namespace frx::analyse
