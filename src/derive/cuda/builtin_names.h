// Names that CUDA and HIP define: for the place of a thread, and functions that only compute.
#pragma once

#include <optional>
#include <string_view>

#include "derive/cuda/expressions.h"

namespace frx::derive::cuda {

// threadIdx, blockIdx, blockDim and gridDim: the x of it; y and z follow.
std::optional<Op> triple_named(std::string_view name);

// hipThreadIdx_x, hipBlockDim_y: one coordinate, as HIP's headers name them.
std::optional<Op> coordinate_named(std::string_view name);

// WARP_SIZE, kWarpSize, C10_WARP_SIZE: constants of headers that are not part of the input. Their value is 32 on every NVIDIA GPU.
bool is_warp_size(std::string_view name);

// FULL_MASK, FINAL_MASK: all lanes of a warp, of headers that are not part of the input either.
bool is_full_mask(std::string_view name);

// sqrtf, log1p, normcdfinvf: a function of the mathematics of device code, for float or double, or of a half: hexp, h2sqrt.
bool is_of_mathematics(std::string_view function);

}  // namespace frx::derive::cuda
