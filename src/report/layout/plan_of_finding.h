// From a finding to a plan that a trial can try (frx layout trial).
#pragma once

#include "report/layout/layout_plan.h"
#include "report/layout/layout_report.h"

namespace frx::report {

// `number`: of the finding, from 1; 0: the best one that can be planned. Negative errors: there is no such finding, or its fix is a change
// of code that no plan can make: only memory formats, and contiguous inputs of modules whose names were recorded ("blocks.0.attention").
Result<LayoutPlan> plan_of_finding(const LayoutReport& report, std::size_t number);

}  // namespace frx::report
