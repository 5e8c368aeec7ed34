#include "derive/cuda/shared_races.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <set>
#include <unordered_map>

#include "derive/cuda/block_races.h"
#include "derive/cuda/expression_parts.h"
#include "derive/cuda/loop_counts.h"
#include "derive/cuda/race_views.h"

namespace frx::derive::cuda {
namespace {

// A shuffle or __syncwarp() orders the lanes of a warp, and no warps among themselves.
enum class Order : std::uint8_t { none, of_warps, of_block };

struct Meeting {
  bool of_warps = false, within_warp = false;
  bool any() const { return of_warps || within_warp; }
  Meeting behind(Order order) const { return {of_warps, within_warp && order == Order::none}; }
};

class RaceFinder : public RaceViews {
 public:
  RaceFinder(const Trace& trace, const Trees& trees, const Vague& vague, const Shape& block) : RaceViews(trace, trees, vague, block) {
    of_block_.push_back(0);
    barriers_.push_back(0);
    for (const OrderSite& order : trace.orders) {
      of_block_.push_back(of_block_.back() + (order.kind != OrderSite::warp ? 1 : 0));
      barriers_.push_back(barriers_.back() + (order.kind == OrderSite::block ? 1 : 0));
    }
    for (const Context& context : trace.contexts) {
      const ExprId around = context.parent == none ? no_test : tests_[context.parent];
      tests_.push_back(!context.is_loop && tests_divisibility(context.condition) ? context.condition : around);
    }
  }

  // `iteration`: the one of each loop that is looked at, with the one behind it.
  void add_shared(Races& races, std::int64_t iteration) const {
    std::vector<std::uint32_t> candidates = candidates_in(Space::shared);
    if (candidates.size() < 2 || candidates.size() > most_candidates || waits_for_memory()) return;
    const std::vector<std::uint32_t> loops = loops_of(candidates);
    // Where barriers order all accesses, no threads have to be looked at.
    std::optional<std::array<Views, 2>> seen;
    const auto views = [&]() -> const std::array<Views, 2>& {
      if (!seen)
        seen = {views_of(candidates, loops, Sample::large_odd, iteration), views_of(candidates, loops, Sample::large_even, iteration)};
      return *seen;
    };
    for (std::size_t a = 0; a < candidates.size(); ++a) {
      for (std::size_t b = a + 1; b < candidates.size(); ++b) {
        const Access &first = trace_.accesses[candidates[a]], &second = trace_.accesses[candidates[b]];
        if (first.memory != second.memory || !conflict(first.kind, second.kind) || are_alternatives(first, second)) continue;
        const Order order = order_between(candidates[a], candidates[b]);
        if (order != Order::of_block && is_of_any_iteration(first, second)) {
          const Meeting meets = meeting(
              views(), [&](const Views& v) { return std::pair(&v.now[a], &v.now[b]); }, first.kind == Access::load);
          note(meets.behind(order), candidates[a], candidates[b], false, races);
          if (first.kind == Access::store && has_several_warps(views()[0].now[a]) && is_anywhere(second)) {
            note({.of_warps = true}, candidates[a], candidates[b], false, races);
          }
        }
        for (std::size_t n = 0; n < loops.size(); ++n) {
          if (!is_in(first.loop, loops[n]) || !is_in(second.loop, loops[n])) continue;
          const Loop& loop = trace_.loops[loops[n]];
          const Order around = order_around(loop, candidates[b], candidates[a]);
          if (e_.constant_of(loop.condition) == 0 || around == Order::of_block) continue;
          const auto sides = [&](const Views& v) { return std::pair(&v.now[b], &v.next[n][a]); };
          note(meeting(views(), sides, second.kind == Access::load).behind(around), candidates[b], candidates[a], true, races);
        }
      }
    }
  }

  // Where the first iteration has no race: the second one, and one whose number is that of a thread of another warp.
  void add_beyond_first(Races& races) const {
    constexpr std::array<std::int64_t, 2> iterations{1, 33};
    if (!races.between_warps.empty() || !races.within_warps.empty() || !is_first_iteration_special()) return;
    for (const std::int64_t iteration : iterations) {
      if (exceeds_arrays(iteration) || leaves_rows(iteration)) return;
      Races found;
      add_shared(found, iteration);
      if (found.between_warps.empty() && !races.within_warps.empty()) continue;
      races.between_warps = std::move(found.between_warps);
      races.within_warps = races.between_warps.empty() ? std::move(found.within_warps) : decltype(found.within_warps)();
      if (!races.between_warps.empty()) return;
    }
  }

