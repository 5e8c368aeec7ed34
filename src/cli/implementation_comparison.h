// frx compare on code: CUDA source or PTX of two implementations, with what the compiler and Nsight Compute add.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/io.h"
#include "report/analyse.h"

namespace frx::cli {

struct ImplementationOptions {
  std::string first, second;                // CUDA source or PTX, or "" for a side of which there is only a profile
  std::string first_ptx, second_ptx;        // PTX beside the source, or ""
  std::string first_label, second_label;    // "" for the names of the files
  std::string first_ncu, second_ncu;        // profiles, or ""
  std::string first_kernel, second_kernel;  // of the profiles: this kernel alone, or ""
  bool with_ptx = false;
  bool with_ptxas = false;                                         // asks ptxas for registers and spills of the PTX of both sides
  bool with_ncu = false;                                           // compiles and profiles each side that has no profile; tries PTX, too
  std::chrono::milliseconds time_limit = std::chrono::minutes(5);  // of a program under ncu
  std::vector<std::string> build_flags;                            // one each
  std::string format = "text";                                     // of render/renderers.def; sarif, github: what is new in the second
  std::string mode = "compare";                                    // of the JSON: compare, or comparison with comparison_v1 alone
  bool fail_on_regression = false;
  std::string fail_on = {};  // low, medium, high: fails when a finding as grave as this is new in the second; or ""
};

// 0, or 1 when the first is better and --fail-on-regression was given. Fails when a file cannot be read or is no code, or a new
// finding reaches --fail-on; what cannot be compiled or profiled is reported in the answer.
Result<int> compare_implementations(const ImplementationOptions& options, const report::AnalysisOptions& analysis, Io& io);

}  // namespace frx::cli
