// The documented signals of a kernel, with the places that show them, and the kernel as the report lists it.
//
// A fact that the code does not tell is absent: whether there is a barrier when something unknown is called, for
// example. Names are those of the documents; what each one means here is said in data/code_rules/cuda.
#pragma once

#include "derive/cuda/patterns.h"
#include "derive/cuda/words.h"
#include "model/cuda_kernel.h"

namespace frx::derive::cuda {

struct KernelView {
  const Program& program;
  const Function& function;
  const Trace& trace;
  const Patterns& patterns;
  const Words& words;
  Shape block;
  std::uint64_t dynamic_shared_bytes = 0;  // of a launch, where constant
  bool is_launched_by_one_thread = false;

  const Source& source() const { return program.sources()[function.at.source]; }
  model::TextPlace place_of(NodeRef at) const;
};

model::cuda::Kernel kernel_of(const KernelView& view);
model::CodeSubject facts_of(const KernelView& view, const model::cuda::Kernel& kernel);

// Static shared memory of a block; absent when a size is no constant.
std::optional<std::uint64_t> static_shared_bytes(const model::cuda::Kernel& kernel);

}  // namespace frx::derive::cuda
