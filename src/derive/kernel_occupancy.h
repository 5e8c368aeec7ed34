// How many warps of a compiled kernel fit on an SM, from its physical numbers, before it ever ran.
//
// Registers and static shared memory are in the cubin. The size of the block is so only when the source fixes it;
// dynamic shared memory never is. What is assumed instead is said.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "knowledge/gpus.h"
#include "knowledge/occupancy.h"
#include "model/kernel_resources.h"

namespace frx::derive {

enum class BlockSizeFrom : std::uint8_t {
  asked,     // by the caller
  required,  // the kernel runs with this size only
  assumed,   // one of the usual sizes
};

struct KernelOccupancy {
  std::uint32_t threads_per_block = 0;
  BlockSizeFrom from = BlockSizeFrom::assumed;
  knowledge::Occupancy occupancy;                   // unknown when the cubin does not say the registers
  std::vector<knowledge::OccupancyChange> changes;  // changes that would raise it
};

// What is not in the file. Absent: see BlockSizeFrom, and no dynamic shared memory.
struct LaunchAssumptions {
  std::optional<std::uint32_t> threads_per_block;
  std::uint32_t dynamic_shared_bytes = 0;
};

// For each size of block that is possible: the one that was asked for or is required, else 64, 128, 256, 512 and 1024
// threads as far as the launch bounds of the kernel and the GPU allow, and the largest size they allow.
// Relocatable code gets none: the registers of the functions it calls are unknown before linking.
std::vector<KernelOccupancy> kernel_occupancy(const model::KernelResources& kernel, const knowledge::SmLimits& limits,
                                              const LaunchAssumptions& assumptions = {});

// Whether machine code for this architecture ("sm_80", "sm_90a", "sm_100f") runs on a GPU: of the same major version
// and no older minor one; `a` needs the very same version.
bool runs_on(const model::KernelResources& kernel, model::ComputeCapability gpu);

// The limits that apply: those of the GPU when there is one, otherwise those of the architecture the code was compiled for.
// Null when the catalogue has no such architecture, or the code does not run on the GPU.
const knowledge::SmLimits* limits_for(const model::KernelResources& kernel, const knowledge::GpuCatalogue& catalogue,
                                      const knowledge::SmLimits* gpu);

}  // namespace frx::derive
