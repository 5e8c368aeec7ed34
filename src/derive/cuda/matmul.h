// Is a kernel a matrix product? Two inputs are multiplied and accumulated in a loop, one indexed by rows and the other by columns:
//
//   for (int k = 0; k < K; ++k) sum += a[row * K + k] * b[k * N + col];
//
// A dot product has no rows and columns; in a product of matrix and vector one input has none, and neither have the weights of a filter.
// Products of doubles and of integers do not count.
#pragma once

#include <vector>

#include "derive/cuda/trace.h"

namespace frx::derive::cuda {

// The places that multiply and accumulate; empty when the kernel is not a matrix product.
std::vector<NodeRef> matrix_products(const Program& program, const Trace& trace, bool in_shared_memory);

// Those in shared memory that load two numbers for each multiply-add: no other one of the same loop uses one of them, and no inner loop
// runs over several elements of one thread.
std::vector<NodeRef> single_element_products(const Program& program, const Trace& trace);

}  // namespace frx::derive::cuda
