// One side of a comparison of implementations: a label, and the reports about the code at each layer.
#pragma once

#include <string>

#include "report/code_report.h"
#include "report/cuda_report.h"
#include "report/report.h"

namespace frx::report {

// The reports outlive it; null: this layer was not given or could not be made.
struct Implementation {
  std::string label, source;  // source: the file that was given
  const CudaReport* cuda = nullptr;
  const PtxReport* ptx = nullptr;
  const NcuReport* ncu = nullptr;

  // Without a kernel or a launch there is nothing to find faults in.
  bool has_source() const { return cuda && !(cuda->inspection.kernels.empty() && cuda->inspection.launches.empty()); }
  bool has_ptx() const { return ptx && !ptx->diagnosis.kernels.empty(); }
  bool has_ncu() const { return ncu && (ncu->kernels_with_data > 0 || ncu->duration_us); }
};

}  // namespace frx::report
