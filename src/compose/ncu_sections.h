// The sections of the reports about a profile, one function each, in the documented order.
#pragma once

#include <string_view>

#include "compose/page.h"
#include "report/report.h"

namespace frx::compose {

void add_header(Page& page, std::string_view title, const report::NcuReport& report);
void add_verdict(Page& page, const report::NcuReport& report);
// Errors always, up to `max_warnings` warnings.
void add_validation(Page& page, const report::NcuReport& report, std::size_t max_warnings);
void add_metrics(Page& page, const report::NcuReport& report);
void add_kernels(Page& page, const report::NcuReport& report);
void add_bottlenecks(Page& page, const report::NcuReport& report);
void add_profiler_rules(Page& page, const report::NcuReport& report);
void add_notes(Page& page, const report::NcuReport& report);
void add_next_steps(Page& page, const report::NcuReport& report);

// "[########  ]": floor(score * 10) of ten.
std::string score_bar(double score);

}  // namespace frx::compose
