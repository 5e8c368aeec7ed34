// Whether anything looks at the errors of launches.
#pragma once

#include <vector>

#include "derive/cuda/trace.h"
#include "model/cuda_kernel.h"

namespace frx::derive::cuda {

// Does something in these files ask for the error of a launch: cudaGetLastError(), or the result of a call that also reports it?
bool looks_at_launch_errors(const Sources& sources);

// May code around a launch look at its error: a function that the program does not define, or callers in files that
// were not read?
bool may_be_checked(const Program& program, const Function& function, const LaunchSite& site);

// Gives the first launch of each file those of the file whose errors nothing looks at; all launches, by file and line.
void note_unchecked(std::vector<model::cuda::Launch>& launches);

}  // namespace frx::derive::cuda
