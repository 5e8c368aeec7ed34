#include "derive/cuda/lanes.h"

#include <algorithm>
#include <bit>
#include <span>
#include <utility>

namespace frx::derive::cuda {
namespace {

// Buffers of destroyed Lanes, for the next ones of this thread: each kernel needs a hundred kilobytes several times in a row.
class BufferPool {
 public:
  Lanes::Buffer take(std::size_t size) {
    Lanes::Buffer buffer;
    if (!buffers_.empty()) {
      buffer = std::move(buffers_.back());
      buffers_.pop_back();
    }
    if (buffer.size < size) buffer = {std::make_unique_for_overwrite<std::int64_t[]>(size), size};
    return buffer;
  }
  void give_back(Lanes::Buffer buffer) {
    if (buffer.size <= largest && buffers_.size() < most) buffers_.push_back(std::move(buffer));
  }

 private:
  static constexpr std::size_t largest = 65536, most = 2;  // of half a megabyte each
  std::vector<Lanes::Buffer> buffers_;
};
thread_local BufferPool buffer_pool;

// Nearly all block dimensions are powers of two.
class Divisor {
 public:
  explicit Divisor(std::uint32_t by)
      : by_(by), shift_(static_cast<std::uint32_t>(std::countr_zero(by))), is_power_(std::has_single_bit(by)) {}
  std::uint32_t quotient(std::uint32_t of) const { return is_power_ ? of >> shift_ : of / by_; }
  std::uint32_t rest(std::uint32_t of) const { return is_power_ ? of & (by_ - 1) : of % by_; }

