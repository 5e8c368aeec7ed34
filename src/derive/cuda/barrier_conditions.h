// What decides a condition under which a barrier or a collective is executed.
#pragma once

#include "derive/cuda/lanes.h"
#include "derive/cuda/trace.h"

namespace frx::derive::cuda {

// `threadIdx.x < 64`, or `threadIdx.x < d` in a loop that changes d: no size decides whether the outcome differs.
bool is_of_thread_alone(const Expressions& e, ExprId condition);

// `if (threadIdx.x >= n) return;` without the number of the block: whether the block is larger than n is decided by the launch, which is
// unknown here.
bool is_sized_by_launch(const Expressions& e, ExprId alive);

// Thread numbers compared with constants whose value is unknown: the block may be of that size.
bool is_of_template(const Trace& trace, ExprId condition);

// Does a part of the condition, of those that && and || join, differ between the lanes of a warp because each of them loads its own? Or, of
// the whole block, because its warps do?
bool loads_differ(const Trace& trace, const Lanes& lanes, ExprId condition, bool of_block);

// `i < n - n % size`, `i < n / size * size`, `i < (n & ~(size - 1))`: threads that take steps of that size leave the loop together.
bool ends_at_rounded_size(const Expressions& e, ExprId condition);

}  // namespace frx::derive::cuda
