#include "derive/cuda/constant_reads.h"

#include <algorithm>
#include <optional>
#include <set>

#include "derive/cuda/expression_parts.h"
#include "derive/warp/request.h"

namespace frx::derive::cuda {
namespace {

// Of the first warp: how many words of 4 bytes its lanes ask for; 0 where that is unknown.
std::size_t words_of_warp(const Lanes& lanes, ExprId address) {
  if (!lanes.is_known(address)) return 0;
  std::set<std::int64_t> words;
  for (std::uint32_t lane = 0; lane < std::min(lanes.count(), warp::lane_count); ++lane) words.insert(lanes.at(address, lane) / 4);
  return words.size();
}

// lut[in[i]]: is a part of the address read from global or shared memory at a place of each lane? Not in[threadIdx.x / 32].
bool is_chosen_by_lane(const Trace& trace, ExprId address, const Lanes& lanes) {
  const Expressions& e = trace.expressions;
  return has_part(e, address, [&](ExprId part) {
    const Expr& x = e[part];
    if (x.op != Op::load || !e.uses(x.a, Uses::thread)) return false;
    const Space space = trace.memories[x.b].space;
    if (space != Space::global && space != Space::shared) return false;
    return lanes.is_known(x.a) ? words_of_warp(lanes, x.a) > 1 : e.uses(x.a, Uses::thread_x);
  });
}

// Does each thread draw random numbers of its own, by a state that lies where its number says?
bool draws_by_thread(const Trace& trace) {
  return std::ranges::any_of(trace.accesses, [&](const Access& access) {
    const std::string_view type = trace.memories[access.memory].type;
    return type.find("randState") != type.npos && trace.expressions.uses(access.address, Uses::thread_x);
  });
}

// An array of less than the fewest words, whichever its data choose.
bool is_small(const Trace& trace, const Memory& memory, std::int64_t fewest_words) {
  const std::int64_t fewest_bytes = 4 * fewest_words;
  if (memory.bytes == 0 || memory.dims.empty()) return false;
  std::int64_t bytes = memory.bytes;
  for (const ExprId dim : memory.dims) {
    const std::optional<std::int64_t> extent = trace.expressions.constant_of(dim);
    if (!extent || *extent <= 0 || *extent >= fewest_bytes || bytes >= fewest_bytes) return false;
    bytes *= *extent;
  }
  return bytes < fewest_bytes;
}

}  // namespace

std::vector<std::uint32_t> spread_constant_reads(const Trace& trace, const Shape& block) {
  constexpr std::size_t fewest_words = 8;
  const Expressions& e = trace.expressions;
  std::vector<std::uint32_t> found;
  std::optional<Lanes> odd, even;
  std::optional<bool> draws;
  for (std::uint32_t i = 0; i < trace.accesses.size(); ++i) {
    const Access& access = trace.accesses[i];
    if (access.kind != Access::load || access.is_vague || trace.memories[access.memory].space != Space::constant) continue;
    // Of what differs between threads, random numbers are known to differ within a warp, and what is read at places that they choose.
    const bool is_varying = e.uses(access.address, Uses::varying) && !e.uses(access.address, Uses::opaque);
    const bool is_loaded = e.uses(access.address, Uses::loaded);
    if (is_varying && !is_loaded && !draws) draws = draws_by_thread(trace);
    const bool is_affine = e.uses(access.address, Uses::thread) && !e.uses(access.address, Uses::varying | Uses::opaque);
    if (!is_loaded && !is_affine && !(is_varying && *draws)) continue;
    if (!odd) odd.emplace(e, Sample{.kind = Sample::large_odd, .block = block, .iteration = 0});
    if (is_loaded || is_varying) {
      const bool is_spread = !is_loaded || is_chosen_by_lane(trace, access.address, *odd);
      if (is_spread && !is_small(trace, trace.memories[access.memory], fewest_words)) found.push_back(i);
    } else if (words_of_warp(*odd, access.address) >= fewest_words) {
      if (!even) even.emplace(e, Sample{.kind = Sample::large_even, .block = block, .iteration = 0});
      if (words_of_warp(*even, access.address) >= fewest_words) found.push_back(i);
    }
  }
  return found;
}

}  // namespace frx::derive::cuda
