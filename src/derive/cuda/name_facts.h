// What the names used in a kernel, and in the functions it calls, reveal without an analysis of the code: tensor cores, half
// precision, vector types.
#pragma once

#include <string>
#include <vector>

#include "derive/cuda/trace.h"

namespace frx::derive::cuda {

struct NameFacts {
  bool tensor_api = false;     // wmma, mma, wgmma, CuTe or CUTLASS, and mma in inline assembly
  bool warpgroup_mma = false;  // wgmma, tcgen05
  bool half_types = false;     // __half, __nv_bfloat16 and pairs of them
  bool vector_types = false;   // float4, int2, half2 ... as types of accesses
  bool shuffles = false, barrier_in_assembly = false, thread_number_in_assembly = false;
  bool read_only_cache = false;  // __ldg, __constant__
  bool tree_loop = false;        // for (...; s > 0; s >>= 1)
  bool grid_stride_loop = false;
  bool shared_helper = false;  // names of helpers that provide shared memory
};

NameFacts name_facts_of(const Program& program, const Trace& trace);

}  // namespace frx::derive::cuda
