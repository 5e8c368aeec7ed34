// What the compiler made of CUDA source decides about what was found in the source.
#pragma once

#include "report/code_report.h"
#include "report/cuda_report.h"

namespace frx::report {

// Holds each finding against PTX that was compiled with line numbers from a file of the report. One that PTX decides is
// confirmed (it then says what PTX shows) or withdrawn; one that PTX says nothing about stays as it is.
void confirm_with_ptx(CudaReport& report, const PtxReport& ptx);

}  // namespace frx::report
