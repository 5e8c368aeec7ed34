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

bool is_large_part(const Trace& trace, const Access& access) {
  return access.loop != none && bytes_touched(trace, access, bytes_of_registers + 1) > bytes_of_registers;
}

// The nests of loops that store more than the registers hold: one of them, and whether there are others.
struct Writers {
  std::uint32_t nest = none;
  bool has_others = false;

  void add(std::uint32_t other) {
    has_others = has_others || (nest != none && nest != other);
    nest = other;
  }
  bool has_another_than(std::uint32_t one) const { return has_others || (nest != none && nest != one); }
};

}  // namespace

// What a loop reads and has not stored itself was kept somewhere before it. An array that only loads and stores of one loop name may be
// taken apart when that loop is unrolled.
LargeArray large_local_array(const Trace& trace) {
  std::vector<std::uint64_t> bytes(trace.memories.size());  // 0: not large
  for (std::size_t m = 0; m < bytes.size(); ++m) {
    const std::uint64_t all = bytes_of(trace, trace.memories[m]).value_or(0);
    if (all > bytes_of_registers) bytes[m] = all;
  }
  std::vector<Writers> writers(bytes.size());
  for (const Access& access : trace.accesses) {
    if (bytes[access.memory] > 0 && access.kind == Access::store && is_large_part(trace, access))
      writers[access.memory].add(outermost_loop(trace, access.loop));
  }
  LargeArray found;
  for (std::uint32_t i = 0; i < trace.accesses.size(); ++i) {
    const Access& access = trace.accesses[i];
    const std::uint32_t m = access.memory;
    if (bytes[m] == 0 || access.kind != Access::load || m > found.memory || !is_large_part(trace, access)) continue;
    if (!trace.memories[m].is_passed && !writers[m].has_another_than(outermost_loop(trace, access.loop))) continue;
    if (m != found.memory) found = {m, bytes[m], {}};
    found.accesses.push_back(i);
  }
  return found;
}

}  // namespace frx::derive::cuda
