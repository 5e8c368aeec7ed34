// frx tune: runs a program as it is and with other settings, and finds out which settings are faster and still right. Nothing of the
// program is changed; the settings reach it in variables of its environment.
//
// Everything that was measured lies in the folder of the tuning before the next run begins, and the search is a function of what was
// measured: an interrupted tuning is continued by searching again, with runs that are there already taken from their folders.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "analyse/context.h"
#include "capture/host.h"
#include "capture/trial_process.h"
#include "report/tune/tune_report.h"

namespace frx::analyse {

struct TuneRequest {
  std::string job_name = "frx-tune";
  std::string folder;                // of the tuning, which exists: "runs/tune-3f8a12b4"
  std::vector<std::string> command;  // as it was given
  std::string program;               // where the first word of it was found
  report::TuneSettings settings;
};

struct TuneTools {
  const capture::Host& host;
  std::function<Result<capture::TrialEnd>(const capture::TrialProcess&)> run = capture::run_trial;
  std::function<void(std::string_view line)> say;  // progress for people; may be empty
  std::function<Result<>(const report::TuneReport& so_far)> save =
      {};  // called when a run has ended, so that its result is kept; may be empty
};

// Errors: the baseline has no steps to compare with, or does not end well; a folder cannot be written. An interrupted tuning is no error:
// its report says so.
Result<std::shared_ptr<const report::TuneReport>> tune(const TuneRequest& request, Context& context, const TuneTools& tools);

}  // namespace frx::analyse
