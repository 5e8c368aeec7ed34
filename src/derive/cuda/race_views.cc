#include "derive/cuda/race_views.h"

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "derive/cuda/expression_parts.h"

namespace frx::derive::cuda {

Trees trees_in(const Trace& trace) {
  constexpr std::size_t most_trees = 8;
  Trees trees;
  for (std::uint32_t l = 0; l < trace.loops.size() && trees.loops.size() < most_trees; ++l) {
    if (trace.loops[l].halved == 0 && trace.loops[l].doubled == 0) continue;
    trees.variables.emplace_back(trace.loops[l].halved, trace.loops[l].doubled);
    trees.loops.push_back(l);
  }
  return trees;
}

namespace {

// (x + dx + width) % width, (i + 1) % n: the neighbour of an element, which lies beside it but at one end. x % width alone is the column of
// an element, and any width may be.
bool is_wrapped_neighbour(const Expressions& e, const Expr& x) {
  if (x.op != Op::mod || e[x.b].op != Op::uniform) return false;
  constexpr int most = 16;
  bool has_divisor = false, has_step = false, has_thread = false;
  const bool is_sum = walk_parts(e, x.a, most, [&](ExprId id, const Expr& part) -> std::optional<Operands> {
    if (id == x.b) {
      has_divisor = true;
      return Operands();
    }
    has_step = has_step || e.constant_of(id).value_or(0) != 0;
    has_thread = has_thread || e.uses(id, Uses::thread);
    if (part.op == Op::add || part.op == Op::sub) return Operands{part.a, part.b};
    return e.uses(id, Uses::uniform) ? std::nullopt : std::optional(Operands());
  });
  return is_sum && has_thread && (has_divisor || has_step);
}

}  // namespace

Vague vague_expressions(const Expressions& e, const Trees& trees) {
  Vague vague{std::vector<bool>(e.size()), std::vector<bool>(e.size())};
  std::vector<bool> has_size(e.size());
  for (const auto& [halved, doubled] : trees.variables) {
    if (halved != 0) vague.is_of_tree[halved] = true;
    if (doubled != 0) vague.is_of_tree[doubled] = true;
  }
  for (ExprId id = 0; id < e.size(); ++id) {
    const Expr& x = e[id];
    if (x.op == Op::loop_value && !vague.is_of_tree[id]) vague.is_vague[id] = true;
    if (x.op == Op::uniform) has_size[id] = true;
    if (x.op < Op::load) continue;
    const auto inherit = [&](std::vector<bool>& of) {
      const bool second = x.op >= Op::add && x.op < Op::neg && of[x.b];
      of[id] = of[id] || of[x.a] || second || (x.op == Op::select && (of[x.b] || of[x.c]));
    };
    inherit(vague.is_vague);
    inherit(vague.is_of_tree);
    inherit(has_size);
    const bool cuts = (x.op >= Op::div && x.op <= Op::max) || x.op == Op::select;
    if (cuts && !is_wrapped_neighbour(e, x) && (has_size[id] || e.uses(id, Uses::loaded | Uses::floating))) vague.is_vague[id] = true;
  }
  return vague;
}

std::uint32_t block_of_tree(const Expressions& e) {
  constexpr std::int64_t least = 16, most = 512;
  std::int64_t widest = 0;
  for (ExprId id = 0; id < e.size(); ++id) {
    const Expr& test = e[id];
    if (test.op != Op::lt || e[test.a].op != Op::thread_x || e[test.b].op != Op::shr || !e.uses(e[test.b].b, Uses::iteration)) continue;
    const std::int64_t first = e.constant_of(e[test.b].a).value_or(0);
    if (first >= least && first <= most) widest = std::max(widest, first);
  }
  return static_cast<std::uint32_t>(2 * widest);
}

bool RaceViews::exceeds_arrays(std::int64_t iteration) const {
  if (std::ranges::none_of(trace_.memories, [&](const Memory& memory) { return extent_of(memory).has_value(); })) return false;
  Sample sample = sample_of(Sample::large_odd);
  sample.iteration = iteration;
  const Lanes lanes(e_, sample);
  const Reached reached = reached_in(lanes);
  for (const Access& access : trace_.accesses) {
    const std::optional<std::int64_t> bytes = extent_of(trace_.memories[access.memory]);
    if (!bytes || is_vague_[access.address]) continue;
    const Mask mask = touching(access, lanes, reached);
    for (std::uint32_t lane = 0; lane < lanes.count(); ++lane) {
      if (mask[lane] && lanes.at(access.address, lane) >= *bytes) return true;
    }
  }
  return false;
}

Sample RaceViews::sample_of(Sample::Kind kind) const {
  // Steps of a tree are looked at where threads of different warps meet within the warps that are sampled: those of 64 threads when the
  // step halves from half of the block on, and of 16 when it doubles from 1 on.
  constexpr std::int64_t widest = 64, narrowest_bits = 4;
  const std::int64_t half = block_.threads() / 2;
  Sample sample{.kind = kind, .block = block_, .iteration = 0, .halved = std::min(widest, half), .trees = trees_.variables};
  for (const Loop& loop : trace_.loops) {
    if (loop.shift == 0) continue;
    const std::int64_t bits = loop.shift > 0 ? narrowest_bits : std::bit_width(static_cast<std::uint64_t>(half / widest)) - 1;
    sample.iterations.emplace_back(loop.iteration, std::max<std::int64_t>(bits, 0) / std::abs(loop.shift));
  }
  return sample;
}

std::optional<std::int64_t> RaceViews::extent_of(const Memory& memory) const {
  if (memory.space != Space::shared || memory.bytes == 0 || memory.is_dynamic || memory.dims.empty()) return std::nullopt;
  std::int64_t bytes = memory.bytes;
  for (const ExprId dim : memory.dims) {
    const std::optional<std::int64_t> extent = e_.constant_of(dim);
    if (!extent || *extent <= 0 || *extent > (1 << 20)) return std::nullopt;
    bytes *= *extent;
    if (bytes > (1 << 24)) return std::nullopt;
  }
  return bytes;
}

RaceViews::Reached RaceViews::reached_in(const Lanes& lanes) const {
  Reached reached;
  for (const Context& context : trace_.contexts) {
    const bool is_open = !context.is_loop && is_of_unknown_share(context.condition);
    const bool runs = context.is_loop ? is_same_in_block(context.condition) : tests_divisibility(context.condition);
    const Mask surely = is_open ? Mask() : runs ? Mask().set() : mask_of(lanes, context.condition, false);
    const Mask perhaps = is_open || runs || lanes.is_known(context.condition) ? surely : mask_of(lanes, context.condition, true);
    reached.surely.push_back(context.parent == none ? surely : surely & reached.surely[context.parent]);
    reached.perhaps.push_back(context.parent == none ? perhaps : perhaps & reached.perhaps[context.parent]);
  }
  return reached;
}

bool RaceViews::is_same_in_block(ExprId condition) const {
  if (!e_.uses(condition, Uses::loaded) || e_.uses(condition, Uses::thread | Uses::varying | Uses::opaque)) return false;
  return !has_part(e_, condition, [&](ExprId part) {
    const Space space = e_[part].op == Op::load ? trace_.memories[e_[part].b].space : Space::global;
    return e_[part].op == Op::loop_value || (space != Space::global && space != Space::constant);
  });
}

bool RaceViews::tests_divisibility(ExprId condition) const {
  constexpr auto others = Uses::index | Uses::varying | Uses::opaque | Uses::loaded;
  if (e_.uses(condition, others) || !e_.uses(condition, Uses::uniform)) return false;
  while (e_[condition].op == Op::logical_not) condition = e_[condition].a;
  const Expr& x = e_[condition];
  return (x.op == Op::eq || x.op == Op::ne) &&
         ((e_[x.a].op == Op::mod && e_.constant_of(x.b) == 0) || (e_[x.b].op == Op::mod && e_.constant_of(x.a) == 0));
}

bool RaceViews::is_of_unknown_share(ExprId condition) const {
  return e_.uses(condition, Uses::thread) && e_.uses(condition, Uses::uniform) && !e_.uses(condition, Uses::block | Uses::iteration);
}

// `s[t] < s[t + d]`, or `s[t + d] < least` with an element of s that each thread has kept: whichever are larger, it holds for some threads,
// as a rule for neighbouring ones.
bool RaceViews::compares_elements(ExprId condition) const {
  const Expr& x = e_[condition];
  if (x.op != Op::lt && x.op != Op::le) return false;
  const auto is_element = [&](ExprId side) {
    const Expr& load = e_[side];
    return load.op == Op::load && trace_.memories[load.b].space == Space::shared && e_.uses(load.a, Uses::thread);
  };
  const auto is_kept = [&](ExprId side, ExprId element) {
    const auto is_of_same = [&](ExprId part) { return e_[part].op == Op::load && e_[part].b == e_[element].b; };
    return e_[side].op == Op::select && has_part(e_, side, is_of_same);
  };
  if ((is_element(x.a) && is_kept(x.b, x.a)) || (is_element(x.b) && is_kept(x.a, x.b))) return true;
  return is_element(x.a) && is_element(x.b) && e_[x.a].b == e_[x.b].b;
}

// `partner > i && a[i] > a[partner]`: the first part says which lanes certainly do not get there.
RaceViews::Mask RaceViews::where_it_may_hold(const Lanes& lanes, ExprId condition) const {
  Mask mask = Mask().set();
  for_each_conjunct(e_, condition, [&](ExprId part, bool is_not) {
    if (!lanes.is_known(part)) return;
    const Mask holds = lanes.is_one_value(part) ? (lanes.at(part, 0) != 0 ? Mask().set() : Mask()) : lanes.where(part);
    mask &= is_not ? ~holds : holds;
  });
  return mask;
}

RaceViews::Mask RaceViews::mask_of(const Lanes& lanes, ExprId condition, bool when_unknown) const {
  Mask mask;
  if (!lanes.is_known(condition)) {
    if (when_unknown) return where_it_may_hold(lanes, condition);
    if (compares_elements(condition)) return mask.set();
    const Expr& x = e_[condition];
    // `t + d < n && s[t] < s[t + d]`; deeper nestings of the second part are not looked at.
    const bool is_pair = x.op == Op::logical_and && (compares_elements(x.b) || lanes.is_known(x.b)) && e_[x.a].op != Op::logical_and;
    return is_pair ? mask_of(lanes, x.a, false) & mask_of(lanes, x.b, false) : mask;
  }
  if (lanes.is_one_value(condition)) return lanes.at(condition, 0) != 0 ? mask.set() : mask;
  return lanes.where(condition);
}

RaceViews::Mask RaceViews::touching(const Access& access, const Lanes& lanes, const Reached& reached, bool perhaps) const {
  if (!lanes.is_known(access.address)) return {};
  perhaps = perhaps || access.kind == Access::atomic;
  return (perhaps ? reached.perhaps : reached.surely)[access.context] & mask_of(lanes, access.alive, perhaps);
}

Touched RaceViews::touched_by(const Access& access, const Lanes& lanes, const Reached& reached, bool perhaps) const {
  Touched touched;
  const Mask mask = touching(access, lanes, reached, perhaps);
  touched.reserve(mask.count());
  for (std::uint32_t lane = 0; lane < lanes.count(); ++lane) {
    if (mask[lane]) touched.emplace_back(lanes.at(access.address, lane), lanes.thread_of(lane));
  }
  if (!std::ranges::is_sorted(touched)) std::ranges::sort(touched);
  return touched;
}

bool RaceViews::is_anywhere(const Access& access) const {
  constexpr std::int64_t many = 64;  // elements: more than one warp initialises
  if (access.kind != Access::atomic) return false;
  ExprId index = access.address;
  while (e_[index].op == Op::mul && (e_.constant_of(e_[index].a) || e_.constant_of(e_[index].b))) {
    index = e_.constant_of(e_[index].a) ? e_[index].b : e_[index].a;
  }
  const auto is_own_load = [&](ExprId id) {
    const Expr& x = e_[id];
    return x.op == Op::load && trace_.memories[x.b].space == Space::global && e_.uses(x.a, Uses::thread);
  };
  if (is_own_load(index)) return true;
  const Expr& cut = e_[index];
  const std::optional<std::int64_t> size = e_.constant_of(cut.b);
  const bool is_rest = cut.op == Op::mod && (size ? *size >= many : e_[cut.b].op == Op::uniform);
  const bool is_masked = cut.op == Op::bit_and && size && *size >= many - 1 && (*size & (*size + 1)) == 0;
  if (!is_rest && !is_masked) return false;
  // Of other parts than constants it is not known that they leave all of the values possible.
  ExprId hash = cut.a;
  for (int steps = 0; steps < 16 && !is_own_load(hash); ++steps) {
    const Expr& x = e_[hash];
    const bool mixes = x.op == Op::mul || x.op == Op::add || x.op == Op::bit_xor || x.op == Op::shr;
    if (!mixes || (!e_.constant_of(x.a) && !e_.constant_of(x.b))) return false;
    hash = e_.constant_of(x.a) ? x.b : x.a;
  }
  return is_own_load(hash);
}

std::vector<std::uint32_t> RaceViews::candidates_in(Space space) const {
  std::vector<bool> is_written(trace_.memories.size());
  for (const Access& access : trace_.accesses) {
    if (access.kind != Access::load) is_written[access.memory] = true;
  }
  std::vector<std::uint32_t> found;
  for (std::uint32_t i = 0; i < trace_.accesses.size() && found.size() <= most_candidates; ++i) {
    const Access& access = trace_.accesses[i];
    if (trace_.memories[access.memory].space != space || !is_written[access.memory] || access.is_vague ||
        (is_vague_[access.address] && !is_anywhere(access)))
      continue;
    if (space == Space::shared || e_.uses(access.address, Uses::block)) found.push_back(i);
  }
  return found;
}

}  // namespace frx::derive::cuda
