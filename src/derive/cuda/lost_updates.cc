#include "derive/cuda/lost_updates.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "derive/cuda/expression_parts.h"
#include "derive/cuda/race_views.h"
#include "derive/cuda/value_types.h"

namespace frx::derive::cuda {
namespace {

class LostUpdates : public RaceViews {
 public:
  LostUpdates(const Trace& trace, const Trees& trees, const Vague& vague, const Shape& block, bool has_several_blocks)
      : RaceViews(trace, trees, vague, block), has_several_blocks_(has_several_blocks) {}

  std::vector<LostUpdate> find() const {
    std::vector<LostUpdate> found;
    std::size_t looked_at = 0;
    std::optional<std::array<View, 2>> views;
    for (std::uint32_t i = 0; i < trace_.accesses.size() && looked_at < most_candidates; ++i) {
      const Access& access = trace_.accesses[i];
      if (!is_update(access)) continue;
      ++looked_at;
      if (const auto by_data = chosen_by_data(access)) {
        found.push_back({i, *by_data});
        continue;
      }
      if (has_several_blocks_ && is_rest_of_longer(access)) {
        found.push_back({i, LostUpdate::of_threads});
        continue;
      }
      if (is_vague_[access.address] || is_of_tree_[access.address] || e_.uses(access.address, Uses::loaded | Uses::varying | Uses::opaque))
        continue;
      if (!views) views = {View(*this, Sample::large_odd), View(*this, Sample::large_even)};
      const auto in_both = [&](auto&& holds) { return std::ranges::all_of(*views, holds); };
      if (in_both([&](const View& view) { return view.meets_itself(access); })) {
        found.push_back({i, LostUpdate::of_threads});
      } else if (is_same_in_all_blocks(access) && in_both([&](const View& view) { return view.any_reaches(access); })) {
        found.push_back({i, LostUpdate::of_blocks});
      } else if (in_both([&](const View& view) { return view.may_meet_itself(access); })) {
        found.push_back({i, LostUpdate::of_chosen});
      }
    }
    return found;
  }

 private:
  struct View {
    View(const LostUpdates& of, Sample::Kind kind)
        : updates(&of), lanes(std::make_unique<Lanes>(of.e_, of.sample_of(kind))), reached(of.reached_in(*lanes)) {}

    bool meets_itself(const Access& access) const {
      const Touched touched = updates->touched_by(access, *lanes, reached);
      return std::ranges::adjacent_find(touched, {}, &std::pair<std::int64_t, std::uint32_t>::first) != touched.end();
    }
    bool may_meet_itself(const Access& access) const {
      const std::optional<Mask> mask = updates->where_data_allow(access, *lanes);
      if (!mask || !lanes->is_known(access.address)) return false;
      std::set<std::int64_t> addresses;
      for (std::uint32_t lane = 0; lane < lanes->count(); ++lane) {
        if ((*mask)[lane] && !addresses.insert(lanes->at(access.address, lane)).second) return true;
      }
      return false;
    }
    bool any_reaches(const Access& access) const { return updates->touching(access, *lanes, reached).any(); }

    const LostUpdates* updates;
    std::unique_ptr<Lanes> lanes;
    Reached reached;
  };

  bool is_update(const Access& access) const {
    const Memory& memory = trace_.memories[access.memory];
    return access.kind == Access::store && access.is_update && !access.is_state && !access.is_vague && !access.is_guess &&
           (memory.space == Space::global || memory.space == Space::shared) && !memory.is_heap && !memory.holds_pointers;
  }

  // if (mode == 2 && a[i] > least) ...: the lanes whose numbers allow it, whatever the sizes say and what each thread has read of its own.
  // Nothing where something else decides, as a number that is compared with what was read: i == first[group].
  std::optional<Mask> where_data_allow(const Access& access, const Lanes& lanes) const {
    Mask mask = lanes.all();
    const auto allow = [&](ExprId condition) {
      bool is_decided = true;
      for_each_conjunct(e_, condition, [&](ExprId part, bool is_not) {
        if (e_.constant_of(part) || is_of_own_data(part)) return;
        is_decided = is_decided && lanes.is_known(part) && !is_of_unknown_share(part);
        if (is_decided) mask &= is_not ? ~mask_of(lanes, part, false) : mask_of(lanes, part, false);
      });
      return is_decided;
    };
    if (!allow(access.alive)) return std::nullopt;
    for (std::uint32_t c = access.context; c != none; c = trace_.contexts[c].parent) {
      if (!allow(trace_.contexts[c].condition)) return std::nullopt;
    }
    return mask;
  }

  // Of sizes, and of what a thread reads at places of its own alone; rank[i] == first may be so for one thread.
  bool is_of_own_data(ExprId condition) const {
    constexpr int most = 64;
    const Op op = e_[condition].op;
    if ((op == Op::eq || op == Op::ne) && e_.uses(condition, Uses::loaded)) return false;
    if (e_.uses(condition, Uses::varying | Uses::opaque | Uses::iteration)) return false;
    return walk_parts(e_, condition, most, [&](ExprId id, const Expr& x) -> std::optional<Operands> {
      if (x.op == Op::load) return e_.uses(x.a, Uses::thread_x) && e_.uses(x.a, Uses::block) ? std::optional(Operands()) : std::nullopt;
      return e_.uses(id, Uses::thread | Uses::block) ? (e_.uses(id, Uses::loaded) ? std::optional(Operands::all_of(x)) : std::nullopt)
                                                     : std::optional(Operands());
    });
  }

