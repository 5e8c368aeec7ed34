#include "derive/cuda/lanes.h"

#include <algorithm>

namespace frx::derive::cuda {

Lanes::Lanes(const Expressions& expressions, const Sample& sample) : all_(expressions), sample_(sample) {
  choose_threads(sample.block);
  states_.resize(all_.size());
  values_.resize(std::size_t{all_.size()} * count_);
  for (ExprId e = 0; e < all_.size(); ++e) evaluate(e);
}

// The first two warps, one in the middle and the last.
void Lanes::choose_threads(const Shape& block) {
  const std::uint32_t threads = std::clamp(block.threads(), 1u, 1024u);
  const std::uint32_t warps = (threads + 31) / 32;
  std::vector<std::uint32_t> chosen{0, 1, warps / 2, warps - 1};
  std::ranges::sort(chosen);
  chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  for (const std::uint32_t warp : chosen) {
    for (std::uint32_t t = warp * 32; t < std::min(warp * 32 + 32, threads); ++t) threads_[count_++] = t;
  }
}

std::int64_t Lanes::uniform_value(std::int64_t which) const {
  const std::int64_t i = which & 0xFFFF;
  // Two sizes are far apart: a difference of them is no small number either.
  const std::int64_t apart = i * 7919 & 0x1FFF;
  switch (sample_.kind) {
    case Sample::large_odd: return 100003 + 64 * apart;
    case Sample::large_even: return (1 << 17) + 64 * apart;
    case Sample::tiny: return 5 + i % 3;
    case Sample::small: return 100 + 7 * (i % 8);
  }
  return 0;
}

void Lanes::fill(ExprId e, std::int64_t value) { std::fill_n(row(e), count_, value); }

bool Lanes::is_same_for_all(ExprId e) const {
  for (std::uint32_t lane = 1; lane < count_; ++lane) {
    if (at(e, lane) != at(e, 0)) return false;
  }
  return true;
}

void Lanes::evaluate(ExprId e) {
  switch (all_[e].op) {
    case Op::load: states_[e] = evaluate_load(e); return;
    case Op::select: states_[e] = evaluate_select(e); return;
    case Op::logical_and:
    case Op::logical_or: states_[e] = evaluate_logical(e); return;
    default: break;
  }
  states_[e] = all_[e].op < Op::load ? evaluate_leaf(e) : evaluate_binary(e);
}

Lanes::State Lanes::evaluate_leaf(ExprId e) {
  const Expr& leaf = all_[e];
  const Shape& b = sample_.block;
  const auto per_thread = [&](auto&& coordinate) {
    for (std::uint32_t lane = 0; lane < count_; ++lane) row(e)[lane] = coordinate(threads_[lane]);
    return known;
  };
  const auto all_lanes = [&](std::int64_t value) {
    fill(e, value);
    return known;
  };
  const bool first_block = sample_.kind == Sample::tiny || sample_.kind == Sample::small;
  switch (leaf.op) {
    case Op::constant: return all_lanes(leaf.value);
    case Op::thread_x: return per_thread([&](std::uint32_t t) { return t % b.x; });
    case Op::thread_y: return per_thread([&](std::uint32_t t) { return t / b.x % b.y; });
    case Op::thread_z: return per_thread([&](std::uint32_t t) { return t / b.x / b.y; });
    case Op::block_x: return all_lanes(first_block ? 0 : 3);
    case Op::block_y: return all_lanes(first_block ? 0 : 2);
    case Op::block_z: return all_lanes(first_block ? 0 : 1);
    case Op::block_dim_x: return all_lanes(b.x);
    case Op::block_dim_y: return all_lanes(b.y);
    case Op::block_dim_z: return all_lanes(b.z);
    case Op::grid_dim_x: return all_lanes(first_block ? 1 : 64);
    case Op::grid_dim_y: return all_lanes(first_block ? 1 : 8);
    case Op::grid_dim_z: return all_lanes(first_block ? 1 : 4);
    case Op::iteration: return all_lanes((first_block ? 0 : sample_.kind == Sample::large_odd ? 1 : 2) + (e == sample_.one_more ? 1 : 0));
    case Op::loop_value:
      if ((leaf.uses & Uses::varying) != 0) return varying;
      if ((leaf.uses & Uses::opaque) != 0) return unknown;
      return all_lanes(uniform_value(leaf.value));
    case Op::uniform: return all_lanes(uniform_value(leaf.value));
    case Op::varying: return varying;
    default: return unknown;
  }
}

// From one address all threads get one value, which nobody knows.
Lanes::State Lanes::evaluate_load(ExprId e) {
  const ExprId index = all_[e].a;
  if (states_[index] != known) return states_[index];
  if (!is_same_for_all(index)) return varying;
  fill(e, uniform_value(e));
  return known;
}

Lanes::State Lanes::evaluate_select(ExprId e) {
  const Expr& s = all_[e];
  if (states_[s.a] != known) return states_[s.a];
  bool takes_yes = false, takes_no = false;
  for (std::uint32_t lane = 0; lane < count_; ++lane) {
    const bool yes = at(s.a, lane) != 0;
    (yes ? takes_yes : takes_no) = true;
    row(e)[lane] = at(yes ? s.b : s.c, lane);
  }
  State worst = known;
  if (takes_yes) worst = std::max(worst, states_[s.b]);
  if (takes_no) worst = std::max(worst, states_[s.c]);
  return worst;
}

// A side that decides alone makes the other one irrelevant.
Lanes::State Lanes::evaluate_logical(ExprId e) {
  const Expr& s = all_[e];
  const bool is_and = s.op == Op::logical_and;
  const auto decides = [&](ExprId side) {
    if (states_[side] != known) return false;
    for (std::uint32_t lane = 0; lane < count_; ++lane) {
      if ((at(side, lane) != 0) == is_and) return false;
    }
    return true;
  };
  if (decides(s.a) || decides(s.b)) {
    fill(e, is_and ? 0 : 1);
    return known;
  }
  const State worst = std::max(states_[s.a], states_[s.b]);
  if (worst != known) return states_[s.a] == varying || states_[s.b] == varying ? varying : worst;
  for (std::uint32_t lane = 0; lane < count_; ++lane) row(e)[lane] = *calculate(s.op, at(s.a, lane), at(s.b, lane));
  return known;
}

Lanes::State Lanes::evaluate_binary(ExprId e) {
  const Expr& s = all_[e];
  const bool is_unary = s.op >= Op::neg && s.op < Op::select;
  if (states_[s.a] != known) return states_[s.a];
  if (!is_unary && states_[s.b] != known) return states_[s.b];
  if ((s.uses & Uses::floating) != 0 && (s.uses & Uses::thread) != 0) return varying;  // nobody rounds here
  const std::int64_t *const a = row(s.a), *const b = is_unary ? a : row(s.b);
  std::int64_t* const to = row(e);
  const auto for_all = [&](auto op) {
    for (std::uint32_t lane = 0; lane < count_; ++lane) {
      const std::optional<std::int64_t> value = calculate(op(), a[lane], b[lane]);
      if (!value) return unknown;
      to[lane] = *value;
    }
    return known;
  };
  switch (s.op) {  // one loop for each of the most frequent, so that the compiler knows which one it is
    case Op::add: return for_all([] { return Op::add; });
    case Op::sub: return for_all([] { return Op::sub; });
    case Op::mul: return for_all([] { return Op::mul; });
    case Op::lt: return for_all([] { return Op::lt; });
    case Op::le: return for_all([] { return Op::le; });
    default: return for_all([&] { return s.op; });
  }
}

}  // namespace frx::derive::cuda
