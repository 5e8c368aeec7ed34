// How often a loop runs, where constants decide, and what else decides it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "derive/cuda/program.h"
#include "derive/cuda/trace.h"

namespace frx::derive::cuda {

// The iterations of `for (k = 0; k < 4; ++k)`, of one that counts down, doubles, or begins anywhere and runs for as many steps
// (`l = first; l < first + 4`); nothing where they depend on anything else, or are more than `most`.
std::optional<std::int64_t> constant_iterations(const Expressions& e, const Loop& loop, std::int64_t most);

// Do constants say that the loop runs so often, or more?
bool runs_at_least(const Expressions& e, const Loop& loop, std::int64_t least);

// The length of a loop whose iterations are counted from 0 on: `k < n`, `k <= n - 1`, `k != n`; nothing for other conditions.
std::optional<ExprId> counted_length(const Expressions& e, const Loop& loop);

// The n of `k < n`, `k <= n - 1`, `k != n`; nothing for other conditions.
std::optional<ExprId> end_of(const Expressions& e, const Expr& test);

// Is a parameter of the kernel part of a sum or product, such as the end of a loop?
bool holds_parameter(const Trace& trace, ExprId sum);

// As written: "i < n" of for (...; i < n; ...) and of while (i < n); "" of for (;;).
std::string_view condition_of(const Program& program, const Loop& loop);

}  // namespace frx::derive::cuda
