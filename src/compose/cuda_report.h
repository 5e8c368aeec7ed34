// The answer about CUDA source, for people and as cuda_static_v1.
#pragma once

#include <string>
#include <string_view>

#include "compose/json_fwd.h"
#include "compose/style.h"
#include "report/cuda_report.h"

namespace frx::compose {

std::string cuda_text(const report::CudaReport& report, const Style& style);
Json cuda_json(const report::CudaReport& report);
// The text of {"mode": mode, "result": the same}, handed over while it is made.
void write_cuda_json(std::string_view mode, const report::CudaReport& report, const JsonSink& write);

}  // namespace frx::compose
