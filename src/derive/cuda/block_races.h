// Blocks that read from global memory what other blocks of the same launch write.
//
//   a[i] = a[i - 1] + a[i + 1];                                              neighbours are in other blocks
//   for (j = 0; j < n; ++j) f += p[j].x - p[i].x;  p[i].x += f;              all elements are read by each thread
//   if (blockIdx.x == 0) *sum = 0;  atomicAdd(sum, x[i]);                    one of them sets what the others add to
//   first = *step * n;  if (i == 0) ++*step;                                 all read what one of them counts on
//   atomicAdd(sum, x[i]);  mean = *sum / n;                                  not all blocks have added
//   partial[blockIdx.x] = sum;  for (b = 0; b < gridDim.x; ++b) total += partial[b];
#pragma once

#include "derive/cuda/race_views.h"
#include "derive/cuda/shared_races.h"

namespace frx::derive::cuda {

// Adds to Races::between_blocks.
void add_block_races(const Trace& trace, const Trees& trees, const Vague& vague, const Shape& block, Races& races);

}  // namespace frx::derive::cuda
