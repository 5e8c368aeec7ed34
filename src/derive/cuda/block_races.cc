#include "derive/cuda/block_races.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>

#include "derive/cuda/expression_parts.h"
#include "derive/cuda/loop_counts.h"
#include "derive/cuda/partial_guards.h"
#include "derive/cuda/tags.h"

namespace frx::derive::cuda {
namespace {

class BlockRaces : public RaceViews {
 public:
  using RaceViews::RaceViews;

  // Grids are ordered by grid.sync(), by fences and by code that is not seen here.
  bool orders_blocks() const {
    if (trace_.uses_fences || trace_.uses_groups || trace_.may_synchronize || trace_.calls_unknown) return true;
    return std::ranges::any_of(trace_.orders,
                               [](const OrderSite& o) { return o.kind == OrderSite::fence || o.kind == OrderSite::unknown; });
  }

  // partial[blockIdx.x] = sum; ...; for (b = threadIdx.x; b < gridDim.x; b += 256) total += partial[b];
  void add_gathers(Races& races) const {
    const auto hands_out = [](const Access& access) { return access.kind == Access::atomic && access.is_asked; };
    if (std::ranges::any_of(trace_.accesses, hands_out)) return;
    constexpr auto unknown = Uses::varying | Uses::opaque | Uses::loaded;
    std::vector<std::uint32_t> written(trace_.memories.size(), not_written);
    for (std::uint32_t i = 0; i < trace_.accesses.size(); ++i) {
      const Access& access = trace_.accesses[i];
      if (trace_.memories[access.memory].space != Space::global) continue;
      const bool is_of_block = e_.uses(access.address, Uses::block) && !e_.uses(access.address, unknown);
      if (access.kind == Access::store && is_of_block) written[access.memory] = i;
      if (access.kind != Access::load || written[access.memory] == not_written || !reads_for_all_blocks(access)) continue;
      races.between_blocks.push_back({written[access.memory], i, false});
    }
  }

  // if (blockIdx.x * blockDim.x + threadIdx.x == 0) *sum = 0; ...; atomicAdd(sum, x): other blocks may have added before.
  void add_resets(Races& races) const {
    std::vector<std::uint32_t> reset(trace_.memories.size(), not_written);
    for (std::uint32_t i = 0; i < trace_.accesses.size(); ++i) {
      const Access& access = trace_.accesses[i];
      if (!is_same_for_all(access)) continue;
      if (access.kind == Access::store && !e_.uses(access.value, may_differ) && is_of_one_block(access)) reset[access.memory] = i;
      const std::uint32_t store = reset[access.memory];
      if (access.kind != Access::atomic || access.is_exchange || store == not_written || is_of_one_block(access)) continue;
      if (trace_.accesses[store].address == access.address) races.between_blocks.push_back({store, i, false});
    }
  }

  // start = *step * n; ...; if (blockIdx.x * blockDim.x + threadIdx.x == 0) ++*step: blocks that begin later start with the next one.
  void add_steps(Races& races) const {
    std::map<Element, std::uint32_t> steps;
    for (std::uint32_t i = 0; i < trace_.accesses.size(); ++i) {
      const Access& access = trace_.accesses[i];
      const bool is_update = access.kind == Access::atomic ? !access.is_exchange : access.kind == Access::store && !access.is_constant;
      if (is_update && is_same_for_all(access) && is_of_one_block(access)) steps.emplace(element_of(access), i);
    }
    for (std::uint32_t i = 0; !steps.empty() && i < trace_.accesses.size(); ++i) {
      const Access& access = trace_.accesses[i];
      if (access.kind != Access::load) continue;
      const auto step = steps.find(element_of(access));
      if (step != steps.end() && !is_of_one_block(access)) races.between_blocks.push_back({step->second, i, false});
    }
  }

