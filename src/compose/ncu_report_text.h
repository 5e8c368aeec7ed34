// The report of an Nsight Compute profile for a terminal.
#pragma once

#include <string>

#include "compose/style.h"
#include "report/report.h"

namespace frx::compose {

// Everything, as `frx profile` prints it.
std::string ncu_report_text(const report::NcuReport& report, const Style& style);

// The short form of `frx analyze`: five bottlenecks, three recommendations.
std::string ncu_brief_text(const report::NcuReport& report, const Style& style);

}  // namespace frx::compose
