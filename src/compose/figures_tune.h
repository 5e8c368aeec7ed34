// The figure of a tuning, apart from figures.h, which everything else includes.
#pragma once

#include "answer/document.h"
#include "report/tune/tune_report.h"

namespace frx::compose {

// Change of each trial against the baseline, with its interval; nothing without trials. Its numbers are the TuningData of web/src/data.ts.
void add_figures(answer::Document& page, const report::TuneReport& report);

}  // namespace frx::compose