  // atomicAdd(sum, x[i]); ...; mean = *sum / n, or mean = atomicAdd(sum, x[i]) / n: what has been added until then.
  void add_totals(Races& races) const {
    const auto is_ticket = [&](const Access& access) { return access.kind == Access::atomic && access.is_asked && !is_floating(access); };
    const auto is_of_block = [&](const Access& access) { return e_.uses(access.address, Uses::block); };
    if (std::ranges::any_of(trace_.accesses, is_ticket) || std::ranges::none_of(trace_.accesses, is_of_block)) return;
    std::map<Element, std::uint32_t> sums;
    for (std::uint32_t i = 0; i < trace_.accesses.size(); ++i) {
      const Access& access = trace_.accesses[i];
      if (access.is_sum && is_same_for_all(access) && !is_of_one_block(access)) {
        sums.emplace(element_of(access), i);
        if (access.is_asked) races.between_blocks.push_back({i, i, false});
      }
      // A counter is asked for whether it is time to stop; only one block would not ask for that.
      if (access.kind != Access::load || (!is_floating(access) && !is_of_one_block(access))) continue;
      const auto sum = sums.find(element_of(access));
      if (sum != sums.end()) races.between_blocks.push_back({sum->second, i, false});
    }
  }

  // for (j = 0; j < n; ++j) sum += f(p[i], p[j]); p[i] += sum, in threads i < n of all blocks.
  void add_pairs(Races& races) const {
    std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> stores;  // by memory
    for (std::uint32_t w = 0; w < trace_.accesses.size(); ++w) {
      const Access& write = trace_.accesses[w];
      const bool is_global = trace_.memories[write.memory].space == Space::global;
      if (is_global && write.kind == Access::store && !write.is_constant && !write.is_vague) stores[write.memory].push_back(w);
    }
    constexpr std::size_t most_pairs = 64;
    std::size_t looked_at = 0;
    for (std::uint32_t r = 0; r < trace_.accesses.size() && looked_at < most_pairs; ++r) {
      const Access& read = trace_.accesses[r];
      const auto written = stores.find(read.memory);
      const std::optional<std::uint32_t> loop = written == stores.end() ? std::nullopt : loop_over_all(read);
      const std::optional<ExprId> length = loop ? counted_length(e_, trace_.loops[*loop]) : std::nullopt;
      if (!length) continue;
      for (const std::uint32_t w : written->second) {
        if (++looked_at > most_pairs) break;
        const std::optional<ExprId> number = number_below(trace_.accesses[w], *length);
        if (number && writes_what_is_read(trace_.accesses[w], read, *loop, *number)) races.between_blocks.push_back({w, r, false});
      }
    }
  }

  void add_blocks(Races& races) const {
    std::vector<std::uint32_t> candidates = candidates_in(Space::global);
    if (candidates.size() < 2 || candidates.size() > most_candidates) return;
    if (!any_read_elsewhere(candidates)) return;
    const std::vector<bool> by_data = decided_by_own_array(candidates);
    std::vector<BlockView> views;
    for (const Sample::Kind kind : {Sample::large_odd, Sample::large_even}) {
      for (const std::int64_t more : {-1, 1}) views.push_back(block_view(candidates, by_data, kind, 0, more));
    }
    constexpr std::int64_t to_first = -Lanes::sampled_block;
    for (const Sample::Kind kind : {Sample::large_odd, Sample::large_even})
      views.push_back(block_view(candidates, by_data, kind, to_first + 1, to_first));
    for (std::size_t w = 0; w < candidates.size(); ++w) {
      if (trace_.accesses[candidates[w]].kind != Access::store || overlaps_itself(views, w)) continue;
      for (std::size_t r = 0; r < candidates.size(); ++r) {
        const Access &write = trace_.accesses[candidates[w]], &read = trace_.accesses[candidates[r]];
        if (read.kind != Access::load || read.memory != write.memory || read.address == write.address) continue;
        const auto side = [&](std::size_t v) { return shares(views[v].here[w], views[v].there[r]); };
        // data[blockIdx.x] = sum of data[blockIdx.x * blockDim.x + ...]: the first block reads what the second one writes.
        const bool is_beside = !overlaps_itself(views, r) && ((side(0) && side(2)) || (side(1) && side(3)));
        if (is_beside || (is_of_block_alone(write) && side(4) && side(5))) {
          races.between_blocks.push_back({candidates[w], candidates[r], false});
        }
      }
    }
  }

 private:
  struct BlockView {
    std::vector<Touched> here, there;  // in one block and in the one beside it
  };

  static constexpr std::uint32_t not_written = none;
  static constexpr auto may_differ = Uses::thread | Uses::block | Uses::iteration | Uses::varying | Uses::opaque | Uses::loaded;

  using Element = std::pair<std::uint32_t, ExprId>;  // memory, address
  static Element element_of(const Access& access) { return {access.memory, access.address}; }

