// The sections of the reports about a profile, one function each, in the documented order.
#pragma once

#include <string_view>

#include "compose/parts.h"
#include "report/report.h"

namespace frx::compose {

void add_header(Document& page, std::string_view title, const report::NcuReport& report);
void add_verdict(Document& page, const report::NcuReport& report);
// Errors always, up to `max_warnings` warnings.
void add_validation(Document& page, const report::NcuReport& report, std::size_t max_warnings);
void add_metrics(Document& page, const report::NcuReport& report);
void add_kernels(Document& page, const report::NcuReport& report);
// Where kernels were timed and no more.
void add_kernel_times(Document& page, const report::NcuReport& report);
void add_bottlenecks(Document& page, const report::NcuReport& report);
void add_profiler_rules(Document& page, const report::NcuReport& report);
void add_notes(Document& page, const report::NcuReport& report);
void add_next_steps(Document& page, const report::NcuReport& report);

}  // namespace frx::compose
