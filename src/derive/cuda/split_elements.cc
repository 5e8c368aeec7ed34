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
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "derive/cuda/access_cost.h"
#include "derive/cuda/loop_counts.h"

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

constexpr std::uint32_t bytes_of_word = 4;

bool is_of_own_bytes(const KernelView& view, std::size_t i) {
  const Access& access = view.trace.accesses[i];
  const AccessPattern& pattern = view.patterns.accesses[i];
  const bool is_apart = pattern.kind == AccessPattern::spread || pattern.is_record || pattern.is_own_row;
  return access.bytes == 1 && !access.is_guess && !access.is_vague && access.kind != Access::atomic && is_global(view, i) && is_apart &&
         !is_of_one_thread(view.trace, access);
}

// Does each iteration of the innermost loop go on to the next byte?
bool is_walked_by_bytes(const KernelView& view, const Access& access) {
  const auto iterations = constant_iterations(view.trace.expressions, view.trace.loops[access.loop], bytes_of_word);
  if (iterations && *iterations < bytes_of_word) return false;
  const Lanes now(view.trace.expressions, {Sample::large_odd, view.block});
  const Lanes next(view.trace.expressions, {Sample::large_odd, view.block, view.trace.loops[access.loop].iteration});
  if (!now.is_known(access.address) || !next.is_known(access.address)) return false;
  const std::uint64_t step = static_cast<std::uint64_t>(next.at(access.address, 0)) - static_cast<std::uint64_t>(now.at(access.address, 0));
  return step == 1 || step == ~std::uint64_t{0};
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

std::optional<std::size_t> bytes_one_by_one(const KernelView& view) {
  constexpr std::size_t most_walks = 16;
  std::map<std::tuple<std::uint32_t, Access::Kind, std::uint32_t>, std::set<std::uint64_t>> places;  // by memory, kind and context
  std::set<std::pair<std::uint32_t, ExprId>> walks;                                                  // loops, and addresses in them
  for (std::size_t i = 0; i < view.trace.accesses.size(); ++i) {
    if (!is_of_own_bytes(view, i)) continue;
    const Access& access = view.trace.accesses[i];
    std::set<std::uint64_t>& seen = places[{access.memory, access.kind, access.context}];
    const auto place = static_cast<std::uint64_t>(view.patterns.accesses[i].first_address);
    seen.insert(place);
    std::uint64_t first = place, last = place;
    while (place - first < bytes_of_word && seen.contains(first - 1)) --first;
    while (last - first + 1 < bytes_of_word && seen.contains(last + 1)) ++last;
    if (last - first + 1 >= bytes_of_word) return i;
    const bool is_new = access.loop != none && walks.size() < most_walks && walks.emplace(access.loop, access.address).second;
    if (is_new && is_walked_by_bytes(view, access)) return i;
  }
  return std::nullopt;
}

}  // namespace frx::derive::cuda
