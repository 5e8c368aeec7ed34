// The answer about CUDA source, for people and as cuda_static_v1.
#pragma once

#include <string>

#include "render/json_fwd.h"
#include "render/style.h"
#include "report/cuda_report.h"

namespace frx::render {

std::string cuda_text(const report::CudaReport& report, const Style& style);
Json cuda_json(const report::CudaReport& report);
// The same with its long lists one by one. The report must outlive it.
JsonInPieces cuda_json_in_pieces(const report::CudaReport& report);

}  // namespace frx::render
