// Neighbouring elements that a thread moves one by one:
//
//   struct Vector { double x, y; };       v[i].x *= f; v[i].y *= f;        two accesses of 8 bytes
//   total += w[2 * i] * w[2 * i + 1];                                      two of 4
//
// The compiler joins them only where the type says that they lie on a boundary of their joint size, as float2 and alignas(16) do.
#include "derive/cuda/split_elements.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include "derive/cuda/access_cost.h"

namespace frx::derive::cuda {
namespace {

// Is it a multiple of that power of two, whatever its variables are?
bool is_multiple_of(const Expressions& e, ExprId root, std::int64_t of) {
  std::vector<std::pair<ExprId, std::int64_t>> open{{root, of}};
  for (int steps = 0; !open.empty(); ++steps) {
    if (steps == 64) return false;
    const auto [id, unit] = open.back();
    open.pop_back();
    if (unit == 1) continue;
    const Expr& x = e[id];
    if (const auto constant = e.constant_of(id)) {
      if (*constant % unit != 0) return false;
    } else if (x.op == Op::add || x.op == Op::sub) {
      open.insert(open.end(), {{x.a, unit}, {x.b, unit}});
    } else if (x.op == Op::mul) {
      const auto left = e.constant_of(x.a), right = e.constant_of(x.b);
      if (!left && !right) return false;
      open.emplace_back(left ? x.b : x.a, unit / std::gcd((left ? *left : *right) % unit, unit));
    } else {
      return false;
    }
  }
  return true;
}

// Does the type of the elements say how they are aligned?
bool is_aligned(const Program& program, const Memory& memory, std::uint32_t to) {
  if (program.type(memory.type).parts > 1) return true;
  const Struct* const record = program.struct_named(memory.type);
  return record && record->alignment >= to;
}

bool may_be_joined(const KernelView& view, std::size_t i) {
  const Access& access = view.trace.accesses[i];
  const Memory& memory = view.trace.memories[access.memory];
  if (memory.space != Space::global || access.kind == Access::atomic || access.is_guess || access.is_vague || access.is_state) return false;
  if (access.bytes == 0 || access.bytes > 8 || std::popcount(access.bytes) != 1 || memory.holds_pointers || memory.is_fixed ||
      is_of_one_thread(view.trace, access))
    return false;
  // One element for the whole kernel is no work.
  const Expressions& e = view.trace.expressions;
  return e.uses(access.address, Uses::thread | Uses::iteration) && !e.uses(access.address, Uses::varying | Uses::opaque);
}

}  // namespace

std::optional<SplitElements> split_elements(const KernelView& view) {
  const Trace& trace = view.trace;
  const Expressions& e = trace.expressions;
  std::vector<std::size_t> candidates;
  for (std::size_t i = 0; i < trace.accesses.size(); ++i) {
    if (may_be_joined(view, i)) candidates.push_back(i);
  }
  const auto place_of = [&](std::size_t i) { return view.patterns.accesses[i].first_address; };
  const auto order = [&](std::size_t i) {
    const Access& access = trace.accesses[i];
    return std::tuple(access.memory, access.kind, access.context, access.bytes, place_of(i));
  };
  std::ranges::stable_sort(candidates, {}, order);
  std::optional<SplitElements> found;
  for (std::size_t k = 1; k < candidates.size(); ++k) {
    const std::size_t i = candidates[k - 1], j = candidates[k];
    const Access &first = trace.accesses[i], &second = trace.accesses[j];
    const bool is_alike = first.memory == second.memory && first.kind == second.kind && first.context == second.context &&
                          first.bytes == second.bytes && first.alive == second.alive;
    // Both are those of a sample, which may have wrapped around.
    const bool is_behind = static_cast<std::uint64_t>(place_of(j)) - static_cast<std::uint64_t>(place_of(i)) == first.bytes;
    if (!is_alike || !is_behind) continue;
    if (view.patterns.accesses[i].lane_stride != view.patterns.accesses[j].lane_stride) continue;
    const std::uint32_t joint = 2 * first.bytes;
    if (!is_multiple_of(e, first.address, joint) || is_aligned(view.program, trace.memories[first.memory], joint)) continue;
    const bool is_better = !found || (first.loop != none && trace.accesses[found->first].loop == none);
    if (is_better) found = SplitElements{i, j, first.bytes};
  }
  return found;
}

}  // namespace frx::derive::cuda
