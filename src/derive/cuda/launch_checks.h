// Whether anything looks at the errors of launches.
#pragma once

#include <vector>

#include "derive/cuda/error_looks.h"
#include "derive/cuda/trace.h"
#include "model/cuda_kernel.h"

namespace frx::derive::cuda {

// The node of a function before which nothing can look at the error of a launch by <<<>>>: it says that all is well behind that, and calls
// nothing that the program does not define. The beginning of its body where callers or such functions may look.
std::uint32_t end_of_unchecked(const Program& program, const Function& function);

// What the function that launches leaves out after the launch: it does not look at the error of the launch, perhaps at those of later
// calls.
struct Ignored {
  bool is_ignored = false, is_checked_later = false;
};
Ignored ignored_by(const Program& program, const Function& function, const LaunchSite& site, const LookEnds& ends,
                   const ErrorLooks& of_file);

// Gives the first launch of each file those of the file whose errors nothing looks at, where the program never asks for them; else those
// that are ignored by the functions that launch. All launches, by file and line.
void note_unchecked(std::vector<model::cuda::Launch>& launches, bool is_never_asked);

}  // namespace frx::derive::cuda
