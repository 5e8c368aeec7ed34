// Facts about shared memory, and about matrix products and tensor cores.
#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "derive/cuda/expression_parts.h"
#include "derive/cuda/fact_list.h"
#include "derive/cuda/matmul.h"
#include "derive/cuda/shared_bounds.h"
#include "derive/cuda/unset_shared.h"
#include "derive/cuda/variants.h"

namespace frx::derive::cuda {
namespace {

using model::CodeSubject;
using Id = model::CodeFactId;
using model::cuda::Kernel;
using model::cuda::SharedArray;

// Of the block that a launch has; one that is only assumed may be larger than any.
void add_bounds(const KernelView& view, CodeSubject& into) {
  if (!view.is_block_launched) return;
  const std::vector<BeyondShared> found = accesses_beyond_shared(view.trace, view.block);
  Places places(view);
  for (const BeyondShared& one : found) places.add(view.trace.accesses[one.access].at);
  into.set(Id::reaches_beyond_shared, !found.empty(), places.take());
  if (found.empty()) return;
  const BeyondShared& first = found.front();
  const Access& access = view.trace.accesses[first.access];
  const std::string where = first.byte < 0 ? fmt::format("begins {} bytes before", -first.byte)
                                           : fmt::format("ends {} bytes behind the {} of", first.byte - first.bytes, first.bytes);
  into.set(Id::beyond_shared_text, fmt::format("In a block of {} threads `{}` {} the shared array `{}`", view.block.threads(),
                                               access_text(view, access), where, view.trace.memories[access.memory].name));
}

void add_unset(const KernelView& view, CodeSubject& into) {
  const std::optional<std::uint32_t> found = unset_shared_read(view);
  Places places(view);
  if (found) places.add(view.trace.accesses[*found].at);
  into.set(Id::reads_unset_shared, found.has_value(), places.take());
  if (found) into.set(Id::unset_shared_text, access_text(view, view.trace.accesses[*found]));
}

// Only memory that is written and read through a single address expression certainly stays with the thread that writes it.
bool global_may_be_exchanged(const Trace& trace) {
  struct Addresses {
    ExprId address = 0;
    bool is_one = true, is_written = false, is_seen = false;
  };
  std::vector<Addresses> addresses(trace.memories.size());
  for (const Access& access : trace.accesses) {
    if (trace.memories[access.memory].space != Space::global) continue;
    Addresses& used = addresses[access.memory];
    const bool is_own = trace.expressions.uses(access.address, Uses::thread) &&
                        !trace.expressions.uses(access.address, Uses::varying | Uses::opaque) &&
                        !holds_loop_value(trace.expressions, access.address);
    used.is_one = used.is_one && is_own && (!used.is_seen || used.address == access.address);
    used.address = access.address;
    used.is_seen = true;
    used.is_written = used.is_written || access.kind != Access::load;
  }
  return std::ranges::any_of(addresses, [](const Addresses& used) { return used.is_written && !used.is_one; });
}

// Threads that do not know their numbers all write the same.
bool knows_thread_numbers(const KernelView& view) {
  const Expressions& e = view.trace.expressions;
  if (view.trace.calls_unknown || view.names.thread_number_in_assembly) return true;
  for (ExprId id = 0; id < e.size(); ++id) {
    if (e.uses(id, Uses::thread | Uses::opaque)) return true;
  }
  return false;
}

void add_exchanges(const KernelView& view, CodeSubject& into) {
  bool threads = false, warps = false;
  for (std::size_t m = 0; m < view.trace.memories.size(); ++m) {
    const Patterns::Exchange& exchange = view.patterns.exchanges[m];
    if (view.trace.memories[m].space == Space::shared) {
      threads = threads || exchange.between_threads;
      warps = warps || exchange.between_warps;
    }
  }
  threads = threads && knows_thread_numbers(view);
  warps = warps && threads;
  const bool global = view.trace.uses_fences || global_may_be_exchanged(view.trace);
  // Which exchanges the lockstep of a wavefront orders is not known here.
  if (!view.source().is_hip) into.set(Id::shared_crosses_threads, threads);
  into.set(Id::shared_crosses_warps, warps);
  into.set(Id::global_crosses_threads, global);
}

// Accesses to members of vectors, by what they have in common, and the members: s[i].x = ...; s[i].y = ...; with all of them, they are one
// access as wide as the vector, and its passes move nothing but what is asked for.
class VectorMembers {
 public:
  explicit VectorMembers(const KernelView& view) : view_(view) {
    for (std::size_t i = 0; i < view.trace.accesses.size(); ++i) {
      if (const char member = member_of(i); member != 0) members_[key_of(i)].insert(member);
    }
  }

