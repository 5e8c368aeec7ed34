// The resources that each kernel of a cubin needs on its GPU, from the sections of the ELF file.
//
//   .text.KERNEL        machine code; marks of the register allocator name the spills in it
//   .nv.info            registers, stack: one record per function, by number of its symbol
//   .nv.info.KERNEL     parameters, launch bounds, barriers
//   .nv.shared.KERNEL   its size: static shared memory, from Hopper on after 1 KiB of the system
//   .nv.constant0.KERNEL  its size: launch values and parameters
//   .nv.compat          whether the code is for one GPU (sm_90a) or a family (sm_100f)
//
// Older compilers keep the registers in the header of .text.KERNEL and the barriers in its flags.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/kernel_resources.h"

namespace frx::ingest::cubin {

// Malformed: no cubin, or one with invalid tables.
// In the order of their symbols. Nothing in the result refers to `cubin`.
Result<std::vector<model::KernelResources>> read_kernel_resources(std::string_view cubin);

}  // namespace frx::ingest::cubin
