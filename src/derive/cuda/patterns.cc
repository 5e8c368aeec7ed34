#include "derive/cuda/patterns.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <memory_resource>
#include <ranges>
#include <span>
#include <unordered_map>

#include "derive/cuda/expression_parts.h"
#include "derive/cuda/warp_access.h"

namespace frx::derive::cuda {
namespace {

// Limits addresses to 2^60, whatever overflowed in their computation; the distances of lanes are preserved.
std::int64_t wrapped(std::int64_t address) { return static_cast<std::int64_t>(static_cast<std::uint64_t>(address) << 3) >> 3; }

std::uint64_t distance(std::int64_t to, std::int64_t from) { return static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from); }

constexpr std::int64_t farthest_constant = 65536;  // bytes; sizes that are unknown are larger in the samples

// The context of `of` is that of `inner`, or around it.
bool is_around(const Trace& trace, std::uint32_t of, std::uint32_t inner) {
  while (inner != none && inner != of) inner = trace.contexts[inner].parent;
  return inner == of;
}

// `width = n / 4;` by all threads, of a variable in shared memory: each reads what it wrote itself, and the others wrote the same.
bool reads_own_copy(const Trace& trace, std::uint32_t load) {
  constexpr std::size_t most_looked_at = 512;
  const Access& access = trace.accesses[load];
  if (!trace.memories[access.memory].is_scalar || trace.accesses.size() > most_looked_at) return false;
  constexpr auto of_thread = Uses::thread | Uses::loaded | Uses::varying;
  std::vector<std::uint32_t> sides;  // of conditions that all threads decide alike
  bool wrote = false;
  for (std::uint32_t i = 0; i < trace.accesses.size(); ++i) {
    const Access& other = trace.accesses[i];
    if (other.memory != access.memory || other.kind == Access::load) continue;
    if (!other.is_same) return false;
    if (i > load) continue;
    const Context& context = trace.contexts[other.context];
    const auto is_other_side = [&](std::uint32_t side) {
      return side != other.context && trace.contexts[side].parent == context.parent && trace.contexts[side].at == context.at;
    };
    const bool is_both = std::ranges::any_of(sides, is_other_side) && is_around(trace, context.parent, access.context);
    wrote = wrote || is_both || is_around(trace, other.context, access.context);
    if (context.parent != none && !trace.expressions.uses(context.condition, of_thread)) sides.push_back(other.context);
  }
  return wrote;
}

// `counts[bin * 64 + threadIdx.x]`: the data choose the row, but the column is that of the thread.
bool is_in_own_column(const Expressions& e, const Lanes& lanes, ExprId address) {
  constexpr std::int64_t narrowest = 32;
  // A member, of elements of some bytes.
  for (int steps = 0; steps < 4; ++steps) {
    const Expr& x = e[address];
    if ((x.op != Op::mul && x.op != Op::add) || !e.constant_of(x.b)) break;
    address = x.a;
  }
  const Expr& sum = e[address];
  const auto is_row = [&](ExprId id) {
    const Expr& x = e[id];
    const auto width = x.op == Op::mul ? e.constant_of(x.b) : x.op == Op::shl ? e.constant_of(x.b) : std::nullopt;
    return width && (x.op == Op::mul ? *width >= narrowest : *width >= 5);
  };
  const auto is_column = [&](ExprId id) { return lanes.is_known(id) && !lanes.is_same_for_all(id); };
  return sum.op == Op::add && ((is_row(sum.a) && is_column(sum.b)) || (is_row(sum.b) && is_column(sum.a)));
}

// `visited[threadIdx.x * cities + city]`: the data choose the column, but the row is that of the thread. The sizes whose product says how
// long the rows are, in order, or none; the number of the thread in the grid may be a column as well.
std::vector<ExprId> length_of_own_row(const Expressions& e, ExprId address) {
  constexpr int most_terms = 16;
  std::vector<ExprId> length;
  int rows = 0;
  bool has_thread = false, has_block = false;
  const bool is_sum = for_each_term(e, address, most_terms, [&](ExprId id, std::int64_t) {
    std::vector<ExprId> factors = factors_of(e, id);
    const auto thread = std::ranges::find_if(factors, [&](ExprId factor) { return e[factor].op == Op::thread_x; });
    if (thread != factors.end() && factors.size() > 1) {
      factors.erase(thread);
      length = std::move(factors);
      ++rows;
      return std::ranges::all_of(length, [&](ExprId factor) { return e[factor].op == Op::uniform; });
    }
    has_thread = has_thread || e[id].op == Op::thread_x;
    has_block = has_block || (e.uses(id, Uses::block) && e[id].op != Op::load);
    return e[id].op == Op::thread_x || e[id].op == Op::load || !e.uses(id, Uses::thread);
  });
  if (!is_sum || rows != 1 || (has_thread && !has_block)) return {};
  // A column that the length takes part in may be one of the next row; behind the rows of all threads another array begins.
  const bool any_beyond = !for_each_term(e, address, most_terms, [&](ExprId id, std::int64_t) {
    const std::vector<ExprId> factors = factors_of(e, id);
    const auto is_of = [&](Op op) { return std::ranges::any_of(factors, [&](ExprId factor) { return e[factor].op == op; }); };
    return is_of(Op::thread_x) || is_of(Op::block_dim_x) || !std::ranges::includes(factors, length);
  });
  return any_beyond ? std::vector<ExprId>() : length;
}

// By memory: are all accesses to it made to rows of each thread's own, of one length?
std::vector<bool> memories_of_own_rows(const Trace& trace, const Shape& block) {
  std::vector<std::vector<ExprId>> lengths(trace.memories.size());
  std::vector<bool> are(trace.memories.size());
  for (std::size_t m = 0; m < are.size(); ++m) are[m] = trace.memories[m].space == Space::shared && block.y * block.z == 1;
  for (const Access& access : trace.accesses) {
    if (!are[access.memory]) continue;
    std::vector<ExprId> length = length_of_own_row(trace.expressions, access.address);
    std::vector<ExprId>& known = lengths[access.memory];
    are[access.memory] = !length.empty() && (known.empty() || known == length);
    known = std::move(length);
  }
  return are;
}

// By memory: is it read, and not by rows that are each thread's own?
std::vector<bool> memories_read_across_rows(const Trace& trace, const Shape& block) {
  const std::vector<bool> are_own_rows = memories_of_own_rows(trace, block);
  std::vector<bool> are_read(trace.memories.size());
  for (const Access& access : trace.accesses) {
    if (access.kind == Access::load) are_read[access.memory] = !are_own_rows[access.memory];
  }
  return are_read;
}

// Are there threads beyond so many? They have numbers of warps, or of that size.
bool has_threads_beyond(const Expressions& e, std::int64_t count) {
  for (ExprId id = 0; id < e.size(); ++id) {
    const Expr& x = e[id];
    if (x.op <= Op::load || e[x.a].op != Op::thread_x) continue;
    const std::int64_t b = e.constant_of(x.b).value_or(0);
    if ((x.op == Op::div && b >= 32) || (x.op == Op::shr && b >= 5) || ((x.op == Op::lt || x.op == Op::le) && b >= count)) return true;
  }
  return false;
}

// The step of `for (i = threadIdx.x; i < n; i += 32)`, which is the size of the block; 0: there is no such loop, or they differ, or not all
// threads run it.
std::uint32_t step_of_block(const Trace& trace) {
  constexpr std::int64_t most_threads = 1024;
  const Expressions& e = trace.expressions;
  const auto is_of_threads = [&](ExprId condition) { return e.uses(condition, Uses::thread); };
  std::int64_t found = 0;
  for (const Loop& loop : trace.loops) {
    if (loop.first_access == loop.last_access || is_decided_by(trace, trace.accesses[loop.first_access], is_of_threads)) continue;
    const ExprId first = e[loop.condition].a;
    if (e[first].op != Op::add) continue;
    for (const auto& [from, by] : {std::pair(e[first].a, e[first].b), std::pair(e[first].b, e[first].a)}) {
      if (e[from].op != Op::thread_x || e[by].op != Op::mul) continue;
      const ExprId times = e[by].a == loop.iteration ? e[by].b : e[by].b == loop.iteration ? e[by].a : 0;
      const std::optional<std::int64_t> step = times != 0 ? e.constant_of(times) : std::nullopt;
      if (!step || *step == found) continue;
      if (found != 0 || *step % 32 != 0 || *step <= 0 || *step > most_threads) return 0;
      found = *step;
    }
  }
  return found != 0 && !has_threads_beyond(e, found) ? static_cast<std::uint32_t>(found) : 0;
}

}  // namespace

