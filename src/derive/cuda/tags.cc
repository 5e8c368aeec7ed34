#include "derive/cuda/tags.h"

#include <algorithm>

#include "derive/cuda/expression_parts.h"

namespace frx::derive::cuda {
namespace {

// threadIdx, alone or in a sum.
bool holds_thread(const Expressions& e, ExprId id, Op thread) {
  if (e[id].op == thread) return true;
  return e[id].op == Op::add && (e[e[id].a].op == thread || e[e[id].b].op == thread);
}

bool is_block_offset(const Expressions& e, ExprId id, Op block) {
  if (e[id].op != Op::mul) return false;
  const Op a = e[e[id].a].op, b = e[e[id].b].op;
  const auto counts = [](Op op) { return (op >= Op::block_dim_x && op <= Op::block_dim_z) || op == Op::constant || op == Op::uniform; };
  return (a == block && counts(b)) || (b == block && counts(a));
}

void add_indexing(const KernelView& view, model::cuda::Kernel& kernel) {
  auto& tags = kernel.indexing_patterns;
  static constexpr const char* names[] = {"1d_grid_stride_index", "2d_y_index", "3d_z_index"};
  for (int direction = 0; direction < 3; ++direction) {
    if (has_global_index(view.trace, direction)) tags.emplace_back(names[direction]);
  }
  if (view.names.grid_stride_loop) tags.emplace_back("grid_stride_loop");
  bool has_x = false;
  for (ExprId e = 0; e < view.trace.expressions.size(); ++e) has_x = has_x || view.trace.expressions[e].op == Op::thread_x;
  if (tags.empty() && has_x) tags.emplace_back("thread_x_indexing");
}

void add_memory_styles(const KernelView& view, model::cuda::Kernel& kernel) {
  auto& tags = kernel.memory_access_styles;
  bool flat = false, spread = false, indexed = false;
  for (std::size_t i = 0; i < view.trace.accesses.size(); ++i) {
    const Space space = view.trace.memories[view.trace.accesses[i].memory].space;
    indexed = indexed || space == Space::global || space == Space::local;
    flat = flat || is_flat(view, i);
    spread = spread || (space == Space::global && view.patterns.accesses[i].kind == AccessPattern::spread);
  }
  if (flat) tags.emplace_back("likely_coalesced_1d");
  if (spread) tags.emplace_back("strided_or_pitched");
  if (!kernel.shared_memory.empty()) tags.emplace_back("shared_memory_tiling");
  if (view.names.vector_types) tags.emplace_back("vectorized");
  if (view.names.read_only_cache) tags.emplace_back("read_only_or_constant_cache");
  if (tags.empty() && indexed) tags.emplace_back("indexed_global_or_local_memory");
}

}  // namespace

bool has_global_index(const Expressions& e, ExprId root, std::optional<int> only) {
  return has_part(e, root, [&](ExprId part) {
    const Expr& x = e[part];
    for (int direction = 0; direction < 3 && x.op == Op::add; ++direction) {
      if (only && direction != *only) continue;
      const auto thread = static_cast<Op>(static_cast<int>(Op::thread_x) + direction);
      const auto is_block = [&](ExprId term) {
        const auto block = static_cast<Op>(static_cast<int>(Op::block_x) + direction);
        const bool is_pitch = e[term].op == Op::mul && e.uses(term, Uses::uniform);  // rows by block, columns by thread
        return !is_pitch && is_block_offset(e, term, block);
      };
      if ((holds_thread(e, x.a, thread) && is_block(x.b)) || (holds_thread(e, x.b, thread) && is_block(x.a))) return true;
    }
    return false;
  });
}

CrossedIndex::CrossedIndex(const Expressions& e, std::size_t block_axis, const Shape& block)
    : e_(&e),
      number_(block_axis == 0 ? Op::block_x : Op::block_y),
      thread_(block_axis == 0 ? Op::thread_y : Op::thread_x),
      extent_(block_axis == 0 ? Op::block_dim_y : Op::block_dim_x),
      threads_(block_axis == 0 ? block.y : block.x) {
  if (threads_ < 2) return;
  for (ExprId id = 0; id < e.size(); ++id) {
    if (factor_of(id) == none) continue;
    is_used_alone_ = goes_on(id);
    if (!is_used_alone_) return;
  }
}

ExprId CrossedIndex::factor_of(ExprId term) const {
  const Expressions& e = *e_;
  const Expr& x = e[term];
  if (x.op != Op::mul) return none;
  return e[x.a].op == number_ ? x.b : e[x.b].op == number_ ? x.a : none;
}

bool CrossedIndex::goes_on(ExprId term) const {
  const ExprId by = factor_of(term);
  return by != none && ((*e_)[by].op == extent_ || e_->constant_of(by) == threads_);
}

bool CrossedIndex::is_in(ExprId root) const {
  const Expressions& e = *e_;
  return has_part(e, root, [&](ExprId part) {
    const Expr& x = e[part];
    return x.op == Op::add && ((holds_thread(e, x.a, thread_) && goes_on(x.b)) || (holds_thread(e, x.b, thread_) && goes_on(x.a)));
  });
}

bool has_global_index(const Trace& trace, int direction) {
  const Expressions& e = trace.expressions;
  const auto thread = static_cast<Op>(static_cast<int>(Op::thread_x) + direction);
  const auto block = static_cast<Op>(static_cast<int>(Op::block_x) + direction);
  for (ExprId id = 0; id < e.size(); ++id) {
    if (e[id].op != Op::add) continue;
    if (holds_thread(e, e[id].a, thread) && is_block_offset(e, e[id].b, block)) return true;
    if (holds_thread(e, e[id].b, thread) && is_block_offset(e, e[id].a, block)) return true;
  }
  return false;
}

bool is_flat(const KernelView& view, std::size_t i) {
  const Access& access = view.trace.accesses[i];
  const Expressions& e = view.trace.expressions;
  if (view.trace.memories[access.memory].space != Space::global || access.bytes == 0) return false;
  if (view.patterns.accesses[i].kind != AccessPattern::packed || view.patterns.accesses[i].lane_stride != access.bytes) return false;
  return e.uses(access.address, Uses::thread_x) && !e.uses(access.address, Uses::thread_y | Uses::thread_z | Uses::uniform);
}

void add_tags(const KernelView& view, model::cuda::Kernel& kernel) {
  add_indexing(view, kernel);
  add_memory_styles(view, kernel);
  for (const std::string_view name : view.trace.atomics) kernel.atomics.emplace_back(name);
  if (view.names.tree_loop) kernel.reductions.emplace_back("tree_reduction_loop");
  if (view.names.shuffles || view.trace.uses_shuffles) kernel.reductions.emplace_back("warp_shuffle_reduction");
  const auto sums = std::ranges::any_of(view.trace.multiply_adds, [](const MultiplyAdd& m) { return m.loop != none; });
  if (sums) kernel.reductions.emplace_back("accumulation");
}

}  // namespace frx::derive::cuda
