// What frx bench found, for people and for programs (frx_bench_v0).
#pragma once

#include <string>

#include "render/json_fwd.h"
#include "render/style.h"
#include "report/bench_report.h"

namespace frx::render {

std::string bench_text(const report::BenchReport& report, const Style& style);
Json bench_json(const report::BenchReport& report);

}  // namespace frx::render
