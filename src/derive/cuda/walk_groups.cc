// Cooperative groups: the numbers that a thread has in them, how large they are, and their barriers.
#include "derive/cuda/walker_depth.h"

namespace frx::derive::cuda {

ExprId Walker::thread_rank() {
  const auto leaf = [&](Op op) { return e_.leaf(op); };
  const ExprId row = e_.binary(Op::add, leaf(Op::thread_y), e_.binary(Op::mul, leaf(Op::thread_z), leaf(Op::block_dim_y)));
  return e_.binary(Op::add, leaf(Op::thread_x), e_.binary(Op::mul, row, leaf(Op::block_dim_x)));
}

Value Walker::group_size(const Value& object) {
  const std::int64_t group = e_.constant_of(object.expr).value_or(block_group);
  if (group == warp_group) return with(object.y);
  const ExprId plane = e_.binary(Op::mul, e_.leaf(Op::block_dim_x), e_.leaf(Op::block_dim_y));
  const ExprId block = e_.binary(Op::mul, plane, e_.leaf(Op::block_dim_z));
  return with(group == block_group ? block : e_.binary(Op::mul, block, e_.leaf(Op::grid_dim_x)));
}

Value Walker::group_rank(const Value& object) {
  const std::int64_t group = e_.constant_of(object.expr).value_or(block_group);
  const ExprId rank = thread_rank();
  if (group == block_group) return with(rank);
  if (group == warp_group) return with(e_.is_unknown(object.y) ? e_.opaque() : e_.binary(Op::mod, rank, object.y));
  const Value block{.kind = Value::group, .expr = e_.constant(block_group)};
  return with(e_.binary(Op::add, rank, e_.binary(Op::mul, e_.leaf(Op::block_x), group_size(block).expr)));
}

// tiled_partition<64>(block) makes groups of two warps.
bool Walker::is_larger_than_warp(const Value& object) const { return e_.constant_of(object.y).value_or(0) > 32; }

void Walker::note_group_barrier(const Value& group, std::uint32_t node) {
  if (e_.constant_of(group.expr) != warp_group) {
    note_barrier(node);
  } else if (is_larger_than_warp(group)) {
    note_order(OrderSite::unknown);
  } else {
    note_warp_barrier(node);
  }
}

// All lanes of a tile of known size have to make the operation; a group that was made of the lanes that were there is complete.
void Walker::note_tile_collective(const Value& object, std::uint32_t node) {
  note_order(is_larger_than_warp(object) ? OrderSite::unknown : OrderSite::warp);
  if (e_.constant_of(object.expr) != warp_group) return;
  const std::optional<std::int64_t> lanes = e_.constant_of(object.y);
  if (lanes && *lanes > 1 && *lanes <= 32) note_object_collective(static_cast<std::uint32_t>(*lanes), node);
}

// Tiles of the block, and how many there are.
Value Walker::meta_group(const Value& object, bool is_size) {
  if (object.y <= e_.opaque()) return with(e_.opaque());
  if (!is_size) return with(e_.binary(Op::div, thread_rank(), object.y));
  const Value block{.kind = Value::group, .expr = e_.constant(block_group)};
  const ExprId rounded = e_.binary(Op::add, group_size(block).expr, e_.binary(Op::sub, object.y, e_.constant(1)));
  return with(e_.binary(Op::div, rounded, object.y));
}

// The number between the brackets of `thread_block_tile<16>`; 32 when there are none.
ExprId Walker::tile_size(std::uint32_t templated) {
  const std::vector<std::optional<std::int64_t>> given = template_arguments(templated);
  if (given.empty()) return e_.constant(32);
  return given[0] && *given[0] > 0 ? e_.constant(*given[0]) : e_.opaque();
}

Value Walker::tile_of(ExprId size) { return {.kind = Value::group, .expr = e_.constant(warp_group), .y = size}; }

std::optional<Value> Walker::eval_group_call(std::string_view name, const std::vector<Value>& arguments, std::uint32_t function,
                                             std::uint32_t node) {
  const bool is_collective = name == "reduce" || name == "inclusive_scan" || name == "exclusive_scan";
  if (is_collective && !arguments.empty() && arguments[0].kind == Value::group) {
    note_tile_collective(arguments[0], node);
    return with(e_.opaque());
  }
  const auto group = [&](Group which) {
    trace_.uses_groups = true;
    return Value{.kind = Value::group, .expr = e_.constant(which)};
  };
  // Its barrier is that of the block, and is followed.
  if (name == "this_thread_block") return Value{.kind = Value::group, .expr = e_.constant(block_group)};
  if (name == "this_cluster") return group(block_group);
  if (name == "this_grid") return group(grid_group);
  if (name == "tiled_partition") {
    trace_.uses_groups = true;
    return tile_of(arguments.size() > 1 ? truth(arguments[1]) : tile_size(function));
  }
  // How many threads these have depends on the data.
  if (name == "coalesced_threads" || name == "labeled_partition" || name == "binary_partition") {
    trace_.uses_groups = true;
    return tile_of(e_.opaque());
  }
  return std::nullopt;
}

Value Walker::eval_group_method(const Value& object, std::string_view name, std::uint32_t node) {
  if (name == "sync" || name == "arrive_and_wait" || name == "barrier_wait") {
    note_group_barrier(object, node);
    return Value{};
  }
  if (name == "thread_rank") return group_rank(object);
  if (name == "size" || name == "num_threads") return group_size(object);
  if (name == "meta_group_rank" || name == "meta_group_size") return meta_group(object, name == "meta_group_size");
  if (name == "block_rank") return with(e_.leaf(Op::block_x));
  if (name == "thread_index")
    return {.kind = Value::triple, .expr = e_.leaf(Op::thread_x), .y = e_.leaf(Op::thread_y), .z = e_.leaf(Op::thread_z)};
  if (name == "group_index")
    return {.kind = Value::triple, .expr = e_.leaf(Op::block_x), .y = e_.leaf(Op::block_y), .z = e_.leaf(Op::block_z)};
  if (name.starts_with("shfl")) trace_.uses_shuffles = true;
  if (name.starts_with("shfl") || name == "any" || name == "all" || name == "ballot" || name.starts_with("match_")) {
    note_tile_collective(object, node);
  }
  return with(e_.opaque());
}

}  // namespace frx::derive::cuda