  // if (i < rows * columns) sums[i % columns] += a[i]: threads of several rows meet. (i + 1) % n may be of one thread alone.
  bool is_rest_of_longer(const Access& access) const {
    ExprId index = access.address;
    while (e_[index].op == Op::mul && (e_.constant_of(e_[index].a) || e_.constant_of(e_[index].b)))
      index = e_.constant_of(e_[index].a) ? e_[index].b : e_[index].a;
    const Expr rest = e_[index];
    if (rest.op != Op::mod || !e_.uses(rest.a, Uses::thread) || e_.uses(rest.a, Uses::loaded | Uses::varying | Uses::opaque)) return false;
    bool is_longer = false, is_chosen = false;  // by another condition of the thread
    is_decided_by(trace_, access, [&](ExprId condition) {
      for_each_conjunct(e_, condition, [&](ExprId part, bool is_not) {
        const Expr &test = e_[part], &end = e_[test.b];
        const bool is_end = test.op == Op::lt && !is_not && test.a == rest.a && end.op == Op::mul && (end.a == rest.b || end.b == rest.b);
        is_longer = is_longer || is_end;
        is_chosen = is_chosen || (!is_end && e_.uses(part, Uses::index | Uses::loaded | Uses::varying | Uses::opaque));
      });
      return false;
    });
    return is_longer && !is_chosen;
  }

  bool is_same_in_all_blocks(const Access& access) const {
    if (!has_several_blocks_ || trace_.memories[access.memory].space != Space::global || e_.uses(access.address, Uses::block)) return false;
    return !is_decided_by(trace_, access, [&](ExprId condition) { return chooses_blocks(condition); });
  }

  // blockIdx.x == 0, unlike i < n of elements of the grid.
  bool chooses_blocks(ExprId condition) const {
    bool chooses = false;
    for_each_conjunct(e_, condition, [&](ExprId part, bool) {
      const Op op = e_[part].op;
      const bool is_end = (op == Op::lt || op == Op::le) && e_.uses(part, Uses::thread | Uses::iteration) && e_.uses(part, Uses::uniform);
      chooses = chooses || (e_.uses(part, Uses::block) && !is_end);
    });
    return chooses;
  }

  // bins[keys[i]] of a thread's own i: is a part of the address such a load, and nothing in it a number that each thread has alone?
  std::optional<LostUpdate::Kind> chosen_by_data(const Access& access) const {
    constexpr int most = 256;
    bool has_index = false, is_rounded = false;
    const bool is_plain = walk_parts(e_, access.address, most, [&](ExprId id, const Expr& x) -> std::optional<Operands> {
      if (x.op == Op::load) {
        const bool is_global = trace_.memories[x.b].space == Space::global;
        const bool is_own = is_global && e_.uses(x.a, Uses::thread) && e_.uses(x.a, Uses::block);
        if (!is_own && !is_key_of_block(access, x)) return std::nullopt;
        has_index = true;
        is_rounded = is_rounded || is_of_floats(trace_.memories[x.b]);
        return Operands();
      }
      if (e_.uses(id, Uses::loaded)) {
        is_rounded =
            is_rounded || x.op == Op::div || x.op == Op::mod || x.op == Op::shr || x.op == Op::bit_and || e_.uses(id, Uses::floating);
        return Operands::all_of(x);
      }
      return e_.uses(id, Uses::thread | Uses::block | Uses::varying | Uses::opaque) ? std::nullopt : std::optional(Operands());
    });
    if (!is_plain || !has_index) return std::nullopt;
    if (access.adds_constant) return LostUpdate::of_keys;
    return is_rounded ? std::optional(LostUpdate::of_indices) : std::nullopt;  // a map names each element once, as a rule
  }

  // for (i = 0; i < 256; ++i) ++bins[keys[i]]; by one thread of each block, with keys in shared memory: those of blocks are the same ones.
  bool is_key_of_block(const Access& access, const Expr& load) const {
    constexpr auto of_data = Uses::loaded | Uses::varying | Uses::opaque;
    if (!has_several_blocks_ || !access.adds_constant || trace_.memories[access.memory].space != Space::global) return false;
    if (trace_.memories[load.b].space != Space::shared || !e_.uses(load.a, Uses::thread | Uses::iteration)) return false;
    if (is_decided_by(trace_, access, [&](ExprId condition) { return chooses_blocks(condition); })) return false;
    return std::ranges::all_of(trace_.accesses, [&](const Access& other) {
      return other.memory != load.b || other.kind == Access::load || other.is_constant || e_.uses(other.value, of_data);
    });
  }

  static bool is_of_floats(const Memory& memory) {
    const Arithmetic type = arithmetic_type_named(memory.type).type;
    return type == Arithmetic::float32 || type == Arithmetic::float64;
  }

  bool has_several_blocks_;
};

// A lock, a part of a tile, a barrier of the grid: threads may take turns.
bool may_take_turns(const Trace& trace) {
  return trace.uses_groups || trace.may_synchronize || std::ranges::any_of(trace.exchanges, &Exchange::decides);
}

}  // namespace

std::vector<LostUpdate> lost_updates(const Trace& trace, const Shape& block, bool has_several_blocks) {
  const auto is_update = [](const Access& access) { return access.kind == Access::store && access.is_update; };
  if (std::ranges::none_of(trace.accesses, is_update) || may_take_turns(trace)) return {};
  if (trace.expressions.size() > RaceViews::most_expressions) return {};
  const Trees trees = trees_in(trace);
  return LostUpdates(trace, trees, vague_expressions(trace.expressions, trees), block, has_several_blocks).find();
}

}  // namespace frx::derive::cuda
