#include "derive/cuda/traffic.h"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

namespace frx::derive::cuda {
namespace {

constexpr std::size_t most_operands = 256;           // of a condition; a longer one is not followed
constexpr std::int64_t most_iterations = 1LL << 24;  // of a loop
constexpr std::int64_t template_value = 16;          // of a constant that only an instantiation knows

// The values of expressions in the first thread of the first block. The number of calculations is limited, by how long the kernel is.
class SampledSizes {
 public:
  SampledSizes(const Trace& trace, const Shape& block)
      : trace_(trace),
        block_(block),
        values_(trace.expressions.size()),
        seen_in_(trace.expressions.size()),
        left_(least_calculations + calculations_of_step * trace.steps) {}

  void set_iteration(ExprId leaf, std::int64_t value) { iterations_[leaf] = value; }

  std::optional<std::int64_t> value(ExprId e) {
    if (e != root_) find_operands(e);
    if (operands_.size() > most_operands || operands_.size() > left_) return std::nullopt;
    left_ -= operands_.size();
    for (const ExprId id : operands_) values_[id] = value_of(id);
    return values_[e];
  }

 private:
  static constexpr std::uint64_t least_calculations = 100'000, calculations_of_step = 50;

  static bool is_leaf(Op op) { return op <= Op::load; }
  static bool is_unary(Op op) { return op >= Op::neg && op < Op::select; }

  // Everything the expression is made of, operands first.
  void find_operands(ExprId root) {
    root_ = root;
    ++search_;
    operands_.clear();
    add_operand(root);
    for (std::size_t i = 0; i < operands_.size() && operands_.size() <= most_operands; ++i) {
      const Expr& one = trace_.expressions[operands_[i]];
      if (is_leaf(one.op)) continue;
      add_operand(one.a);
      if (!is_unary(one.op)) add_operand(one.b);
      if (one.op == Op::select) add_operand(one.c);
    }
    std::ranges::sort(operands_);
  }

  void add_operand(ExprId id) {
    if (std::exchange(seen_in_[id], search_) != search_) operands_.push_back(id);
  }

  std::int64_t blocks(std::uint32_t threads) const { return std::max<std::int64_t>(1, sample_size / std::max(threads, 1u)); }

  std::optional<std::int64_t> leaf_value(ExprId id, const Expr& leaf) const {
    switch (leaf.op) {
      case Op::constant: return leaf.value;
      case Op::thread_x:
      case Op::thread_y:
      case Op::thread_z:
      case Op::block_x:
      case Op::block_y:
      case Op::block_z: return 0;
      case Op::block_dim_x: return block_.x;
      case Op::block_dim_y: return block_.y;
      case Op::block_dim_z: return block_.z;
      case Op::grid_dim_x: return blocks(block_.x);
      case Op::grid_dim_y: return blocks(block_.y);
      case Op::grid_dim_z: return blocks(block_.z);
      case Op::uniform: return trace_.is_template_value(id) ? template_value : sample_size;
      case Op::iteration: {
        const auto known = iterations_.find(id);
        return known == iterations_.end() ? std::nullopt : std::optional(known->second);
      }
      default: return std::nullopt;
    }
  }

  std::optional<std::int64_t> value_of(ExprId id) const {
    const Expr& e = trace_.expressions[id];
    if (is_leaf(e.op)) return leaf_value(id, e);
    const std::optional<std::int64_t>& a = values_[e.a];
    if (!a) return std::nullopt;
    if (e.op == Op::select) return *a != 0 ? values_[e.b] : values_[e.c];
    if (is_unary(e.op)) return calculate(e.op, *a, *a);
    const std::optional<std::int64_t>& b = values_[e.b];
    return b ? calculate(e.op, *a, *b) : std::nullopt;
  }

  const Trace& trace_;
  Shape block_;
  std::unordered_map<ExprId, std::int64_t> iterations_;
  ExprId root_ = none;  // of the operands
  std::vector<ExprId> operands_;
  std::vector<std::optional<std::int64_t>> values_;  // by expression
  std::vector<std::uint32_t> seen_in_;               // by expression: the last search that met it
  std::uint32_t search_ = 0;
  std::uint64_t left_;
};

// Iterations of each loop, outer loops first: they have smaller numbers. Inner loops see the middle iteration of the outer ones.
class Iterations {
 public:
  Iterations(const Trace& trace, const Shape& block) : trace_(trace), sizes_(trace, block) {
    for (const Loop& loop : trace.loops) {
      counts_.push_back(count(loop));
      sizes_.set_iteration(loop.iteration, counts_.back().value_or(0) / 2);
    }
  }

  // Of all loops around; absent when one of them is unknown.
  std::optional<double> around(std::uint32_t loop) const {
    double product = 1;
    for (; loop != none; loop = trace_.loops[loop].parent) {
      if (!counts_[loop]) return std::nullopt;
      product *= static_cast<double>(*counts_[loop]);
    }
    return product;
  }

 private:
  std::optional<bool> continues(const Loop& loop, std::int64_t iteration) {
    sizes_.set_iteration(loop.iteration, iteration);
    const std::optional<std::int64_t> value = sizes_.value(loop.condition);
    return value ? std::optional(*value != 0) : std::nullopt;
  }

  // The first iteration for which the condition does not hold, which holds for all before it in loops that count.
  std::optional<std::int64_t> count(const Loop& loop) {
    const std::optional<bool> begins = continues(loop, 0);
    if (!begins) return std::nullopt;
    if (!*begins) return 0;
    std::int64_t yes = 0, no = 1;
    while (continues(loop, no).value_or(false)) {
      yes = no;
      no *= 2;
      if (no > most_iterations) return std::nullopt;
    }
    while (no - yes > 1) {
      const std::int64_t middle = yes + (no - yes) / 2;
      (continues(loop, middle).value_or(false) ? yes : no) = middle;
    }
    return no;
  }

  const Trace& trace_;
  SampledSizes sizes_;
  std::vector<std::optional<std::int64_t>> counts_;
};

}  // namespace

std::optional<double> global_reads_per_write(const Trace& trace, const Shape& block) {
  const auto is_global = [&](const Access& access) { return trace.memories[access.memory].space == Space::global; };
  if (!trace.is_complete || trace.calls_unknown || std::ranges::none_of(trace.accesses, is_global)) return std::nullopt;
  const Iterations iterations(trace, block);
  double read = 0, written = 0;
  for (const Access& access : trace.accesses) {
    if (!is_global(access)) continue;
    const std::optional<double> times = iterations.around(access.loop);
    if (!times || access.bytes == 0) return std::nullopt;
    (access.kind == Access::load ? read : written) += *times * access.bytes;
  }
  if (written <= 0) return std::nullopt;
  return read / written;
}

}  // namespace frx::derive::cuda
