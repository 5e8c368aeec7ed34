// Kernels of one project that do the same in several ways.
#pragma once

#include "derive/cuda/program.h"

namespace frx::derive::cuda {

// Does the name of a kernel say that it is the one others are compared with, and is there another one? `product_naive_kernel` beside
// `product_tiled_kernel`, `naive_product` beside `fast_product`.
bool is_baseline(const Program& program, const Function& kernel);

}  // namespace frx::derive::cuda