Shape likely_block(const Trace& trace) {
  std::uint16_t used = 0;
  for (const Access& access : trace.accesses) used |= trace.expressions[access.address].uses;
  for (const Context& context : trace.contexts) used |= trace.expressions[context.condition].uses;
  if ((used & Uses::thread_z) != 0) return {32, 4, 4};
  if ((used & Uses::thread_y) != 0) return {32, 8, 1};
  const std::uint32_t step = step_of_block(trace);
  return {step != 0 ? step : 256, 1, 1};
}

Patterns::Patterns(const Trace& trace, const Shape& block)
    : accesses(trace.accesses.size()),
      branches(trace.branches.size()),
      barriers(trace.barriers.size()),
      collectives(trace.collectives.size()),
      warp_collectives(trace.warp_collectives.size()),
      orphaned_collectives(trace.warp_collectives.size()),
      exchanges(trace.memories.size()),
      trace_(trace),
      seen_with_(trace.accesses.size()) {
  const bool may_diverge = !trace.branches.empty() || !trace.barriers.empty() || !trace.loops.empty() || !trace.collectives.empty() ||
                           !trace.warp_collectives.empty();
  const Lanes odd(trace.expressions, {Sample::large_odd, block});
  odd_ = &odd;
  add_sample(odd, Sample::large_odd);
  for (const Sample::Kind kind : {Sample::large_even, Sample::small, Sample::tiny}) {
    if (!may_diverge && (kind == Sample::small || kind == Sample::tiny)) continue;
    add_sample(Lanes(trace.expressions, {kind, block}), kind);
  }
  add_exits(block);
  add_first_exchanges(block);
  exempt_used_sectors(odd);
  exempt_own_elements(odd, block);
  exempt_unknown_strides();
  spread_own_rows(odd, block);
}

