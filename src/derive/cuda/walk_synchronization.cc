// Calls that order threads, or that several threads have to make together.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "derive/cuda/walker_depth.h"

namespace frx::derive::cuda {

void Walker::note_order(OrderSite::Kind kind) {
  if (!quiet_) trace_.orders.push_back({kind, static_cast<std::uint32_t>(trace_.accesses.size())});
}

// Code that cannot be followed may synchronise.
void Walker::note_unknown_order() {
  trace_.may_synchronize = true;
  note_order(OrderSite::unknown);
}

BarrierSite Walker::barrier_site(std::uint32_t node) {
  BarrierSite site;
  site.at = stands_at_.node == none ? ref(node) : stands_at_;
  site.context = context_;
  site.loop = loop_;
  site.alive = e_.binary(Op::logical_and, returned_, left_);
  site.stays = e_.binary(Op::logical_and, stays_, left_);
  site.runs = runs_;
  site.accesses = static_cast<std::uint32_t>(trace_.accesses.size());
  return site;
}

BarrierSite* Walker::note_barrier(std::uint32_t node) {
  if (quiet_) return nullptr;
  trace_.barriers.push_back(barrier_site(node));
  note_order(OrderSite::block);
  return &trace_.barriers.back();
}

// cub::BlockReduce<float, 256>(storage).Sum(x) and cub::WarpReduce<float>(storage).Sum(x), also by the name of an alias.
void Walker::note_block_collective(std::uint32_t object, std::uint32_t node) {
  if (quiet_ || !syntax().is(object, NodeKind::call)) return;
  const std::uint32_t name = name_in(source(), syntax().child(object, Role::function));
  if (name == none) return;
  const std::string_view alias = program_.alias(text(name));
  const auto is_of = [&](std::string_view part) {
    return text(name).find(part) != std::string_view::npos || alias.find(part) != std::string_view::npos;
  };
  if (is_of("BlockReduce") || is_of("BlockScan") || is_of("BlockRadixSort")) trace_.collectives.push_back(barrier_site(node));
  // Of all 32 lanes, unless a second argument of the template says how many make it together.
  const std::string_view type = alias.empty() ? text(syntax().child(object, Role::function)) : alias;
  const bool is_of_warp = type.find("WarpReduce<") != std::string_view::npos || type.find("WarpScan<") != std::string_view::npos;
  if (is_of_warp && type.find(',') == std::string_view::npos) note_object_collective(32, node);
}

void Walker::note_object_collective(std::uint32_t lanes, std::uint32_t node) {
  if (quiet_) return;
  WarpCollective site;
  site.at = ref(node);
  site.context = context_;
  site.stays = e_.binary(Op::logical_and, stays_, left_);
  site.runs = runs_;
  site.lanes = lanes;
  site.is_of_object = true;
  trace_.warp_collectives.push_back(site);
}

// In the condition of a loop or branch it decides; in a statement of its own it does not. What a function returns is what its call stands
// for: bool try_lock() { return atomicCAS(&state, 0, 1) == 0; }
void Walker::note_exchange(std::string_view name, std::uint32_t access, std::uint32_t node) {
  if (access == none || (name != "atomicCAS" && name != "atomicExch")) return;
  trace_.accesses[access].is_exchange = true;
  NodeRef at = ref(node);
  std::size_t frame = frames_.size();
  for (int steps = 0; steps < 24 && at.node != none; ++steps) {
    const model::cuda::Syntax& there = program_.sources()[at.source].syntax;
    if (there[at.node].role == Role::condition) {
      trace_.exchanges.push_back({access, true});
      return;
    }
    at.node = there[at.node].parent;
    if (at.node == none || there.is(at.node, NodeKind::expression_statement)) break;
    if (there.is(at.node, NodeKind::return_statement)) at = frame == 0 ? NodeRef{} : frames_[--frame].call;
  }
  if (at.node != none && at.source == source_ && syntax()[node].parent == at.node) trace_.exchanges.push_back({access, false});
}

void Walker::note_warp_barrier(std::uint32_t node) {
  if (quiet_) return;
  trace_.warp_barriers.push_back(ref(node));
  note_order(OrderSite::warp);
}

void Walker::note_warp_collective(std::string_view name, const std::vector<Value>& arguments, std::uint32_t node) {
  note_order(OrderSite::warp);
  if (quiet_ || !name.ends_with("_sync") || arguments.empty()) return;
  WarpCollective site;
  site.at = ref(node);
  site.context = context_;
  site.stays = e_.binary(Op::logical_and, stays_, left_);
  site.runs = runs_;
  site.mask = e_.constant_of(arguments[0].expr);
  constexpr std::size_t width = 3;  // the argument by which groups of fewer lanes shuffle
  const bool is_of_warp = arguments.size() <= width || e_.constant_of(arguments[width].expr) == 32;
  site.reads_ahead = is_of_warp && (name == "__shfl_down_sync" || name == "__shfl_xor_sync");
  trace_.warp_collectives.push_back(site);
}

void Walker::note_legacy_collective(std::string_view name, std::uint32_t node) {
  constexpr std::array<std::string_view, 7> names{"__shfl", "__shfl_up", "__shfl_down", "__shfl_xor", "__any", "__all", "__ballot"};
  constexpr std::size_t most = 16;  // for each of which a file may be searched
  if (quiet_ || source().is_hip || std::ranges::find(names, name) == names.end() || trace_.legacy_collectives.size() >= most) return;
  if (program_.first_device_function(name) != none) return;
  // A file that has the operation with a mask as well chooses between them by the compiler.
  if (!source().mentions(std::string(name) + "_sync")) trace_.legacy_collectives.push_back(ref(node));
}

std::optional<Value> Walker::eval_synchronization(std::string_view name, const std::vector<Value>& arguments, std::uint32_t node) {
  if (name == "__syncthreads" || name == "__syncblock") {
    note_barrier(node);
    return Value{};
  }
  // A named barrier may be of a part of the block.
  if (name == "__barrier_sync" || name == "__barrier_sync_count") {
    if (BarrierSite* const site = note_barrier(node)) site->is_named = true;
    return Value{};
  }
  if (name == "__syncthreads_or" || name == "__syncthreads_and" || name == "__syncthreads_count") {
    if (BarrierSite* const site = note_barrier(node)) site->is_collective = true;
    return with(e_.fresh(Op::uniform));
  }
  if (name == "__syncwarp") {
    note_warp_barrier(node);
    return Value{};
  }
  const bool takes_group = !arguments.empty() && arguments[0].kind == Value::group;
  if (takes_group && (name == "sync" || name == "wait" || name == "wait_prior" || name == "synchronize")) {
    note_group_barrier(arguments[0], node);
    return Value{};
  }
  if (name.starts_with("__threadfence") || name.find("fence") != name.npos) {
    trace_.uses_fences = true;
    note_order(OrderSite::fence);
  }
  note_legacy_collective(name, node);
  if (name.starts_with("__shfl") || name.starts_with("__reduce_")) {
    trace_.uses_shuffles = true;
    note_warp_collective(name, arguments, node);
    return with(e_.opaque());
  }
  if (name.starts_with("__ballot") || name.starts_with("__any") || name.starts_with("__all") || name.starts_with("__match")) {
    note_warp_collective(name, arguments, node);
    return with(e_.opaque());
  }
  return name == "__activemask" ? std::optional(with(e_.opaque())) : std::nullopt;
}

}  // namespace frx::derive::cuda
