// The runs of a layout trial into its report: what each process said of itself, its traces, and its outputs beside those of the baseline.
#pragma once

#include <span>

#include "analyse/context.h"
#include "capture/layout_trial.h"
#include "report/layout/layout_trial.h"

namespace frx::analyse {

// The profiled windows of one process. Errors as read_timeline().
Result<report::TrialTrace> read_trial_trace(const std::string& path, std::size_t windows, Context& context);

// Errors name the file of a run that is not what it should be: a side, a tensor or a trace that was cut.
Result<report::TrialEvidence> read_trial(std::span<const capture::LayoutTrialRun> runs, const knowledge::TrialRules& rules,
                                         Context& context);

}  // namespace frx::analyse