 private:
  std::uint32_t by_, shift_;
  bool is_power_;
};

}  // namespace

Lanes::Lanes(const Expressions& expressions, const Sample& sample) : all_(expressions), sample_(sample) {
  choose_threads(sample.block);
  states_.resize(all_.size(), unasked);
  rows_.resize(all_.size());
  buffer_ = buffer_pool.take(std::size_t{all_.of_threads()} * count_);
}

Lanes::~Lanes() { buffer_pool.give_back(std::move(buffer_)); }

// The first two warps, one in the middle and the last.
void Lanes::choose_threads(const Shape& block) {
  const std::uint32_t threads = std::clamp(block.threads(), 1u, 1024u);
  const std::uint32_t warps = (threads + 31) / 32;
  std::array<std::uint32_t, most_warps> chosen{0, 1, warps / 2, warps - 1};
  std::ranges::sort(chosen);
  for (const std::uint32_t warp : std::span(chosen.begin(), std::ranges::unique(chosen).begin())) {
    for (std::uint32_t t = warp * 32; t < std::min(warp * 32 + 32, threads); ++t) threads_[count_++] = t;
  }
}

std::int64_t Lanes::uniform_value(std::int64_t which) const {
  const std::int64_t i = which & 0xFFFF;
  // Any two sizes are far apart, so that their difference is no small number either.
  const std::int64_t apart = i * 7919 & 0x1FFF;
  switch (sample_.kind) {
    case Sample::large_odd: return 100003 + 64 * apart;
    case Sample::large_even: return (1 << 17) + 64 * apart;
    case Sample::tiny: return 5 + i % 3 + sample_.more;
    case Sample::small: return 100 + 7 * (i % 8);
  }
  return 0;
}

Lanes::State Lanes::all_lanes(ExprId e, std::int64_t value) const {
  rows_[e].value = value;
  return known;
}

std::int64_t* Lanes::new_row(ExprId e) const {
  rows_[e].begin = used_;
  used_ += count_;
  return buffer_.values.get() + rows_[e].begin;
}

bool Lanes::is_same_for_all(ExprId e) const {
  state_of(e);
  if (rows_[e].begin == same) return true;
  for (std::uint32_t lane = 1; lane < count_; ++lane) {
    if (at(e, lane) != at(e, 0)) return false;
  }
  return true;
}

Lanes::Mask Lanes::where(ExprId e) const {
  if (is_one_value(e)) return at(e, 0) != 0 ? all() : Mask();
  constexpr std::uint32_t bits = 64;
  const std::int64_t* const values = row(e);
  Mask mask;
  for (std::uint32_t first = 0; first < count_; first += bits) {
    std::uint64_t word = 0;
    for (std::uint32_t lane = first; lane < std::min(first + bits, count_); ++lane) {
      word |= std::uint64_t{values[lane] != 0} << (lane - first);
    }
    mask |= Mask(word) << first;
  }
  return mask;
}

// The parts of an expression have lower numbers than itself.
void Lanes::evaluate_with_parts(ExprId root) const {
  to_evaluate_.push_back(root);
  while (!to_evaluate_.empty()) {
    const ExprId e = to_evaluate_.back();
    const Expr& x = all_[e];
    const std::size_t before = to_evaluate_.size();
    const auto ask = [&](ExprId part) {
      if (states_[part] == unasked) to_evaluate_.push_back(part);
    };
    if (x.op >= Op::load) ask(x.a);
    if ((x.op >= Op::add && x.op < Op::neg) || x.op == Op::select) ask(x.b);
    if (x.op == Op::select) ask(x.c);
    if (to_evaluate_.size() > before) continue;
    to_evaluate_.pop_back();
    if (states_[e] == unasked) evaluate(e);
  }
}

void Lanes::evaluate(ExprId e) const {
  switch (all_[e].op) {
    case Op::load: states_[e] = evaluate_load(e); return;
    case Op::select: states_[e] = evaluate_select(e); return;
    case Op::logical_and:
    case Op::logical_or: states_[e] = evaluate_logical(e); return;
    default: break;
  }
  states_[e] = all_[e].op < Op::load ? evaluate_leaf(e) : evaluate_binary(e);
}

Lanes::State Lanes::evaluate_leaf(ExprId e) const {
  const Expr& leaf = all_[e];
  const Shape& b = sample_.block;
  const auto per_thread = [&](auto&& coordinate) {
    std::int64_t* const row = new_row(e);
    for (std::uint32_t lane = 0; lane < count_; ++lane) row[lane] = coordinate(threads_[lane]);
    return known;
  };
  const auto all = [&](std::int64_t value) { return all_lanes(e, value); };
  const bool first_block = sample_.kind == Sample::tiny || sample_.kind == Sample::small, is_odd = sample_.kind == Sample::large_odd;
  switch (leaf.op) {
    case Op::constant: return all(leaf.value);
    case Op::thread_x: return per_thread([x = Divisor(b.x)](std::uint32_t t) { return x.rest(t); });
    case Op::thread_y: return per_thread([x = Divisor(b.x), y = Divisor(b.y)](std::uint32_t t) { return y.rest(x.quotient(t)); });
    case Op::thread_z: return per_thread([x = Divisor(b.x), y = Divisor(b.y)](std::uint32_t t) { return y.quotient(x.quotient(t)); });
    case Op::block_x: return all((first_block ? 0 : sampled_block) + sample_.more_blocks);
    case Op::block_y: return all(first_block ? 0 : 2);
    case Op::block_z: return all(first_block ? 0 : 1);
    case Op::block_dim_x: return all(b.x);
    case Op::block_dim_y: return all(b.y);
    case Op::block_dim_z: return all(b.z);
    case Op::grid_dim_x: return all(first_block ? 1 : 64 + is_odd);
    case Op::grid_dim_y: return all(first_block ? 1 : 8 + is_odd);
    case Op::grid_dim_z: return all(first_block ? 1 : 4 + is_odd);
    case Op::iteration: {
      const std::int64_t completed = first_block ? 0 : sample_.kind == Sample::large_odd ? 1 : 2;
      const auto given = std::ranges::find(sample_.iterations, e, &std::pair<ExprId, std::int64_t>::first);
      const std::int64_t of_loop = given != sample_.iterations.end() ? given->second : sample_.iteration.value_or(completed);
      return all(of_loop + (e == sample_.one_more ? 1 : 0));
    }
    case Op::loop_value:
      if ((leaf.uses & Uses::varying) != 0) return varying;
      if ((leaf.uses & Uses::opaque) != 0) return unknown;
      for (const auto& [halved, doubled] : sample_.trees) {
        if (e == halved) return all(sample_.halved);
        if (e == doubled) return all(sample_.doubled);
      }
      return all(uniform_value(leaf.value));
    case Op::uniform: return all(uniform_value(leaf.value));
    case Op::varying: return varying;
    default: return unknown;
  }
}

// All threads load the same unknown value from one address.
Lanes::State Lanes::evaluate_load(ExprId e) const {
  const ExprId index = all_[e].a;
  if (states_[index] != known) return states_[index];
  if (!is_same_for_all(index)) return varying;
  return all_lanes(e, uniform_value(e));
}

// Of parameters alone: `channels_last`, `order == 1`. A sampled size decides nothing about it, so both choices are sampled.
bool Lanes::is_flag(ExprId condition) const {
  constexpr std::uint16_t others = Uses::index | Uses::block_dim | Uses::varying | Uses::opaque;
  return all_.uses(condition, Uses::uniform) && !all_.uses(condition, others);
}

bool Lanes::is_same_row(ExprId a, ExprId b) const {
  if (states_[a] != known || states_[b] != known) return false;
  for (std::uint32_t lane = 0; lane < count_; ++lane) {
    if (at(a, lane) != at(b, lane)) return false;
  }
  return true;
}

Lanes::State Lanes::copied(ExprId e, ExprId from) const {
  if (is_one_value(from)) return all_lanes(e, at(from, 0));
  std::int64_t* const row = new_row(e);
  for (std::uint32_t lane = 0; lane < count_; ++lane) row[lane] = at(from, lane);
  return known;
}

// Both choices may be the same in all lanes although the condition is not.
Lanes::State Lanes::evaluate_select(ExprId e) const {
  const Expr& s = all_[e];
  if (states_[s.a] != known) return is_same_row(s.b, s.c) ? copied(e, s.b) : states_[s.a];
  bool takes_yes = false, takes_no = false;
  if (is_flag(s.a)) {
    (sample_.kind == Sample::large_odd || sample_.kind == Sample::tiny ? takes_yes : takes_no) = true;
  } else {
    for (std::uint32_t lane = 0; lane < count_; ++lane) (at(s.a, lane) != 0 ? takes_yes : takes_no) = true;
  }
  State worst = known;
  if (takes_yes) worst = std::max(worst, states_[s.b]);
  if (takes_no) worst = std::max(worst, states_[s.c]);
  if (worst != known) return worst;
  const ExprId chosen = takes_yes ? s.b : s.c;
  const bool takes_both = takes_yes && takes_no;
  if (!takes_both) return copied(e, chosen);
  std::int64_t* const row = new_row(e);
  for (std::uint32_t lane = 0; lane < count_; ++lane) row[lane] = at(at(s.a, lane) != 0 ? s.b : s.c, lane);
  return known;
}

// An operand that decides the result makes the other one irrelevant.
Lanes::State Lanes::evaluate_logical(ExprId e) const {
  const Expr& s = all_[e];
  const bool is_and = s.op == Op::logical_and;
  const auto decides = [&](ExprId side) {
    if (states_[side] != known) return false;
    for (std::uint32_t lane = 0; lane < count_; ++lane) {
      if ((at(side, lane) != 0) == is_and) return false;
    }
    return true;
  };
  if (decides(s.a) || decides(s.b)) return all_lanes(e, is_and ? 0 : 1);
  const State worst = std::max(states_[s.a], states_[s.b]);
  if (worst != known) return states_[s.a] == varying || states_[s.b] == varying ? varying : worst;
  if (is_and) return evaluate_lanes(e, [](std::int64_t a, std::int64_t b) { return calculate(Op::logical_and, a, b); });
  return evaluate_lanes(e, [](std::int64_t a, std::int64_t b) { return calculate(Op::logical_or, a, b); });
}

template <typename Calculate>
Lanes::State Lanes::evaluate_lanes(ExprId e, Calculate&& calculate) const {
  const bool is_unary = all_[e].op >= Op::neg && all_[e].op < Op::select;
  const ExprId left = all_[e].a, right = is_unary ? left : all_[e].b;
  if (rows_[left].begin == same && rows_[right].begin == same) {
    const std::optional<std::int64_t> value = calculate(rows_[left].value, rows_[right].value);
    return value ? all_lanes(e, *value) : unknown;
  }
  std::int64_t* const to = new_row(e);
  const auto for_all = [&](auto&& a, auto&& b) {
    bool has_all = true;  // no way out in the middle, so that the compiler takes several lanes at a time
    for (std::uint32_t lane = 0; lane < count_; ++lane) {
      const std::optional<std::int64_t> value = calculate(a(lane), b(lane));
      has_all &= value.has_value();
      to[lane] = value.value_or(0);
    }
    return has_all ? known : unknown;
  };
  const auto each = [&](ExprId id) { return [row = buffer_.values.get() + rows_[id].begin](std::uint32_t lane) { return row[lane]; }; };
  const auto one = [&](ExprId id) { return [value = rows_[id].value](std::uint32_t) { return value; }; };
  if (rows_[left].begin == same) return for_all(one(left), each(right));
  if (rows_[right].begin == same) return for_all(each(left), one(right));
  return for_all(each(left), each(right));
}

// y * width + x < n, i * chunk < n: samples of n and width, which are of one magnitude, would leave the first row alone.
std::optional<bool> Lanes::is_in_range(const Expr& comparison) const {
  if (sample_.kind != Sample::large_odd && sample_.kind != Sample::large_even) return std::nullopt;
  const auto is_index = [&](ExprId id) { return all_.uses(id, Uses::thread); };
  const auto is_size = [&](ExprId id) { return all_[id].sizes > 0 && !all_.uses(id, Uses::index | Uses::varying | Uses::opaque); };
  const ExprId a = comparison.a, b = comparison.b;
  if (is_index(a) && is_size(b) && all_[a].sizes > all_[b].sizes) return true;
  if (is_size(a) && is_index(b) && all_[b].sizes > all_[a].sizes) return false;
  return std::nullopt;
}

// `(x + y) % 2 == parity`: how many rests there are, of which the size that they are compared with is one; 0 for other comparisons.
std::int64_t Lanes::rests_compared(const Expr& comparison) const {
  if (comparison.op != Op::eq && comparison.op != Op::ne) return 0;
  const Expr &rest = all_[comparison.a], &size = all_[comparison.b];
  if (rest.op != Op::mod || (rest.uses & Uses::thread) == 0 || size.op != Op::uniform) return 0;
  return std::max<std::int64_t>(all_.constant_of(rest.b).value_or(0), 0);
}

Lanes::State Lanes::evaluate_binary(ExprId e) const {
  const Expr& s = all_[e];
  if (s.op == Op::lt || s.op == Op::le) {
    if (const auto holds = is_in_range(s); holds && states_[s.a] == known && states_[s.b] == known) return all_lanes(e, *holds ? 1 : 0);
  }
  const bool is_unary = s.op >= Op::neg && s.op < Op::select;
  if (states_[s.a] != known) return states_[s.a];
  if (!is_unary && states_[s.b] != known) return states_[s.b];
  if ((s.uses & Uses::floating) != 0 && (s.uses & Uses::thread) != 0) return varying;  // rounding is not modelled
  // The quotient of two unknown sizes is one more of them, not the 1 that two samples of equal magnitude yield.
  const bool divides = s.op == Op::div || s.op == Op::mod;
  constexpr std::uint16_t sizes = Uses::uniform | Uses::loaded;
  if (divides && all_.uses(s.a, sizes) && all_.uses(s.b, sizes) && (s.uses & (Uses::thread | Uses::iteration)) == 0) {
    return all_lanes(e, uniform_value(e));
  }
  if (const std::int64_t rests = rests_compared(s); rests > 0) {
    return evaluate_lanes(e, [op = s.op, rests](std::int64_t a, std::int64_t b) { return calculate(op, a, (b % rests + rests) % rests); });
  }
  switch (s.op) {  // a loop for each of the most frequent operations, which the compiler can specialise
    case Op::add: return evaluate_lanes(e, [](std::int64_t a, std::int64_t b) { return calculate(Op::add, a, b); });
    case Op::sub: return evaluate_lanes(e, [](std::int64_t a, std::int64_t b) { return calculate(Op::sub, a, b); });
    case Op::mul: return evaluate_lanes(e, [](std::int64_t a, std::int64_t b) { return calculate(Op::mul, a, b); });
    case Op::lt: return evaluate_lanes(e, [](std::int64_t a, std::int64_t b) { return calculate(Op::lt, a, b); });
    case Op::le: return evaluate_lanes(e, [](std::int64_t a, std::int64_t b) { return calculate(Op::le, a, b); });
    default: return evaluate_lanes(e, [op = s.op](std::int64_t a, std::int64_t b) { return calculate(op, a, b); });
  }
}

}  // namespace frx::derive::cuda