// An unknown condition may hold for any lane.
Patterns::Mask Patterns::mask_of(const Lanes& lanes, ExprId condition) const {
  return lanes.is_known(condition) ? lanes.where(condition) : lanes.all();
}

// By context: the lanes that get there.
std::vector<Patterns::Mask> Patterns::reached_in(const Lanes& lanes) const {
  std::vector<Mask> reached;
  reached.reserve(trace_.contexts.size());
  for (const Context& context : trace_.contexts) {
    Mask mask = mask_of(lanes, context.condition);
    if (context.parent != none) mask &= reached[context.parent];
    reached.push_back(mask);
  }
  return reached;
}

void Patterns::add_sample(const Lanes& lanes, Sample::Kind kind) {
  const std::vector<Mask> reached = reached_in(lanes);
  add_barriers(lanes, reached);
  add_warp_collectives(lanes, reached);
  add_branches(lanes, reached, kind);
  if (kind == Sample::large_odd || kind == Sample::large_even) add_accesses(lanes, reached, kind);
  if (kind == Sample::large_odd) add_exchanges(lanes, reached);
  if (kind != Sample::large_odd) add_distinct(lanes);
}

// An index that is one address for large sizes (i / n) may be many for small ones.
void Patterns::add_distinct(const Lanes& lanes) {
  std::array<std::int64_t, 32 * Lanes::most_warps> buffer;
  const std::span addresses(buffer.data(), lanes.count());
  std::unordered_map<ExprId, std::uint32_t> known;
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    const ExprId address = trace_.accesses[i].address;
    const bool are_all = accesses[i].distinct >= lanes.count();  // all are distinct already
    if (trace_.accesses[i].loop == none || accesses[i].distinct == 0 || are_all || !lanes.is_known(address)) continue;
    const auto [at, is_new] = known.try_emplace(address, 0);
    if (is_new && lanes.is_one_value(address)) {
      at->second = 1;
    } else if (is_new) {
      for (std::uint32_t lane = 0; lane < lanes.count(); ++lane) addresses[lane] = lanes.at(address, lane);
      at->second = warp::distinct_count(addresses);
    }
    accesses[i].distinct = std::max(accesses[i].distinct, at->second);
  }
}