  // if (k == 0) s[t] = a[i]; else s[t] = s[t + 1] + a[i]; or if (t == 0) for (k = 0; k < n; ++k) sum += s[k]; where the first iteration
  // touches what is of the thread itself.
  bool is_first_iteration_special() const {
    constexpr auto others = Uses::thread | Uses::loaded | Uses::varying | Uses::opaque;
    const auto is_of_iteration = [&](ExprId id) { return e_.uses(id, Uses::iteration) && !e_.uses(id, others); };
    return std::ranges::any_of(trace_.contexts, [&](const Context& one) { return !one.is_loop && is_of_iteration(one.condition); }) ||
           std::ranges::any_of(trace_.accesses, [&](const Access& one) { return is_shared(one) && is_of_iteration(one.address); });
  }

  // s[t][k] of 16 columns: the number of a later iteration would be that of a column in the next row, which no loop that is right reaches.
  bool leaves_rows(std::int64_t iteration) const {
    constexpr int most_terms = 32;
    return std::ranges::any_of(trace_.accesses, [&](const Access& access) {
      if (!is_shared(access) || !e_.uses(access.address, Uses::iteration)) return false;
      std::vector<std::int64_t> steps, others;  // bytes from one iteration to the next, and of what else is counted
      const bool is_sum = for_each_term(e_, access.address, most_terms, [&](ExprId id, std::int64_t factor) {
        if (!e_.constant_of(id)) (e_.uses(id, Uses::iteration) ? steps : others).push_back(std::abs(factor));
        return true;
      });
      return !is_sum || std::ranges::any_of(steps, [&](std::int64_t step) {
        return std::ranges::any_of(others, [&](std::int64_t other) { return other > step && other / iteration <= step; });
      });
    });
  }

  // s[t] = a[i]; for (d = blockDim.x / 2; d > 0; d /= 2) { if (t < d) s[t] += s[t + d]; __syncthreads(); }: the first iteration reads what
  // other warps have written before the loop.
  void add_before_trees(Races& races) const {
    const std::vector<std::uint32_t> candidates = candidates_in(Space::shared);
    if (candidates.size() < 2 || candidates.size() > most_candidates || waits_for_memory()) return;
    std::unordered_map<std::uint32_t, std::array<Views, 2>> seen;  // by loop
    for (std::size_t r = 1; r < candidates.size(); ++r) {
      const Access& read = trace_.accesses[candidates[r]];
      if (read.loop == none || read.kind != Access::load) continue;
      const Loop& loop = trace_.loops[read.loop];
      const std::optional<ExprId> begins = first_of_tree(loop);
      if (!begins && loop.shift == 0) continue;
      for (std::size_t w = 0; w < r && candidates[w] < loop.first_access; ++w) {
        const Access& write = trace_.accesses[candidates[w]];
        const Order order = order_between(candidates[w], candidates[r]);
        if (write.kind != Access::store || write.memory != read.memory || order == Order::of_block) continue;
        auto [views, is_new] = seen.try_emplace(read.loop);
        if (is_new)
          views->second = {first_views(candidates, Sample::large_odd, begins), first_views(candidates, Sample::large_even, begins)};
        const Meeting meets = meeting(
            views->second, [&](const Views& v) { return std::pair(&v.now[w], &v.now[r]); }, false);
        note(meets.behind(order), candidates[w], candidates[r], false, races);
      }
    }
  }

  // for (...) { s[threadIdx.x] = a[i]; __syncthreads(); b[i] = s[threadIdx.x % n]; }: of which thread the element is, a size decides. The
  // barrier says that it is another one's, and before the next iteration overwrites it, there is none.
  void add_overwritten(Races& races) const {
    if (block_.threads() <= 32 || waits_for_memory()) return;
    std::vector<std::uint32_t> shared;
    for (std::uint32_t i = 0; i < trace_.accesses.size(); ++i) {
      if (trace_.memories[trace_.accesses[i].memory].space == Space::shared) shared.push_back(i);
    }
    if (shared.size() > most_candidates) return;
    for (const std::uint32_t w : shared) {
      const Access& write = trace_.accesses[w];
      if (write.kind != Access::store || write.is_vague || !e_.uses(write.address, Uses::thread) || is_vague_[write.address]) continue;
      if (depends_on_iteration(write) || !is_by_all_again(write)) continue;
      const std::set<ExprId> parts = parts_for_all(write.address);
      const auto is_read_late = [&](std::uint32_t r) {
        const Access& read = trace_.accesses[r];
        if (r <= w || read.kind != Access::load || read.memory != write.memory || read.loop != write.loop) return false;
        if (!is_vague_[read.address] || !e_.uses(read.address, Uses::thread) || depends_on_iteration(read)) return false;
        // Arrays that share the dynamic memory begin at sizes that are added.
        return is_by_all_again(read) && parts_for_all(read.address) == parts && has_barrier_between(w, r) &&
               order_around(trace_.loops[write.loop], r, w) == Order::none;
      };
      const auto read = std::ranges::find_if(shared, is_read_late);
      if (read != shared.end()) note({.of_warps = true}, *read, w, true, races);
    }
  }