  bool are_one_access(std::size_t i) const {
    const Access& access = view_.trace.accesses[i];
    const std::int64_t stride = std::abs(view_.patterns.accesses[i].lane_stride.value_or(0));
    if (member_of(i) == 0 || access.bytes == 0 || stride == 0 || stride > 16) return false;
    return members_.at(key_of(i)).size() * access.bytes >= static_cast<std::uint64_t>(stride);
  }

 private:
  using Key = std::tuple<std::uint32_t, std::uint32_t, Access::Kind>;
  Key key_of(std::size_t i) const {
    const Access& access = view_.trace.accesses[i];
    return {access.memory, access.context, access.kind};
  }
  // 'x' for s[i].x; 0 for anything else.
  char member_of(std::size_t i) const {
    const NodeRef at = view_.trace.accesses[i].at;
    const Source& source = view_.program.sources()[at.source];
    if (!source.syntax.is(at.node, NodeKind::field_expression)) return 0;
    const std::string_view name = source.text_of(source.syntax.child(at.node, Role::field));
    return name.size() == 1 && std::string_view("xyzw").find(name) != std::string_view::npos ? name[0] : '\0';
  }

  const KernelView& view_;
  std::map<Key, std::set<char>> members_;
};

void add_conflicts(const KernelView& view, CodeSubject& into) {
  std::optional<VectorMembers> vectors;  // few kernels have a conflict at all
  Places places(view);
  std::uint32_t ways = 1;
  std::string name;
  bool in_loop = false;
  for (std::size_t i = 0; i < view.trace.accesses.size(); ++i) {
    const Memory& memory = view.trace.memories[view.trace.accesses[i].memory];
    const std::uint32_t here = view.patterns.accesses[i].bank_ways;
    // A two-way conflict is worth reporting only when the access is executed often.
    if (memory.space != Space::shared || here < (view.trace.accesses[i].loop == none ? 4 : 2)) continue;
    // Where rows of a size that the launch passes follow one another, two of them may lie side by side.
    if (here == 2 && view.trace.expressions.uses(view.trace.accesses[i].address, Uses::uniform)) continue;
    if (!vectors) vectors.emplace(view);
    if (vectors->are_one_access(i)) continue;
    places.add(view.trace.accesses[i].at);
    in_loop = in_loop || view.trace.accesses[i].loop != none;
    if (here > ways) name = memory.name;
    ways = std::max(ways, here);
  }
  const bool any = places.any();
  into.set(Id::bank_conflict_risk, any, places.take());
  if (!any) return;
  into.set(Id::bank_conflict_ways, static_cast<double>(ways));
  into.set(Id::bank_conflict_array, name);
  into.set(Id::bank_conflict_in_loop, in_loop);
}

// 33 is 32 with one element of padding; 40 is 32 with eight.
bool is_multiple(std::int64_t extent, std::int64_t of, bool may_be_padded) {
  if (extent % of == 0) return true;
  for (const std::int64_t pad : {1, 2, 4, 8, 16}) {
    if (may_be_padded && extent - pad >= 16 && (extent - pad) % of == 0) return true;
  }
  return false;
}

std::string unfriendly(const Kernel& kernel, std::int64_t of) {
  std::string all;
  for (const SharedArray& array : kernel.shared_memory) {
    if (array.dims.size() < 2) continue;
    for (std::size_t d = 0; d < array.dims.size(); ++d) {
      const std::optional<std::int64_t> extent = array.dims[d];
      if (!extent || *extent <= 8 || is_multiple(*extent, of, d + 1 == array.dims.size())) continue;
      all += fmt::format("{}{} of {}", all.empty() ? "" : ", ", *extent, array.name);
    }
  }
  return all;
}

}  // namespace

void add_shared_facts(const KernelView& view, const Kernel& kernel, CodeSubject& into) {
  std::vector<model::TextPlace> declared;
  for (const SharedArray& array : kernel.shared_memory) declared.push_back(array.place);
  const bool any = !declared.empty();
  if (any || !(view.names.shared_helper || view.trace.shared_escapes || view.trace.calls_unknown)) {
    into.set(Id::has_shared, any, declared);
  }
  into.set(Id::shared_memory_tiling, any);
  add_exchanges(view, into);
  add_conflicts(view, into);
  add_bounds(view, into);
  add_unset(view, into);
  if (const auto bytes = static_shared_bytes(kernel)) {
    const std::uint64_t all = *bytes + view.dynamic_shared_bytes;
    into.set(Id::max_shared_bytes, static_cast<double>(all), declared);
    // 100 KB for 1,536 threads are the least that an SM has since sm_80, and 1 KB of each block is the system's.
    constexpr std::uint64_t bytes_of_sm = 100 * 1024, bytes_of_system = 1024, half_of_threads = 768;
    if (view.is_block_launched)
      into.set(Id::shared_leaves_half, bytes_of_sm / (all + bytes_of_system) * view.block.threads() >= half_of_threads);
  }
}

void add_matmul_facts(const KernelView& view, const Kernel& kernel, CodeSubject& into) {
  Places places(view);
  for (const NodeRef at : matrix_products(view.program, view.trace, false)) places.add(at);
  const bool is_direct = places.any();
  const std::vector<NodeRef> of_tiles = matrix_products(view.program, view.trace, true);
  const bool in_tiles = !of_tiles.empty();
  for (const NodeRef at : of_tiles) places.add(at);
  into.set(Id::has_matmul, is_direct || in_tiles, places.take());
  into.set(Id::matmul_in_tiles, !is_direct && in_tiles);
  Places single(view);
  for (const NodeRef at : in_tiles ? single_element_products(view.program, view.trace) : std::vector<NodeRef>()) single.add(at);
  into.set(Id::has_single_element_product, single.any(), single.take());
  into.set(Id::is_baseline, is_baseline(view.program, view.function));
  into.set(Id::has_tc, view.names.tensor_api);
  into.set(Id::has_fp16, view.names.half_types);
  // Tiles matter where a matrix product goes through them; 64 is the height of a warpgroup's tile.
  const bool through_tiles = view.names.tensor_api || in_tiles;
  const auto set_unfriendly = [&](model::CodeFactId fact, model::CodeFactId words, std::int64_t of) {
    const std::string dims = through_tiles ? unfriendly(kernel, of) : "";
    into.set(fact, !dims.empty());
    into.set(words, dims);
  };
  set_unfriendly(Id::tc_unfriendly_dims, Id::tc_unfriendly_dims_str, 16);
  set_unfriendly(Id::tc_unfriendly_dims_hopper, Id::tc_unfriendly_dims_hopper_str, view.names.warpgroup_mma ? 64 : 16);
}

CodeSubject facts_of(const KernelView& view, const Kernel& kernel) {
  CodeSubject subject;
  subject.scope = CodeSubject::Scope::kernel;
  subject.kernel = kernel.name;
  subject.place = kernel.place;
  // Nothing is concluded about code that was followed only in part.
  if (!view.trace.is_complete) return subject;
  add_memory_facts(view, subject);
  add_guard_facts(view, subject);
  add_control_facts(view, subject);
  add_branch_facts(view, subject);
  add_shared_facts(view, kernel, subject);
  add_synchronization_facts(view, subject);
  add_matmul_facts(view, kernel, subject);
  add_arithmetic_facts(view, subject);
  add_accumulator_facts(view, subject);
  add_reload_facts(view, subject);
  add_thread_facts(view, subject);
  subject.set(Id::local_var_count, static_cast<double>(kernel.live_scalars));
  return subject;
}

}  // namespace frx::derive::cuda
