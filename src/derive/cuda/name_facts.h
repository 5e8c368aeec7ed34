// What the words of a kernel, and of the functions it calls, say without being followed: tensor cores, half
// precision, vector types.
#pragma once

#include <string>
#include <vector>

#include "derive/cuda/trace.h"

namespace frx::derive::cuda {

struct Words {
  bool tensor_api = false;     // wmma, mma, wgmma, CuTe or CUTLASS, and mma in inline assembly
  bool warpgroup_mma = false;  // wgmma, tcgen05
  bool half_types = false;     // __half, __nv_bfloat16 and pairs of them
  bool vector_types = false;   // float4, int2, half2 ... as types of what is read or written
  bool shuffles = false, barrier_in_assembly = false, thread_number_in_assembly = false;
  bool read_only_cache = false;  // __ldg, __constant__
  bool tree_loop = false;        // for (...; s > 0; s >>= 1)
  bool grid_stride_loop = false;
  bool shared_helper = false;  // names of helpers that hand out shared memory
};

Words words_of(const Program& program, const Trace& trace);

}  // namespace frx::derive::cuda
