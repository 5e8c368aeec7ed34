// Is a kernel a matrix product? Two inputs, multiplied and added up in a loop, one told apart by rows and the
// other by columns:
//
//   for (int k = 0; k < K; ++k) sum += a[row * K + k] * b[k * N + col];
//
// A dot product has no rows and columns; of a matrix times a vector one input has none; a filter's weights
// neither. Of doubles and whole numbers none is counted.
#pragma once

#include <vector>

#include "derive/cuda/trace.h"

namespace frx::derive::cuda {

// The places that multiply and add, empty when it is none.
std::vector<NodeRef> matrix_products(const Program& program, const Trace& trace, bool in_shared_memory);

}  // namespace frx::derive::cuda
