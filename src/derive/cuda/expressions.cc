#include "derive/cuda/expressions.h"

#include <algorithm>
#include <limits>

namespace frx::derive::cuda {
namespace {

std::uint16_t uses_of(Op op) {
  switch (op) {
    case Op::thread_x: return Uses::thread_x;
    case Op::thread_y: return Uses::thread_y;
    case Op::thread_z: return Uses::thread_z;
    case Op::block_x:
    case Op::block_y:
    case Op::block_z: return Uses::block;
    case Op::block_dim_x:
    case Op::block_dim_y:
    case Op::block_dim_z:
    case Op::grid_dim_x:
    case Op::grid_dim_y:
    case Op::grid_dim_z: return Uses::block_dim;
    case Op::uniform: return Uses::uniform;
    case Op::iteration: return Uses::iteration;
    case Op::loop_value: return Uses::iteration | Uses::uniform;
    case Op::varying: return Uses::varying;
    case Op::opaque: return Uses::opaque;
    default: return 0;
  }
}

// Is what it gives 0 or 1?
bool is_truth(Op op) {
  return op == Op::lt || op == Op::le || op == Op::eq || op == Op::ne || op == Op::logical_and || op == Op::logical_or ||
         op == Op::logical_not;
}

bool cuts(Op op) { return op == Op::mod || op == Op::bit_and || op == Op::min; }

bool compares(Op op) { return op == Op::lt || op == Op::le; }

// Expr::sizes of an operation.
std::uint8_t sizes_of(Op op, std::uint8_t a, std::uint8_t b) {
  constexpr std::uint8_t most = 8;
  switch (op) {
    case Op::mul: return std::min<std::uint8_t>(most, a + b);
    case Op::div: return a > b ? a - b : 0;
    case Op::mod:
    case Op::min: return std::min(a, b);
    case Op::shl:
    case Op::shr: return a;
    default: return is_truth(op) ? 0 : std::max(a, b);
  }
}

constexpr std::uint16_t differs = Uses::thread | Uses::block;
constexpr ExprId empty_slot = 0xFFFFFFFF;

std::size_t hash_of(const Expr& e) {
  std::uint64_t h = static_cast<std::uint64_t>(e.op);
  for (const std::uint64_t part : {std::uint64_t{e.a}, std::uint64_t{e.b}, std::uint64_t{e.c}, static_cast<std::uint64_t>(e.value)}) {
    h = (h ^ part) * 0x9E3779B97F4A7C15u;
    h ^= h >> 29;
  }
  return h;
}

}  // namespace

Expressions::Expressions() : places_(256, empty_slot) {
  leaf(Op::varying);
  leaf(Op::opaque);
}

ExprId Expressions::put(const Expr& e) {
  std::size_t at = hash_of(e) & (places_.size() - 1);
  for (; places_[at] != empty_slot; at = (at + 1) & (places_.size() - 1)) {
    if (all_[places_[at]] == e) return places_[at];
  }
  if (is_full()) return opaque();
  places_[at] = size();
  all_.push_back(e);
  if ((e.uses & Uses::thread) != 0) ++of_threads_;
  if (all_.size() * 2 > places_.size()) make_room();
  return size() - 1;
}

void Expressions::make_room() {
  places_.assign(places_.size() * 4, empty_slot);
  for (ExprId id = 0; id < size(); ++id) {
    std::size_t at = hash_of(all_[id]) & (places_.size() - 1);
    while (places_[at] != empty_slot) at = (at + 1) & (places_.size() - 1);
    places_[at] = id;
  }
}

ExprId Expressions::constant(std::int64_t value) {
  Expr e;
  e.op = Op::constant;
  e.value = value;
  return put(e);
}

ExprId Expressions::leaf(Op op, std::int64_t which) {
  Expr e;
  e.op = op;
  e.uses = uses_of(op);
  e.value = which;
  return put(e);
}

ExprId Expressions::fraction() {
  Expr e;
  e.op = Op::uniform;
  e.uses = Uses::uniform | Uses::floating;
  e.value = 999'999;
  return put(e);
}

std::optional<std::int64_t> Expressions::constant_of(ExprId id) const {
  return all_[id].op == Op::constant ? std::optional(all_[id].value) : std::nullopt;
}

ExprId Expressions::unary(Op op, ExprId a) {
  if (is_unknown(a)) return a;
  if (const auto value = constant_of(a)) {
    if (const auto result = calculate(op, *value, 0)) return constant(*result);
  }
  // !!(i < n)
  if (op == Op::logical_not && all_[a].op == Op::logical_not && is_truth(all_[all_[a].a].op)) return all_[a].a;
  Expr e;
  e.op = op;
  e.a = a;
  e.uses = all_[a].uses;
  e.sizes = op == Op::logical_not ? 0 : all_[a].sizes;
  return put(e);
}

std::optional<ExprId> Expressions::simplified(Op op, ExprId a, ExprId b) {
  const auto left = constant_of(a), right = constant_of(b);
  if (left && right) {
    if (const auto result = calculate(op, *left, *right)) return constant(*result);
    return opaque();
  }
  if (op == Op::mul && (left == 0 || right == 0)) return constant(0);
  if (op == Op::logical_and && (left == 0 || right == 0)) return constant(0);
  if (op == Op::logical_and && left && is_truth(all_[b].op)) return b;
  if (op == Op::logical_and && right && is_truth(all_[a].op)) return a;
  if (a == varying() || b == varying()) return varying();
  if (is_unknown(a) || is_unknown(b)) {
    if (op == Op::logical_and || op == Op::logical_or) return std::nullopt;
    if (cuts(op)) return opaque();  // below a constant, perhaps
    // What was computed with something from memory is as unknown as that.
    if (is_data_value(b)) return b;
    return a != opaque() && is_unknown(a) ? a : b != opaque() && is_unknown(b) ? b : opaque();
  }
  if (right == 0 && (op == Op::add || op == Op::sub || op == Op::shl || op == Op::shr || op == Op::bit_or)) return a;
  if (left == 0 && (op == Op::add || op == Op::bit_or)) return b;
  if (right == 1 && (op == Op::mul || op == Op::div)) return a;
  if (left == 1 && op == Op::mul) return b;
  if (a == b && op == Op::sub) return constant(0);
  return std::nullopt;
}

ExprId Expressions::binary(Op op, ExprId a, ExprId b) {
  if (const auto simple = simplified(op, a, b)) return *simple;
  Expr e;
  e.op = op;
  e.a = a;
  e.b = b;
  e.uses = all_[a].uses | all_[b].uses;
  e.sizes = sizes_of(op, all_[a].sizes, all_[b].sizes);
  const bool left = uses(a, differs), right = uses(b, differs);
  const bool is_of_thread = uses(a, Uses::thread) != uses(b, Uses::thread);  // i < end of this block's share
  if (compares(op) && (left != right || is_of_thread)) e.uses |= Uses::comparison;
  if (cuts(op) && (left || right)) e.uses |= Uses::clamped;
  return put(e);
}

ExprId Expressions::select(ExprId condition, ExprId yes, ExprId no) {
  if (yes == no) return yes;
  if (const auto known = constant_of(condition)) return *known != 0 ? yes : no;
  // a < b ? a : b
  const Expr& test = all_[condition];
  if (test.op == Op::lt || test.op == Op::le) {
    if (test.a == yes && test.b == no) return binary(Op::min, yes, no);
    if (test.a == no && test.b == yes) return binary(Op::max, yes, no);
  }
  Expr e;
  e.op = Op::select;
  e.a = condition;
  e.b = yes;
  e.c = no;
  e.uses = all_[condition].uses | all_[yes].uses | all_[no].uses | Uses::clamped;
  e.sizes = std::max(all_[yes].sizes, all_[no].sizes);
  return put(e);
}

ExprId Expressions::load(ExprId index, std::uint32_t memory) {
  if (uses(index, Uses::varying)) return varying();
  if (is_unknown(index)) return opaque();
  Expr e;
  e.op = Op::load;
  e.a = index;
  e.b = memory;
  e.uses = all_[index].uses | Uses::loaded;
  e.sizes = 1;
  return put(e);
}

}  // namespace frx::derive::cuda
