// Figures: numbers that pages draw (answer::Figure). The shapes of the numbers are those of web/src/data.ts. Each adds nothing where there
// is nothing to draw. What a figure is made of is kept by the answer.
#pragma once

#include "answer/document.h"
#include "report/bench_report.h"
#include "report/cuda_report.h"
#include "report/ncu_comparison.h"
#include "report/ranks_report.h"
#include "report/report.h"
#include "report/run_comparison.h"
#include "report/run_report.h"
#include "report/trace_report.h"

namespace frx::compose {

using answer::Document;

// Roofline, kernels by time, source with the stalls of its lines.
void add_figures(Document& page, const report::NcuReport& report);
// Steps, timeline, memory over time, kernels by time. `skipped`: steps at the beginning that are left out. `whose`: "rank 0", or "" where
// there is only one.
void add_figures(Document& page, const report::TraceReport& report, std::size_t skipped, std::string_view whose = {});
// Who waits for whom.
void add_figures(Document& page, const report::RanksReport& report);
// Memory over time, and what there is of the trace and the ranks.
void add_figures(Document& page, const report::RunReport& report);
// Source with the findings in its margin.
void add_figures(Document& page, const report::CudaReport& report);
// Before and after, with intervals.
void add_figures(Document& page, const report::RunComparison& comparison);
void add_figures(Document& page, const report::BenchReport& report);
void add_figures(Document& page, const report::NcuComparison& comparison);

}  // namespace frx::compose
