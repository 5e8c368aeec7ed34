// The made-up trace of `frx smoke-test`, in the format of torch.profiler: five steps of 500 ms, of which the data loader takes
// 400, a copy 0.5 and the computation 80. It is input bound beyond doubt.
#pragma once

#include <string>

namespace frx::cli {

std::string synthetic_trace();

}  // namespace frx::cli