  // An element of global memory that is one for all threads of the grid.
  bool is_same_for_all(const Access& access) const {
    return trace_.memories[access.memory].space == Space::global && !access.is_vague && !e_.uses(access.address, may_differ);
  }

  bool is_floating(const Access& access) const {
    const std::string_view type = trace_.memories[access.memory].type;
    return type == "float" || type == "double";
  }

  // Is an array written at one place and read at another? For most kernels no threads have to be looked at.
  bool any_read_elsewhere(const std::vector<std::uint32_t>& candidates) const {
    std::unordered_map<std::uint32_t, std::vector<ExprId>> written;  // by memory
    for (const std::uint32_t i : candidates) {
      const Access& access = trace_.accesses[i];
      if (access.kind == Access::store) written[access.memory].push_back(access.address);
    }
    return std::ranges::any_of(candidates, [&](std::uint32_t i) {
      const Access& access = trace_.accesses[i];
      const auto stores = written.find(access.memory);
      if (access.kind != Access::load || stores == written.end()) return false;
      return std::ranges::any_of(stores->second, [&](ExprId address) { return address != access.address; });
    });
  }

  // blockIdx.x == 0, or the number of a thread in the grid is one number.
  bool is_of_one_block(const Access& access) const {
    constexpr auto own = Uses::thread | Uses::block | Uses::iteration;
    return is_decided_by(trace_, access, [&](ExprId condition) {
      bool chooses = false;
      for_each_conjunct(e_, condition, [&](ExprId part, bool is_not) {
        const Expr& x = e_[part];
        if (e_.uses(part, Uses::loaded | Uses::varying | Uses::opaque | Uses::clamped) || !e_.uses(part, Uses::block)) return;
        const bool is_one = is_not ? x.op <= Op::max || x.op == Op::ne : x.op == Op::eq;
        const bool is_plain = x.op <= Op::max;  // !i
        chooses = chooses || (is_one && (is_plain || !e_.uses(x.a, own) || !e_.uses(x.b, own)));
      });
      return chooses;
    });
  }

  // For a load of each element of an array in turn, the same for all threads: the loop over them, as long as a size says.
  std::optional<std::uint32_t> loop_over_all(const Access& access) const {
    constexpr auto own = Uses::thread | Uses::block | Uses::varying | Uses::opaque | Uses::loaded;
    if (access.kind != Access::load || access.is_vague) return std::nullopt;
    if (!e_.uses(access.address, Uses::iteration) || e_.uses(access.address, own) || is_vague_[access.address]) return std::nullopt;
    for (std::uint32_t l = access.loop; l != none; l = trace_.loops[l].parent) {
      const std::optional<ExprId> length = counted_length(e_, trace_.loops[l]);
      const bool is_size = length && e_.uses(*length, Uses::uniform) && !e_.uses(*length, Uses::loaded | Uses::iteration);
      const bool is_of_loop = has_part(e_, access.address, [&](ExprId part) { return part == trace_.loops[l].iteration; });
      if (is_size && is_of_loop) return l;
    }
    return std::nullopt;
  }

  // The number of the thread in the grid that is compared with that size before the access.
  std::optional<ExprId> number_below(const Access& access, ExprId size) const {
    for (const Comparison& guard : comparisons_of(trace_, access)) {
      if (guard.op == Op::lt && guard.right == size && has_global_index(e_, guard.left)) return guard.left;
    }
    return std::nullopt;
  }

  // Is the element that a thread writes the one which all read in the iteration of that number?
  bool writes_what_is_read(const Access& write, const Access& read, std::uint32_t loop, ExprId number) const {
    if (is_vague_[write.address]) return false;
    return std::ranges::all_of(std::array{Sample::large_odd, Sample::large_even}, [&](Sample::Kind kind) {
      const Lanes now(e_, {.kind = kind, .block = block_, .iteration = 0});
      if (!now.is_known(number) || !now.is_known(write.address)) return false;
      Sample at_that{.kind = kind, .block = block_, .iteration = 0};
      at_that.iterations.emplace_back(trace_.loops[loop].iteration, now.at(number, 0));
      const Lanes then(e_, at_that);
      return then.is_known(read.address) && then.at(read.address, 0) == now.at(write.address, 0);
    });
  }

