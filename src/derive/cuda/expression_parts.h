// What an expression is made of.
#pragma once

#include <functional>

#include "derive/cuda/expressions.h"

namespace frx::derive::cuda {

// Is some part of an expression, or the expression itself, as asked for? False for a part that is too far down.
bool has_part(const Expressions& e, ExprId root, const std::function<bool(ExprId)>& is_it);

// i & (size - 1): bits of a thread's number that a size decides, which a sample knows nothing of.
bool is_masked_by_size(const Expressions& e, ExprId root);

}  // namespace frx::derive::cuda
