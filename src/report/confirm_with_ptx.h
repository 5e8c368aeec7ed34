// What the compiler made of CUDA source decides about what was found in the source.
#pragma once

#include "report/code_report.h"
#include "report/cuda_report.h"

namespace frx::report {

// Looks at the instructions of each finding's lines in PTX that was compiled with -lineinfo from a file of the
// report. A finding about accesses is confirmed (it then says what PTX shows) or withdrawn; one that PTX says nothing
// about stays as it is.
void confirm_with_ptx(CudaReport& report, const PtxReport& ptx);

}  // namespace frx::report
