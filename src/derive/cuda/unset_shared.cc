#include "derive/cuda/unset_shared.h"

#include <vector>

namespace frx::derive::cuda {
namespace {

bool is_looked_at(const Memory& memory) {
  return memory.space == Space::shared && !memory.is_passed && !memory.is_object && !memory.holds_pointers;
}

// Behind `if (k > 0)`, and in an inner loop that has no iterations at first, an iteration may read what the one before has stored.
// `is_set`: some access stores there.
bool may_follow_store(const Trace& trace, const Access& read, bool is_set) {
  const auto decides = [&](ExprId condition) { return trace.expressions.constant_of(condition) != 1; };
  return is_set && read.loop != none && (trace.loops[read.loop].parent != none || is_decided_by(trace, read, decides));
}

// m[r][c] = x, where the layout of m is not seen: what looks like a load of m[r] is part of where the store goes.
bool is_of_store(const KernelView& view, const Access& read) {
  const model::cuda::Syntax& syntax = view.program.sources()[read.at.source].syntax;
  std::uint32_t n = read.at.node;
  for (int depth = 0; depth < 16 && n != none; ++depth, n = syntax[n].parent) {
    const std::uint32_t around = syntax[n].parent;
    if (around == none || syntax.is(n, NodeKind::argument_list) || syntax[n].role == Role::indices) return false;
    if (syntax.is(around, NodeKind::assignment)) return syntax[n].role == Role::left && n != read.at.node;
  }
  return false;
}

}  // namespace

std::optional<std::uint32_t> unset_shared_read(const KernelView& view) {
  const Trace& trace = view.trace;
  // Instructions that are written out may write to any memory.
  const bool may_be_set_unseen = trace.calls_unknown || trace.shared_escapes || trace.uses_groups || trace.uses_assembly;
  if (!trace.is_complete || may_be_set_unseen) return std::nullopt;
  std::vector<bool> is_decided(trace.memories.size()), is_set(trace.memories.size());  // by its first access; by one that adds nothing
  bool has_dynamic = false;                                                            // all arrays of dynamic memory begin at one place
  for (const Access& access : trace.accesses) {
    if ((access.kind == Access::store && !access.is_update) || access.is_exchange) is_set[access.memory] = true;
  }
  for (std::uint32_t i = 0; i < trace.accesses.size(); ++i) {
    const Access& access = trace.accesses[i];
    const Memory& memory = trace.memories[access.memory];
    if (!is_looked_at(memory) || is_decided[access.memory] || (memory.is_dynamic && has_dynamic)) continue;
    is_decided[access.memory] = true;
    has_dynamic = has_dynamic || memory.is_dynamic;
    const bool reads = access.kind == Access::load || (access.kind == Access::atomic && !access.is_exchange);
    if (reads && !is_of_store(view, access) && !may_follow_store(trace, access, is_set[access.memory])) return i;
  }
  return std::nullopt;
}

}  // namespace frx::derive::cuda
