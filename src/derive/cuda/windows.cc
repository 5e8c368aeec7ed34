#include "derive/cuda/windows.h"

#include <algorithm>
#include <map>
#include <optional>

#include "derive/cuda/expression_parts.h"
#include "derive/cuda/loop_counts.h"

namespace frx::derive::cuda {
namespace {

constexpr std::int64_t many = 16;        // iterations of a loop whose number is unknown, or larger
constexpr std::int64_t least_reads = 9;  // of each element, by as many threads: fewer are no reason for a tile
constexpr std::size_t most_loops = 64;

// How far apart the coordinates of neighbouring threads are in an image of another size is unknown: x * width / other_width.
bool is_scaled(const Expressions& e, ExprId address) {
  return e.uses(address, Uses::floating) || has_part(e, address, [&](ExprId part) {
           return e[part].op == Op::div && !e.constant_of(e[part].b) && e.uses(e[part].a, Uses::thread);
         });
}

bool may_be_windowed(const Trace& trace, const Access& access) {
  const Expressions& e = trace.expressions;
  const bool is_global_load = access.kind == Access::load && trace.memories[access.memory].space == Space::global;
  return is_global_load && access.loop != none && e.uses(access.address, Uses::thread_x) && e.uses(access.address, Uses::iteration) &&
         !is_scaled(e, access.address);
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

}  // namespace

std::vector<std::size_t> windowed_loads(const Trace& trace, const Shape& block) {
  std::vector<std::size_t> candidates, found;
  for (std::size_t i = 0; i < trace.accesses.size(); ++i) {
    if (may_be_windowed(trace, trace.accesses[i])) candidates.push_back(i);
  }
  if (candidates.empty() || trace.loops.size() > most_loops) return found;
  const Lanes now(trace.expressions, {Sample::large_odd, block});
  std::map<std::size_t, std::int64_t> reads;  // of each element, by candidate
  for (std::uint32_t l = 0; l < trace.loops.size(); ++l) {
    std::optional<Lanes> next;  // one iteration later
    for (const std::size_t i : candidates) {
      const Access& access = trace.accesses[i];
      if (i < trace.loops[l].first_access || i >= trace.loops[l].last_access || !now.is_known(access.address)) continue;
      if (!next) next.emplace(trace.expressions, Sample{Sample::large_odd, block, trace.loops[l].iteration});
      if (!next->is_known(access.address)) continue;
      const std::int64_t step = next->at(access.address, 0) - now.at(access.address, 0);
      const Strides strides = strides_of(now, access.address, block);
      if (step == 0 || strides.x == 0 || (step != strides.x && step != strides.y)) continue;
      std::int64_t& count = reads.try_emplace(i, 1).first->second;
      count = std::min<std::int64_t>(count * constant_iterations(trace.expressions, trace.loops[l], many).value_or(many), least_reads);
    }
  }
  for (const auto& [i, count] : reads) {
    if (count >= least_reads) found.push_back(i);
  }
  return found;
}

}  // namespace frx::derive::cuda