  // flag = 0; if (x[i] > limit) flag = 1;   All threads reset it, those of a late warp after others have set it: to have reset it itself
  // helps none of them.
  void add_late_resets(Races& races) const {
    if (block_.threads() <= 32 || waits_for_memory()) return;
    constexpr auto of_thread = Uses::thread | Uses::varying | Uses::opaque, of_some = of_thread | Uses::loaded;
    const std::vector<std::uint32_t> candidates = candidates_in(Space::shared);
    if (candidates.size() > most_candidates) return;
    const auto is_by = [&](const Access& access, std::uint16_t kind) {
      return is_decided_by(trace_, access, [&](ExprId condition) { return e_.uses(condition, kind); });
    };
    for (std::size_t r = 0; r < candidates.size(); ++r) {
      const Access& reset = trace_.accesses[candidates[r]];
      if (reset.kind != Access::store || !reset.is_constant || e_.uses(reset.address, of_some) || is_by(reset, of_some)) continue;
      const auto sets = [&](std::uint32_t candidate) {
        const Access& set = trace_.accesses[candidate];
        const bool is_other = set.kind == Access::atomic || (set.kind == Access::store && set.is_constant && set.value != reset.value);
        return is_other && set.memory == reset.memory && set.address == reset.address && set.loop == reset.loop && is_by(set, of_thread) &&
               order_between(candidates[r], candidate) != Order::of_block;
      };
      const auto set = std::find_if(candidates.begin() + static_cast<std::ptrdiff_t>(r) + 1, candidates.end(), sets);
      if (set != candidates.end()) note({.of_warps = true}, candidates[r], *set, false, races);
    }
  }

 private:
  struct Views {
    std::vector<Touched> now;
    std::vector<std::vector<Touched>> next;  // the same one iteration later, by loop
  };
  static bool conflict(Access::Kind a, Access::Kind b) {
    if (a == Access::atomic && b == Access::atomic) return false;
    if (a == Access::store && b == Access::store) return false;
    return a != Access::load || b != Access::load;
  }

  // A loop that looks at shared memory again and again until another thread has changed it is a protocol of its own.
  bool waits_for_memory() const {
    for (const Loop& loop : trace_.loops) {
      if (loop.first_order == loop.last_order && reads_shared(loop.condition)) return true;
    }
    return false;
  }

  bool reads_shared(ExprId root) const {
    if (!e_.uses(root, Uses::loaded)) return false;
    return has_part(e_, root, [&](ExprId part) { return e_[part].op == Op::load && trace_.memories[e_[part].b].space == Space::shared; });
  }

  Views views_of(const std::vector<std::uint32_t>& candidates, const std::vector<std::uint32_t>& loops, Sample::Kind kind,
                 std::int64_t iteration) const {
    Views views;
    const auto see = [&](ExprId one_more, bool is_next_of_tree) {
      Sample sample = sample_of(kind);
      sample.iteration = iteration;
      sample.one_more = one_more;
      if (is_next_of_tree) sample.halved /= 2;
      if (is_next_of_tree) sample.doubled *= 2;
      const Lanes lanes(e_, sample);
      const Reached reached = reached_in(lanes);
      std::vector<Touched> all;
      for (const std::uint32_t i : candidates) all.push_back(touched_by(trace_.accesses[i], lanes, reached));
      return all;
    };
    views.now = see(0, false);
    for (const std::uint32_t loop : loops) {
      const bool is_tree = std::ranges::find(trees_.loops, loop) != trees_.loops.end();
      views.next.push_back(see(trace_.loops[loop].iteration, is_tree));
    }
    return views;
  }

  // What the variable that a loop halves or doubles is before.
  std::optional<ExprId> first_of_tree(const Loop& loop) const {
    const ExprId variable = loop.halved != 0 ? loop.halved : loop.doubled;
    const LoopValue* const value = variable == 0 ? nullptr : trace_.loop_value(variable);
    return value ? std::optional(value->before) : std::nullopt;
  }

