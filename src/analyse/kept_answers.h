// Answers that were written as JSON, back as the values that the comparisons of report/ take: the steps of a run, the kernels, numbers and
// labels of a profile.
//
// What a document does not have stays absent: a comparison of such sides says less than one of the recordings, and never something else.
#pragma once

#include <string>

#include "answer/json.h"
#include "base/result.h"
#include "knowledge/knowledge.h"
#include "report/report.h"
#include "report/run_comparison.h"

namespace frx::analyse {

// Of trace_analysis_v1 and run_analysis_v1: the times of the steps that count. `label`: what to call it.
report::ComparedRun kept_run(const answer::Json& answer, std::string label);

// Of ncu_analysis_v1. Views point into `knowledge`.
report::NcuReport kept_profile(const answer::Json& answer, std::string label, const knowledge::Knowledge& knowledge);

}  // namespace frx::analyse
