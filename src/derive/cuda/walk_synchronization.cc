// Calls that order threads, or that several threads have to make together.
#include <algorithm>
#include <array>
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

BarrierSite* Walker::note_barrier(std::uint32_t node) {
  if (quiet_) return nullptr;
  BarrierSite site{.at = ref(node), .context = context_, .loop = loop_};
  site.alive = e_.binary(Op::logical_and, returned_, left_);
  site.stays = e_.binary(Op::logical_and, stays_, left_);
  site.runs = runs_;
  site.accesses = static_cast<std::uint32_t>(trace_.accesses.size());
  trace_.barriers.push_back(site);
  note_order(OrderSite::block);
  return &trace_.barriers.back();
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
  site.mask = e_.constant_of(arguments[0].expr);
  trace_.warp_collectives.push_back(site);
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
    e_.constant_of(arguments[0].expr) == warp_group ? note_warp_barrier(node) : static_cast<void>(note_barrier(node));
    return Value{};
  }
  if (name.starts_with("__threadfence") || name.find("fence") != name.npos) {
    trace_.uses_fences = true;
    note_order(OrderSite::fence);
  }
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
