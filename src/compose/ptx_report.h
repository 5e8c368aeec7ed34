// The answer about a PTX file, for people and as ptx_analysis_v1.
#pragma once

#include <string>

#include "compose/json_fwd.h"
#include "compose/style.h"
#include "report/code_report.h"

namespace frx::compose {

std::string ptx_text(const report::PtxReport& report, const Style& style);
Json ptx_json(const report::PtxReport& report);
// The same with its kernels and findings one by one. The report must outlive it.
JsonInPieces ptx_json_in_pieces(const report::PtxReport& report);

}  // namespace frx::compose