  // Does the array that the thread itself writes decide whether it writes, and nothing else that it has read? Elements that all get one
  // number, and such as only ever become smaller or larger, may be read before or after.
  std::vector<bool> decided_by_own_array(const std::vector<std::uint32_t>& candidates) const {
    std::unordered_map<std::uint32_t, std::set<ExprId>> values;  // by memory
    std::set<std::uint32_t> read, compared;
    for (const Access& access : trace_.accesses) {
      if (trace_.memories[access.memory].space != Space::global) continue;
      if (access.kind == Access::load) read.insert(access.memory);
      if (access.kind == Access::store) values[access.memory].insert(access.value);
      if (access.kind == Access::store && compares_value(access)) compared.insert(access.memory);
      if (access.kind == Access::atomic) return {};
    }
    std::vector<bool> by_data;
    if (read.size() != 1) return by_data;
    for (const std::uint32_t i : candidates) {
      const Access& access = trace_.accesses[i];
      constexpr auto data = Uses::loaded | Uses::varying | Uses::opaque;
      const bool is_decided = is_decided_by(trace_, access, [&](ExprId condition) { return e_.uses(condition, data); });
      const std::set<ExprId>& stored = values[access.memory];
      const bool is_one_number = stored.size() == 1 && e_.constant_of(*stored.begin());
      by_data.push_back(access.kind == Access::store && is_decided && read.contains(access.memory) && !is_one_number &&
                        !compared.contains(access.memory));
    }
    return by_data;
  }

  // if (x < a[i]) a[i] = x
  bool compares_value(const Access& store) const {
    bool found = false;
    for (std::uint32_t c = store.context; c != none && !found; c = trace_.contexts[c].parent) {
      for_each_conjunct(e_, trace_.contexts[c].condition, [&](ExprId part, bool) {
        const Expr& x = e_[part];
        found = found || ((x.op == Op::lt || x.op == Op::le) && !e_.constant_of(store.value) && (x.a == store.value || x.b == store.value));
      });
    }
    return found;
  }

  // Is it an element for each block of the grid?
  bool reads_for_all_blocks(const Access& access) const {
    if (access.loop == none || e_.uses(access.address, Uses::block | Uses::varying | Uses::opaque)) return false;
    const Expr& test = e_[trace_.loops[access.loop].condition];
    const Op end = e_[test.b].op;
    const bool is_of_grid = end >= Op::grid_dim_x && end <= Op::grid_dim_z;  // or of the blocks before this one
    const bool is_end = is_of_grid || (end >= Op::block_x && end <= Op::block_z);
    return test.op == Op::lt && is_end && e_.uses(access.address, Uses::iteration);
  }

  // One element for each block.
  bool is_of_block_alone(const Access& access) const {
    return e_.uses(access.address, Uses::block) && !e_.uses(access.address, Uses::thread | Uses::iteration | Uses::loaded);
  }

  // What is touched by blocks that are `first` and `second` further along x than the sampled one.
  BlockView block_view(const std::vector<std::uint32_t>& candidates, const std::vector<bool>& by_data, Sample::Kind kind,
                       std::int64_t first, std::int64_t second) const {
    const auto see = [&](std::int64_t blocks) {
      const Lanes lanes(e_, {.kind = kind, .block = block_, .iteration = 0, .more_blocks = blocks});
      const Reached reached = reached_in(lanes);
      std::vector<Touched> all;
      for (std::size_t i = 0; i < candidates.size(); ++i)
        all.push_back(touched_by(trace_.accesses[candidates[i]], lanes, reached, !by_data.empty() && by_data[i]));
      return all;
    };
    return {see(first), see(second)};
  }

  static bool shares(const Touched& a, const Touched& b) {
    return std::ranges::any_of(
        b, [&](const auto& one) { return std::ranges::binary_search(a, one.first, {}, &std::pair<std::int64_t, std::uint32_t>::first); });
  }

  // The block that is assumed is larger than that of the launch, or the blocks share the element anyway.
  static bool overlaps_itself(const std::vector<BlockView>& views, std::size_t i) {
    return std::ranges::any_of(views, [i](const BlockView& v) { return shares(v.here[i], v.there[i]); });
  }
};

}  // namespace

void add_block_races(const Trace& trace, const Trees& trees, const Vague& vague, const Shape& block, Races& races) {
  const BlockRaces finder(trace, trees, vague, block);
  if (finder.orders_blocks()) return;
  finder.add_blocks(races);
  finder.add_gathers(races);
  finder.add_pairs(races);
  finder.add_resets(races);
  finder.add_steps(races);
  finder.add_totals(races);
}

}  // namespace frx::derive::cuda