void Patterns::add_accesses(const Lanes& lanes, const std::vector<Mask>& reached, Sample::Kind kind) {
  // Accesses to the same address under the same conditions are measured once.
  std::array<std::byte, 4096> buffer;  // enough for most kernels
  std::pmr::monotonic_buffer_resource scratch(buffer.data(), buffer.size());
  std::pmr::map<std::array<std::uint32_t, 5>, std::size_t> known(&scratch);
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    const Access& access = trace_.accesses[i];
    AccessPattern& pattern = accesses[i];
    if (lanes.is_varying(access.address)) pattern.kind = AccessPattern::data_dependent;
    if (!lanes.is_known(access.address)) continue;
    const bool in_banks = trace_.memories[access.memory].space == Space::shared;
    const auto [at, is_new] = known.try_emplace({access.address, access.bytes, access.context, access.alive, in_banks}, i);
    if (!is_new) {
      pattern = accesses[at->second];
      continue;
    }
    const bool first = kind == Sample::large_odd;
    const AccessPattern before = pattern;
    Mask mask = reached[access.context] & mask_of(lanes, access.alive);
    // `if (lane < step)`: the first iteration has few lanes, later ones have all.
    if (!in_banks && mask.count() * 2 < lanes.count() && changes_with_iterations(access)) mask.set();
    if (!in_banks && mask.none()) mask = chosen_by_thread(lanes, access);
    if (first) seen_with_[i] = mask;
    // Then it confirms all of the pattern.
    if (!first && mask.any() && mask == seen_with_[i] && is_displaced(lanes, access.address)) continue;
    see(lanes, mask, access, in_banks).merge_into(pattern, first);
    if (in_banks && pattern.bank_ways > 1 && is_masked_by_size(trace_.expressions, access.address)) pattern.bank_ways = 1;
    // An element of unknown size may be as wide as the lanes are apart.
    const bool may_be_dense = access.is_recast && pattern.lane_stride && std::abs(*pattern.lane_stride) <= warp::most_bytes;
    if (may_be_dense && pattern.kind == AccessPattern::spread && !in_banks) pattern.kind = AccessPattern::unknown;
    // A record that is not given may be as large as the lanes are apart, and all of it may be used.
    const bool is_of_record = access.is_guess && !in_banks && !trace_.memories[access.memory].is_of_numbers;
    if (is_of_record && pattern.kind == AccessPattern::spread) pattern.kind = AccessPattern::unknown;
    // A member of elements of unknown size: the lanes are far apart only where a run-time number of elements lies between them.
    const bool is_far = pattern.kind == AccessPattern::spread && pattern.lane_stride && std::abs(*pattern.lane_stride) > farthest_constant;
    if (access.is_vague && access.is_guess && pattern.kind != AccessPattern::uniform && !is_far) pattern.kind = AccessPattern::unknown;
    // Lanes that a condition excludes are a matter of divergence, not of how the others are spread.
    if (pattern.kind != AccessPattern::spread) continue;
    AccessPattern all = before;
    see(lanes, Mask().set(), access, in_banks).merge_into(all, first);
    if (all.kind == AccessPattern::spread) continue;
    pattern = all;
    seen_with_[i].reset();
  }
}

// Do all lanes point where they did in the sample with odd sizes, a multiple of 128 bytes further on? That costs the same in any memory.
bool Patterns::is_displaced(const Lanes& lanes, ExprId address) const {
  constexpr std::uint64_t line = 128;
  if (!odd_->is_known(address)) return false;
  const std::int64_t *const now = lanes.row(address), *const before = odd_->row(address);
  if (!now || !before) return !now && !before && distance(lanes.at(address, 0), odd_->at(address, 0)) % line == 0;
  const std::uint64_t first = distance(now[0], before[0]);
  if (first % line != 0) return false;
  bool are_all = true;  // no way out in the middle, so that the compiler takes several lanes at a time
  for (std::uint32_t lane = 0; lane < lanes.count(); ++lane) are_all &= distance(now[lane], before[lane]) == first;
  return are_all;
}

// `if (i < n && threadIdx.x == 0)` where no lane is below n in the sample: those that the other conditions leave.
Patterns::Mask Patterns::chosen_by_thread(const Lanes& lanes, const Access& access) const {
  const Mask all = lanes.all();
  Mask mask = all;
  const auto narrow = [&](ExprId id, bool is_not) {
    if (!lanes.is_known(id)) return;
    const Mask holds = mask & (is_not ? all & ~mask_of(lanes, id) : mask_of(lanes, id));
    if (holds.any()) mask = holds;
  };
  std::vector<ExprId> conditions{access.alive};
  for (std::uint32_t c = access.context; c != none; c = trace_.contexts[c].parent) conditions.push_back(trace_.contexts[c].condition);
  // From the outermost one inwards.
  for (const ExprId condition : conditions | std::views::reverse) for_each_conjunct(trace_.expressions, condition, narrow);
  return mask;
}

