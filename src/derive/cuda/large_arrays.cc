#include "derive/cuda/large_arrays.h"

#include <algorithm>
#include <optional>

#include "derive/cuda/expression_parts.h"
#include "derive/cuda/loop_counts.h"

namespace frx::derive::cuda {
namespace {

// A thread can have 255 registers of 4 bytes, on all GPUs since 2012.
constexpr std::uint64_t bytes_of_registers = 255 * 4;

std::optional<std::uint64_t> bytes_of(const Trace& trace, const Memory& memory) {
  constexpr std::uint64_t most = std::uint64_t{1} << 32;
  if (memory.space != Space::local || memory.dims.empty() || memory.bytes == 0) return std::nullopt;
  std::uint64_t bytes = memory.bytes;
  for (const ExprId extent : memory.dims) {
    const auto size = trace.expressions.constant_of(extent);
    if (!size || *size <= 0 || static_cast<std::uint64_t>(*size) > most / bytes) return std::nullopt;
    bytes *= static_cast<std::uint64_t>(*size);
  }
  return bytes;
}

std::uint32_t outermost_loop(const Trace& trace, std::uint32_t loop) {
  while (loop != none && trace.loops[loop].parent != none) loop = trace.loops[loop].parent;
  return loop;
}

// How many bytes an access touches while the loops around it run whose iterations choose its place.
std::uint64_t bytes_touched(const Trace& trace, const Access& access, std::uint64_t most) {
  std::uint64_t bytes = trace.memories[access.memory].bytes;
  for (std::uint32_t l = access.loop; l != none && bytes < most; l = trace.loops[l].parent) {
    const Loop& loop = trace.loops[l];
    const bool moves = has_part(trace.expressions, access.address, [&](ExprId part) { return part == loop.iteration; });
    if (!moves) continue;
    const auto iterations = constant_iterations(trace.expressions, loop, static_cast<std::int64_t>(most));
    if (!iterations) return 0;
    bytes *= static_cast<std::uint64_t>(*iterations);
  }
  return std::min(bytes, most);
}

// What a loop reads and has not stored itself was kept somewhere before it. An array that only loads and stores of one loop name may be
// taken apart when that loop is unrolled.
bool is_kept_for(const Trace& trace, const Access& load, const std::vector<std::uint32_t>& accesses) {
  const std::uint32_t nest = outermost_loop(trace, load.loop);
  if (trace.memories[load.memory].is_passed) return true;
  return std::ranges::any_of(accesses, [&](std::uint32_t i) {
    const Access& other = trace.accesses[i];
    return other.kind == Access::store && other.loop != none && outermost_loop(trace, other.loop) != nest &&
           bytes_touched(trace, other, bytes_of_registers + 1) > bytes_of_registers;
  });
}

}  // namespace

LargeArray large_local_array(const Trace& trace) {
  LargeArray found;
  for (std::uint32_t m = 0; m < trace.memories.size(); ++m) {
    const auto bytes = bytes_of(trace, trace.memories[m]);
    if (!bytes || *bytes <= bytes_of_registers) continue;
    std::vector<std::uint32_t> accesses;
    for (std::uint32_t i = 0; i < trace.accesses.size(); ++i) {
      if (trace.accesses[i].memory == m) accesses.push_back(i);
    }
    for (const std::uint32_t i : accesses) {
      const Access& access = trace.accesses[i];
      if (access.kind != Access::load || access.loop == none) continue;
      if (bytes_touched(trace, access, bytes_of_registers + 1) > bytes_of_registers && is_kept_for(trace, access, accesses))
        found.accesses.push_back(i);
    }
    if (found.accesses.empty()) continue;
    found.memory = m;
    found.bytes = *bytes;
    return found;
  }
  return found;
}

}  // namespace frx::derive::cuda
