// What frx bench found, for people and for programs (frx_bench_v0).
#pragma once

#include <string>

#include "compose/json_fwd.h"
#include "compose/style.h"
#include "report/bench_report.h"

namespace frx::compose {

std::string bench_text(const report::BenchReport& report, const Style& style);
Json bench_json(const report::BenchReport& report);

}  // namespace frx::compose