  // In the first iteration of all loops; `begins`: what the variable that one of them halves or doubles is then.
  Views first_views(const std::vector<std::uint32_t>& candidates, Sample::Kind kind, std::optional<ExprId> begins) const {
    Views views;
    views.now.resize(candidates.size());
    Sample sample{.kind = kind, .block = block_, .iteration = 0, .trees = trees_.variables};
    if (begins) {
      const Lanes before(e_, sample);
      if (!before.is_known(*begins) || !before.is_one_value(*begins)) return views;
      sample.halved = sample.doubled = before.at(*begins, 0);
    }
    const Lanes lanes(e_, sample);
    const Reached reached = reached_in(lanes);
    for (std::size_t i = 0; i < candidates.size(); ++i) views.now[i] = touched_by(trace_.accesses[candidates[i]], lanes, reached);
    return views;
  }

  std::vector<std::uint32_t> loops_of(const std::vector<std::uint32_t>& candidates) const {
    std::vector<std::uint32_t> loops;
    for (const std::uint32_t i : candidates) {
      for (std::uint32_t l = trace_.accesses[i].loop; l != none; l = trace_.loops[l].parent) {
        if (std::ranges::find(loops, l) == loops.end()) loops.push_back(l);
      }
    }
    if (loops.size() > most_loops) loops.resize(most_loops);
    return loops;
  }

  // What may order the threads between two accesses.
  Order order_between(std::uint32_t first, std::uint32_t second) const { return strongest(orders_until(first), orders_until(second)); }

  // The same from an access to an earlier one in the next iteration of a loop around both.
  Order order_around(const Loop& loop, std::uint32_t first, std::uint32_t second) const {
    const auto in_loop = [&](std::size_t order) { return std::clamp<std::size_t>(order, loop.first_order, loop.last_order); };
    return std::max(strongest(in_loop(orders_until(first)), loop.last_order), strongest(loop.first_order, in_loop(orders_until(second))));
  }

  bool has_barrier_between(std::uint32_t first, std::uint32_t second) const {
    return barriers_[orders_until(first)] != barriers_[orders_until(second)];
  }

  std::size_t orders_until(std::uint32_t access) const {
    return static_cast<std::size_t>(std::ranges::upper_bound(trace_.orders, access, {}, &OrderSite::accesses) - trace_.orders.begin());
  }

  // Of the orders from `first` to before `last`.
  Order strongest(std::size_t first, std::size_t last) const {
    if (of_block_[first] != of_block_[last]) return Order::of_block;
    return first != last ? Order::of_warps : Order::none;
  }

  // Of a loop around one of them only, the first iteration is looked at; where the loop orders its iterations, it must stand for all.
  bool is_of_any_iteration(const Access& first, const Access& second) const {
    return stands_for_all(first, second.loop) && stands_for_all(second, first.loop);
  }

  bool stands_for_all(const Access& access, std::uint32_t other_loop) const {
    for (std::uint32_t l = access.loop; l != none && !is_in(other_loop, l); l = trace_.loops[l].parent) {
      const bool orders = trace_.loops[l].first_order != trace_.loops[l].last_order;
      if (orders && depends_on_iteration(access)) return false;
    }
    return true;
  }

  bool depends_on_iteration(const Access& access) const {
    const auto depends = [&](ExprId id) { return e_.uses(id, Uses::iteration) || is_of_tree_[id]; };
    return depends(access.address) || any_branch_around(trace_, access.context, depends);
  }

  // Behind different tests of whether sizes are multiples, which may exclude each other.
  bool are_alternatives(const Access& first, const Access& second) const {
    const ExprId one = tests_[first.context], other = tests_[second.context];
    return one != other && one != no_test && other != no_test;
  }

  bool is_shared(const Access& access) const { return trace_.memories[access.memory].space == Space::shared; }

  bool is_in(std::uint32_t loop, std::uint32_t of) const {
    while (loop != none && loop != of) loop = trace_.loops[loop].parent;
    return loop == of;
  }

  // In a loop with several iterations, and by all threads in each.
  bool is_by_all_again(const Access& access) const {
    if (access.loop == none) return false;
    const Loop& loop = trace_.loops[access.loop];
    if (e_.constant_of(loop.condition) == 0 || e_.constant_of(loop.unbroken) == 0 || constant_iterations(e_, loop, 1)) return false;
    return !is_decided_by(trace_, access, [&](ExprId condition) { return e_.uses(condition, Uses::thread); });
  }

