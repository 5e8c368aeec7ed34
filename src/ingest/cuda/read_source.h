// CUDA C++ source text into syntax, without compiling; of headers only the macros are known (headers.h).
//
//   #define TILE 16                                    kept as a macro, with the node of its value
//   #define LOOP(i) for (int i = 0; i < 4; ++i)        expanded where it is used
// #if 0 ... #endif                                   removed
//   #ifdef DEBUG ... #else ... #endif                  both are read; within a function, one of them
//   #if __CUDA_ARCH__ >= 300 ... #else ... #endif      the first: see condition.h
//   __global__ void k(float* a) { a[threadIdx.x] = 1; }
//   k<<<dim3(4), TILE>>>(p);                           // frx: ignore poor_block_size_subwarp
//
// Any bytes are accepted: text that is not CUDA is counted in `errors` and skipped. Fails only for more than 256 MiB, or when the text is
// so irregular that reading it would take more than time linear in its size.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "ingest/cuda/preprocessor.h"
#include "model/cuda_source.h"

namespace frx::ingest::cuda {

// `name` is the name of the file in findings.
Result<model::cuda::Source> read_source(std::string name, std::string original, const Surroundings& around = {});

}  // namespace frx::ingest::cuda
