// Launches whose grid and block stand in each other's place, as their names say.
#pragma once

#include "model/cuda_kernel.h"

namespace frx::derive::cuda {

// k<<<threads, blocks>>>, k<<<block_size, grid_size>>>. False where the values say that only the names are odd: a block of whole warps
// beside a grid that follows from a size, or a grid that is a number of blocks that cover the data.
bool has_swapped_extents(const model::cuda::Launch& launch);

}  // namespace frx::derive::cuda