  // What all threads add to the number of an element.
  std::set<ExprId> parts_for_all(ExprId address) const {
    constexpr int most = 64;
    std::set<ExprId> found;
    walk_parts(e_, address, most, [&](ExprId id, const Expr& x) -> std::optional<Operands> {
      if (x.op == Op::add) return Operands{x.a, x.b};
      if (x.op == Op::mul && (e_.constant_of(x.a) || e_.constant_of(x.b))) return Operands{e_.constant_of(x.a) ? x.b : x.a};
      if (!e_.uses(id, Uses::thread) && e_.constant_of(id) != 0) found.insert(id);
      return Operands();
    });
    return found;
  }

  // In both samples, or not at all. Lanes of a warp that read before others write are not counted: an instruction reads first.
  template <typename Sides>
  Meeting meeting(const std::array<Views, 2>& views, Sides&& sides, bool reads_first) const {
    Meeting all{true, true};
    for (const Views& view : views) {
      const auto [first, second] = sides(view);
      const Meeting here = meet(*first, *second, reads_first);
      all.of_warps = all.of_warps && here.of_warps;
      all.within_warp = all.within_warp && here.within_warp;
    }
    return all;
  }

  // Does a thread of `second` touch what other threads touch in `first`? What a thread reads again of its own is no exchange; what it
  // overwrites after reading it is one with the others that read it.
  static Meeting meet(const Touched& first, const Touched& second, bool reads_first) {
    Meeting meeting;
    for (const auto& [address, thread] : second) {
      const auto by = std::ranges::equal_range(first, address, {}, &std::pair<std::int64_t, std::uint32_t>::first);
      const auto is_own = [thread](const auto& one) { return one.second == thread; };
      if (by.empty() || (!reads_first && std::ranges::any_of(by, is_own))) continue;
      // Threads are in order: the first and the last are of other warps if any is.
      const std::uint32_t warp = thread / 32;
      if (by.front().second / 32 != warp || by.back().second / 32 != warp) meeting.of_warps = true;
      if (!reads_first && std::ranges::any_of(by, [warp](const auto& one) { return one.second / 32 == warp; })) meeting.within_warp = true;
    }
    return meeting;
  }

  static bool has_several_warps(const Touched& touched) {
    return std::ranges::any_of(touched, [&](const auto& one) { return one.second / 32 != touched.front().second / 32; });
  }

  void note(const Meeting& meets, std::uint32_t first, std::uint32_t second, bool next, Races& races) const {
    if (!meets.any()) return;
    const bool first_writes = trace_.accesses[first].kind != Access::load;
    const Race race{first_writes ? first : second, first_writes ? second : first, next};
    (meets.of_warps ? races.between_warps : races.within_warps).push_back(race);
  }

  static constexpr ExprId no_test = none;
  std::vector<ExprId> tests_;  // by context: the innermost test around it of whether sizes are multiples
  // Of the first orders, how many are not of warps alone, and how many are barriers of the block.
  std::vector<std::uint32_t> of_block_, barriers_;
};

}  // namespace

Races races_of(const Trace& trace, const Shape& block, bool is_launched) {
  Races races;
  if (trace.expressions.size() > RaceViews::most_expressions) return races;
  const Trees trees = trees_in(trace);
  const Vague vague = vague_expressions(trace.expressions, trees);
  std::vector<Shape> shapes{block};
  const std::uint32_t of_tree = is_launched || block.y > 1 || block.z > 1 ? 0 : block_of_tree(trace.expressions);
  if (of_tree != 0) shapes = {{of_tree, 1, 1}};
  if (!is_launched && block.z == 1) {
    const std::array<Shape, 3> planes{{{16, 16, 1}, {32, 32, 1}, {8, 8, 1}}}, rows{{{128, 1, 1}, {64, 1, 1}, {32, 1, 1}}};
    shapes.insert(shapes.end(), block.y > 1 ? planes.begin() : rows.begin(), block.y > 1 ? planes.end() : rows.end());
  }
  for (const Shape& shape : shapes) {
    const RaceFinder finder(trace, trees, vague, shape);
    if (finder.exceeds_arrays()) continue;
    finder.add_shared(races, 0);
    finder.add_beyond_first(races);
    finder.add_before_trees(races);
    finder.add_overwritten(races);
    finder.add_late_resets(races);
    add_block_races(trace, trees, vague, shape, races);
    break;
  }
  add_unfenced_tickets(trace, races);
  return races;
}

}  // namespace frx::derive::cuda
