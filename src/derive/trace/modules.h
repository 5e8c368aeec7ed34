// Modules of a model as a recording has them, and the Python lines that called its operators.
//
// Modules are ranges called "nn.Module: NAME": of fournex.operators, with names as the model has them ("blocks.0.attention"), or of the
// PyTorch profiler (with_stack=True, with_modules=True), with numbered classes ("Linear_0"). Where both are there, the first count.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "derive/trace/operator_calls.h"
#include "model/timeline.h"

namespace frx::derive::trace {

struct ModuleRanges {
  std::vector<std::uint32_t> rows;  // by track and start
  // By kernel: row of the innermost module around its launch or, where none is and it is of the backward pass, around the forward operator
  // whose gradient it computes; `none`. Empty without modules.
  std::vector<std::uint32_t> of_kernel;
  std::vector<std::uint32_t> around;  // by row: that around a module; `none` elsewhere. Empty without modules

  std::uint32_t module_of(std::size_t kernel) const { return of_kernel.empty() ? none : of_kernel[kernel]; }
};

// O(n log n) in the number of ranges and kernels.
ModuleRanges module_ranges(const model::Timeline& timeline, std::span<const OperatorKernel> kernels);

// "blocks.0" of "nn.Module: blocks.0"; "": no module. And back.
bool is_module_range(std::string_view range);
std::string_view module_name(std::string_view range);
std::string module_range(std::string_view name);

// Of each of `queries` (rows) the row of the innermost Python function around it that is not of torch or of Python; `none`. Empty where
// the recording has no Python functions.
std::vector<std::uint32_t> program_lines(const model::Timeline& timeline, const std::vector<std::uint32_t>& queries);

// "model.py(42): forward" is of the program, "torch/nn/modules/linear.py(114): forward" is not.
bool is_program_line(std::string_view function);

}  // namespace frx::derive::trace