// Does a loop around decide, by its iterations, which lanes make the access?
bool Patterns::changes_with_iterations(const Access& access) const {
  const Expressions& e = trace_.expressions;
  return any_branch_around(trace_, access.context,
                           [&](ExprId condition) { return e.uses(condition, Uses::thread) && e.uses(condition, Uses::iteration); });
}

WarpAccess Patterns::see(const Lanes& lanes, Mask mask, const Access& access, bool in_banks) const {
  WarpAccess seen(in_banks);
  if (mask.none()) return seen;
  const std::int64_t* const row = lanes.row(access.address);
  const std::int64_t one_for_all = row ? 0 : wrapped(lanes.at(access.address, 0));
  // Sampled warps are whole, but for the last one of a block.
  for (std::uint32_t begin = 0; begin < lanes.count(); begin += warp::lane_count) {
    const std::uint32_t width = std::min(lanes.count() - begin, warp::lane_count);
    const warp::LaneMask whole = warp::all_lanes >> (warp::lane_count - width);
    const std::uint32_t bytes = access.bytes == 0 ? 4 : access.piece != 0 ? access.piece : access.bytes;
    warp::Request request{{}, 0, std::min(bytes, warp::most_bytes)};
    request.active = static_cast<warp::LaneMask>((mask >> begin & Mask(whole)).to_ulong());
    for (std::uint32_t place = 0; place < width; ++place) request.addresses[place] = row ? wrapped(row[begin + place]) : one_for_all;
    seen.add(request);
  }
  return seen;
}

bool Patterns::diverges_in_block(const Lanes& lanes, ExprId condition) const {
  if (lanes.is_varying(condition)) return true;
  return lanes.is_known(condition) && trace_.expressions.uses(condition, Uses::thread | Uses::varying) && [&] {
    const bool first = lanes.at(condition, 0) != 0;
    for (std::uint32_t lane = 1; lane < lanes.count(); ++lane) {
      if ((lanes.at(condition, lane) != 0) != first) return true;
    }
    return false;
  }();
}

// The lanes for which a condition holds where sizes that are the same for all of them do not decide: of `step % 2 == 0 && i % 2 == 0` every
// second one.
std::optional<Patterns::Mask> Patterns::taken_by(const Lanes& lanes, ExprId condition) const {
  if (!lanes.is_known(condition)) return std::nullopt;
  const Expressions& e = trace_.expressions;
  if (e[condition].op != Op::logical_and) return lanes.where(condition);
  Mask taken = lanes.all();
  bool is_known = true;
  for_each_conjunct(e, condition, [&](ExprId part, bool is_not) {
    if (!e.uses(part, Uses::thread)) return;
    is_known = is_known && lanes.is_known(part);
    if (is_known) taken &= is_not ? ~lanes.where(part) : lanes.where(part);
  });
  return is_known ? std::optional(taken) : std::nullopt;
}

void Patterns::add_branches(const Lanes& lanes, const std::vector<Mask>& reached, Sample::Kind kind) {
  for (std::size_t i = 0; i < branches.size(); ++i) {
    const BranchSite& site = trace_.branches[i];
    BranchPattern& pattern = branches[i];
    pattern.may_diverge_in_block = pattern.may_diverge_in_block || diverges_in_block(lanes, site.condition);
    const std::optional<Mask> taken = taken_by(lanes, site.condition);
    if (!taken) continue;
    bool diverges = false, alone = true;
    std::uint32_t warps_here = 0;
    for (std::uint32_t warp = 0; warp < lanes.warps(); ++warp) {
      std::uint32_t yes = 0, no = 0;
      for (std::uint32_t lane = warp * 32; lane < std::min(warp * 32 + 32, lanes.count()); ++lane) {
        if (!reached[site.context][lane]) continue;
        ((*taken)[lane] ? yes : no) += 1;
      }
      if (yes + no > 0) ++warps_here;
      diverges = diverges || (yes > 0 && no > 0);
      pattern.diverges_in_some_warp = pattern.diverges_in_some_warp || (yes > 1 && no > 1);
      alone = alone && (yes <= 1 || no <= 1);
    }
    if (kind == Sample::tiny) {
      pattern.diverges_in_warp_when_small = diverges && !alone;
    } else if (kind == Sample::large_odd) {
      pattern.diverges_in_warp = diverges;
      pattern.elects_one = alone;
      pattern.is_of_one_warp = warps_here == 1 && lanes.warps() > 1;
    } else if (kind == Sample::large_even) {
      pattern.diverges_in_warp = pattern.diverges_in_warp && diverges;
      pattern.elects_one = pattern.elects_one || alone;
    }
  }
}

