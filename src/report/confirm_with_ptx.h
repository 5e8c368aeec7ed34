// The compiled PTX of CUDA source confirms or withdraws findings in the source.
#pragma once

#include "report/code_report.h"
#include "report/cuda_report.h"

namespace frx::report {

// Compares each finding with PTX that was compiled with line numbers from a file of the report. A finding that PTX decides is confirmed
// (with the evidence of PTX) or withdrawn; one that PTX does not decide is unchanged. A withheld one that is confirmed with high confidence
// is withheld no more.
void confirm_with_ptx(CudaReport& report, const PtxReport& ptx);

}  // namespace frx::report
