// Modules of a model as a recording has them, and the Python lines that called its operators.
//
// Modules are ranges called "nn.Module: NAME": of fournex.operators, with names as the model has them ("blocks.0.attention"), or of the
// PyTorch profiler (with_stack=True, with_modules=True), with numbered classes ("Linear_0"). Where both are there, the first count.
#pragma once

#include <compare>
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

// Which Python files are the program's.
struct ProgramFiles {
  std::string only;  // those with this in their path; "": all that are not of PyTorch or of Python's own library
  bool holds(std::string_view file) const;
};

// Numbers of names of the timeline; `none`: not recorded.
struct ProgramPlace {
  std::uint32_t function = none;  // "model.py(42): forward", with the line in which it begins
  std::uint32_t call = none;      // "model.py:47", the line of it that is at work

  bool is_known() const { return function != none || call != none; }
  friend auto operator<=>(const ProgramPlace&, const ProgramPlace&) = default;
};

// Of each of `queries` (rows) the innermost Python function around it that is of the program, and the line of the call in it,
// which recordings of PyTorch have since 2026 where that call is itself recorded: operators as `x + y` are called without one. Empty where
// the recording has no Python functions. O((functions + queries) log(functions + queries)).
std::vector<ProgramPlace> program_places(const model::Timeline& timeline, const std::vector<std::uint32_t>& queries,
                                         const ProgramFiles& files = {});

// A place in its parts.
struct ProgramLine {
  std::string_view file;      // "model.py"; "": the place is not known
  std::uint32_t line = 0;     // 0: not known
  std::string_view function;  // "forward"; "": not known
  bool is_of_call = false;    // `line` is that of the call, or else the one in which the function begins

  // "model.py:47 in forward" with the line of the call, "model.py(42): forward" with that of the function, as PyTorch writes it.
  std::string text() const;
};
ProgramLine program_line(const model::Timeline& timeline, const ProgramPlace& place);

// "model.py(42): forward" is of the program, "torch/nn/modules/linear.py(114): forward" is not.
bool is_program_function(std::string_view function, const ProgramFiles& files = {});

}  // namespace frx::derive::trace
