// The documented signals of a kernel, with the places that show them, and the kernel as the report lists it.
//
// A fact that the code does not determine is absent: whether there is a barrier when an unknown function is called, for example. The
// names are documented; data/code_rules/cuda defines what each one means.
#pragma once

#include <array>
#include <vector>

#include "derive/cuda/name_facts.h"
#include "derive/cuda/patterns.h"
#include "model/cuda_kernel.h"

namespace frx::derive::cuda {

struct KernelView {
  const Program& program;
  const Function& function;
  const Trace& trace;
  const Patterns& patterns;
  const NameFacts& names;
  Shape block;
  std::uint64_t dynamic_shared_bytes = 0;  // of a launch, where it is constant
  bool is_launched_by_one_thread = false;
  bool is_launched = false;                             // at least one launch was given
  bool is_handed_on = false;                            // to a function that may launch it in a way that is not seen
  bool is_one_block = false;                            // in all its launches
  bool is_of_constant_size = false;                     // grid and block of all its launches are constants
  bool is_block_launched = false;                       // the block is that of a launch, not assumed
  bool fits_data = false;                               // all its launches round the number of blocks along x down: n / 8
  bool exceeds_data = false;                            // one of them rounds it up: (n + 7) / 8
  std::vector<std::uint32_t> indexed_at_run_time = {};  // accesses to local arrays that no register can hold
  std::array<bool, 2> has_blocks_beyond{};              // all its launches round up the number of blocks along x; along y

  const Source& source() const { return program.sources()[function.at.source]; }
  model::TextPlace place_of(NodeRef at) const;
};

model::cuda::Kernel kernel_of(const KernelView& view);
model::CodeSubject facts_of(const KernelView& view, const model::cuda::Kernel& kernel);

// The static shared memory of a block; absent when a size is not constant.
std::optional<std::uint64_t> static_shared_bytes(const model::cuda::Kernel& kernel);

}  // namespace frx::derive::cuda
