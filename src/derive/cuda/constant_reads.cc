#include "derive/cuda/constant_reads.h"

#include <algorithm>
#include <optional>
#include <set>

#include "derive/cuda/expression_parts.h"
#include "derive/warp/request.h"

namespace frx::derive::cuda {
namespace {

// lut[in[i]]: is a part of the address read from global or shared memory at a place of each lane?
bool is_chosen_by_lane(const Trace& trace, ExprId address) {
  const Expressions& e = trace.expressions;
  return has_part(e, address, [&](ExprId part) {
    const Expr& x = e[part];
    if (x.op != Op::load || !e.uses(x.a, Uses::thread_x)) return false;
    const Space space = trace.memories[x.b].space;
    return space == Space::global || space == Space::shared;
  });
}

// An array of less than the fewest words, whichever its data choose.
bool is_small(const Trace& trace, const Memory& memory, std::size_t fewest_words) {
  if (memory.bytes == 0 || memory.dims.empty()) return false;
  std::int64_t bytes = memory.bytes;
  for (const ExprId dim : memory.dims) {
    const std::optional<std::int64_t> extent = trace.expressions.constant_of(dim);
    if (!extent || *extent <= 0 || bytes > 4 * static_cast<std::int64_t>(fewest_words)) return false;
    bytes *= *extent;
  }
  return bytes < 4 * static_cast<std::int64_t>(fewest_words);
}

// Of the first warp: how many words of 4 bytes its lanes ask for; 0 where that is unknown.
std::size_t words_of_warp(const Lanes& lanes, ExprId address) {
  if (!lanes.is_known(address)) return 0;
  std::set<std::int64_t> words;
  for (std::uint32_t lane = 0; lane < std::min(lanes.count(), warp::lane_count); ++lane) words.insert(lanes.at(address, lane) / 4);
  return words.size();
}

}  // namespace

std::vector<std::uint32_t> spread_constant_reads(const Trace& trace, const Shape& block) {
  constexpr std::size_t fewest_words = 8;
  std::vector<std::uint32_t> found;
  std::optional<Lanes> odd, even;
  for (std::uint32_t i = 0; i < trace.accesses.size(); ++i) {
    const Access& access = trace.accesses[i];
    if (access.kind != Access::load || access.is_vague || trace.memories[access.memory].space != Space::constant) continue;
    const Expressions& e = trace.expressions;
    // Random numbers, and what was read at places that they chose, are of each lane its own.
    const bool is_of_lane = e.uses(access.address, Uses::varying) && !e.uses(access.address, Uses::opaque);
    if (is_of_lane || e.uses(access.address, Uses::loaded)) {
      const bool is_spread = is_of_lane || is_chosen_by_lane(trace, access.address);
      if (is_spread && !is_small(trace, trace.memories[access.memory], fewest_words)) found.push_back(i);
      continue;
    }
    if (!e.uses(access.address, Uses::thread) || e.uses(access.address, Uses::varying | Uses::opaque)) continue;
    if (!odd) {
      odd.emplace(e, Sample{.kind = Sample::large_odd, .block = block, .iteration = 0});
      even.emplace(e, Sample{.kind = Sample::large_even, .block = block, .iteration = 0});
    }
    if (words_of_warp(*odd, access.address) >= fewest_words && words_of_warp(*even, access.address) >= fewest_words) found.push_back(i);
  }
  return found;
}

}  // namespace frx::derive::cuda