// for (k = threadIdx.x; k < 64; k += blockDim.x) s[k] = a[k]; sum += s[j]: in its first iteration the loop writes what all read.
void Patterns::add_first_exchanges(const Shape& block) {
  if (!trace_.orders.empty()) return;  // RaceFinder looks at these
  const auto is_filled = [&](const Access& access) {
    return trace_.memories[access.memory].space == Space::shared && access.kind == Access::store && access.loop != none &&
           trace_.expressions.uses(access.address, Uses::iteration);
  };
  if (std::ranges::none_of(trace_.accesses, is_filled)) return;
  const Lanes first(trace_.expressions, {.kind = Sample::large_odd, .block = block, .iteration = 0});
  add_exchanges(first, reached_in(first));
}

// Which threads read what which threads wrote. An unknown address may belong to any thread.
void Patterns::add_exchanges(const Lanes& lanes, const std::vector<Mask>& reached) {
  constexpr std::uint32_t several = none - 1;
  struct Written {
    std::vector<std::pair<std::int64_t, std::uint32_t>> by;  // address and thread, or several; sorted by address
    bool anywhere = false, at_all = false;
  };
  std::vector<Written> written(trace_.memories.size());
  const std::vector<bool> is_read = memories_read_across_rows(trace_, lanes.block());
  const auto each_lane = [&](const Access& access, auto&& act) {
    Mask mask = reached[access.context] & mask_of(lanes, access.alive);
    if (mask.none()) mask.set();
    for (std::uint32_t lane = 0; lane < lanes.count(); ++lane) {
      if (mask[lane]) act(lanes.at(access.address, lane), lanes.thread_of(lane));
    }
  };
  for (const Access& access : trace_.accesses) {
    if (access.kind == Access::load || !is_read[access.memory]) continue;
    Written& memory = written[access.memory];
    memory.at_all = true;
    if (!lanes.is_known(access.address)) {
      memory.anywhere = memory.anywhere || !is_in_own_column(trace_.expressions, lanes, access.address);
      continue;
    }
    each_lane(access, [&](std::int64_t address, std::uint32_t thread) { memory.by.emplace_back(address, thread); });
  }
  for (Written& memory : written) {
    std::ranges::sort(memory.by);
    std::size_t kept = 0;
    for (const auto& [address, thread] : memory.by) {
      const bool is_new = kept == 0 || memory.by[kept - 1].first != address;
      if (is_new) {
        memory.by[kept++] = {address, thread};
      } else if (memory.by[kept - 1].second != thread) {
        memory.by[kept - 1].second = several;
      }
    }
    memory.by.resize(kept);
  }
  for (std::uint32_t i = 0; i < trace_.accesses.size(); ++i) {
    const Access& access = trace_.accesses[i];
    Written& memory = written[access.memory];
    Exchange& exchange = exchanges[access.memory];
    if (access.kind != Access::load || !memory.at_all || exchange.between_warps || reads_own_copy(trace_, i)) continue;
    const bool is_known = lanes.is_known(access.address);
    if (!is_known && !memory.anywhere && is_in_own_column(trace_.expressions, lanes, access.address)) continue;
    if (memory.anywhere || !is_known) {
      exchange = {true, lanes.warps() > 1};
      continue;
    }
    each_lane(access, [&](std::int64_t address, std::uint32_t thread) {
      const auto at = std::ranges::lower_bound(memory.by, address, {}, &std::pair<std::int64_t, std::uint32_t>::first);
      if (at == memory.by.end() || at->first != address || at->second == thread) return;
      exchange.between_threads = true;
      if (at->second == several || at->second / 32 != thread / 32) exchange.between_warps = lanes.warps() > 1;
    });
  }
}

}  // namespace frx::derive::cuda
