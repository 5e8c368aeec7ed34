#include "derive/cuda/windows.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "derive/cuda/expression_parts.h"
#include "derive/cuda/loop_counts.h"

namespace frx::derive::cuda {
namespace {

constexpr std::int64_t many = 16;        // iterations of a loop whose number is unknown, or larger
constexpr std::int64_t least_reads = 9;  // of each element, by as many threads: fewer are no reason for a tile
constexpr std::size_t most_loops = 64;

// How far apart the coordinates of neighbouring threads are in an image of another size is unknown: x * width / other_width. That of
// i / width * width + i % width is known.
bool is_scaled(const Expressions& e, ExprId address) {
  if (e.uses(address, Uses::floating)) return true;
  constexpr int most_of_row = 16;
  std::set<ExprId> quotients, rows;
  has_part(e, address, [&](ExprId part) {
    const Expr& x = e[part];
    if (x.op == Op::div && !e.constant_of(x.b) && e.uses(x.a, Uses::thread)) quotients.insert(part);
    return false;
  });
  if (quotients.empty()) return false;
  has_part(e, address, [&](ExprId part) {
    const Expr& x = e[part];
    if (x.op != Op::mul) return false;
    for (const auto& [row, factor] : {std::pair(x.a, x.b), std::pair(x.b, x.a)}) {
      walk_parts(e, row, most_of_row, [&, factor = factor](ExprId of, const Expr& y) -> std::optional<Operands> {
        if (y.op == Op::div && y.b == factor) rows.insert(of);
        return Operands::all_of(y);
      });
    }
    return false;
  });
  return !std::ranges::includes(rows, quotients);
}

bool may_be_windowed(const Trace& trace, const Access& access) {
  const Expressions& e = trace.expressions;
  const bool is_global_load = access.kind == Access::load && trace.memories[access.memory].space == Space::global;
  return is_global_load && e.uses(access.address, Uses::thread_x) && !is_scaled(e, access.address);
}

bool is_moved_by_loops(const Trace& trace, const Access& access) {
  return access.loop != none && trace.expressions.uses(access.address, Uses::iteration);
}

// The bytes from the first thread of a block to the next one along x, and along y where the block has several rows.
struct Strides {
  std::int64_t x = 0, y = 0;
};

Strides strides_of(const Lanes& lanes, ExprId address, const Shape& block) {
  Strides strides;
  if (block.x > 1 && lanes.count() > 1) strides.x = lanes.at(address, 1) - lanes.at(address, 0);
  // The first threads are sampled one after the other.
  const bool has_row = block.y > 1 && block.x < lanes.count() && lanes.thread_of(block.x) == block.x;
  if (has_row) strides.y = lanes.at(address, block.x) - lanes.at(address, 0);
  return strides;
}

// p[-1] + p[0] + p[1] + ...: loads of one array, by most of which each thread reads what its neighbours read by others.
std::vector<std::size_t> written_out(const Trace& trace, const Lanes& lanes, const Shape& block,
                                     const std::vector<std::size_t>& candidates) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::size_t>> groups;  // by memory and loop
  for (const std::size_t i : candidates) {
    const Access& access = trace.accesses[i];
    if (lanes.is_known(access.address)) groups[{access.memory, access.loop}].push_back(i);
  }
  std::vector<std::size_t> found;
  for (const auto& [key, group] : groups) {
    std::unordered_map<std::int64_t, std::size_t> places;  // of the first thread, and a load of it
    for (const std::size_t i : group) places.emplace(lanes.at(trace.accesses[i].address, 0), i);
    if (places.size() < static_cast<std::size_t>(least_reads)) continue;
    std::size_t shared = 0;
    for (const auto& [place, i] : places) {
      const Strides strides = strides_of(lanes, trace.accesses[i].address, block);
      shared += (strides.x != 0 && places.contains(place + strides.x)) + (strides.y != 0 && places.contains(place + strides.y));
    }
    // Those at the ends of the window have a neighbour on one side only.
    if (shared + 2 >= places.size()) found.insert(found.end(), group.begin(), group.end());
  }
  return found;
}

// for (k = -radius; k <= radius; ++k): the iterations in which such loops are at 0, where no clamp to the borders changes an index.
std::vector<std::pair<ExprId, std::int64_t>> middles_of(const Trace& trace, const Shape& block) {
  constexpr std::int64_t first = 0;
  std::vector<std::pair<ExprId, std::int64_t>> middles;
  std::optional<Lanes> at_first;
  for (const Loop& loop : trace.loops) {
    const Expressions& e = trace.expressions;
    const Expr& test = e[loop.condition];
    if ((test.op != Op::lt && test.op != Op::le) || !e.uses(test.a, Uses::iteration)) continue;
    const auto is_negative = [&](ExprId part) {
      return e[part].op == Op::neg || e[part].op == Op::sub || e.constant_of(part).value_or(0) < 0;
    };
    if (!has_part(e, test.a, is_negative)) continue;
    if (!at_first) at_first.emplace(trace.expressions, Sample{.kind = Sample::large_odd, .block = block, .iteration = first});
    if (at_first->is_known(test.a) && at_first->at(test.a, 0) < 0) middles.emplace_back(loop.iteration, -at_first->at(test.a, 0));
  }
  return middles;
}

}  // namespace

Windows windowed_loads(const Trace& trace, const Shape& block) {
  std::vector<std::size_t> candidates, moved;
  Windows found;
  for (std::size_t i = 0; i < trace.accesses.size(); ++i) {
    if (!may_be_windowed(trace, trace.accesses[i])) continue;
    candidates.push_back(i);
    if (is_moved_by_loops(trace, trace.accesses[i])) moved.push_back(i);
  }
  if (candidates.empty() || trace.loops.size() > most_loops) return found;
  if (moved.empty() && candidates.size() < static_cast<std::size_t>(least_reads)) return found;
  Sample middle{Sample::large_odd, block};
  middle.iterations = middles_of(trace, block);
  const Lanes now(trace.expressions, middle);
  std::map<std::size_t, std::int64_t> reads;  // of each element, by candidate
  for (std::uint32_t l = 0; l < trace.loops.size(); ++l) {
    std::optional<Lanes> next;  // one iteration later
    for (const std::size_t i : moved) {
      const Access& access = trace.accesses[i];
      if (i < trace.loops[l].first_access || i >= trace.loops[l].last_access || !now.is_known(access.address)) continue;
      if (!next) {
        Sample later = middle;
        later.one_more = trace.loops[l].iteration;
        next.emplace(trace.expressions, later);
      }
      if (!next->is_known(access.address)) continue;
      const std::int64_t step = next->at(access.address, 0) - now.at(access.address, 0);
      const Strides strides = strides_of(now, access.address, block);
      // A convolution walks backwards.
      const auto is_one_step = [&](std::int64_t stride) { return std::abs(step) == std::abs(stride); };
      if (step == 0 || strides.x == 0 || (!is_one_step(strides.x) && !is_one_step(strides.y))) continue;
      std::int64_t& count = reads.try_emplace(i, 1).first->second;
      count = std::min<std::int64_t>(count * constant_iterations(trace.expressions, trace.loops[l], many).value_or(many), least_reads);
    }
  }
  for (const auto& [i, count] : reads) {
    if (count >= least_reads) found.loads.push_back(i);
  }
  if (!found.loads.empty()) return found;
  found.loads = written_out(trace, now, block, candidates);
  found.are_written_out = !found.loads.empty();
  return found;
}

}  // namespace frx::derive::cuda
