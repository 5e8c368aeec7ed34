// Which barriers some threads of the block skip while others wait.
//
//   if (threadIdx.x < 64) { ...; __syncthreads(); } ...; __syncthreads();   the others are at the second one meanwhile
//   for (i = threadIdx.x; i < n; i += blockDim.x) __syncthreads();           some are in the loop once more than others
//   if (i >= n) return; s[threadIdx.x] = a[i]; __syncthreads(); b[i] = s[threadIdx.x ^ 1];
//
// A barrier does not wait for threads that have left the kernel. So a branch whose other side leads to the end without a further barrier
// is none of them when its condition cuts off the end of the data; nor is an early return, unless elements are read that those threads
// should have written. A condition of loaded values counts when each lane loads its own.
#include <algorithm>
#include <map>

#include "derive/cuda/barrier_conditions.h"
#include "derive/cuda/expression_parts.h"
#include "derive/cuda/patterns.h"

namespace frx::derive::cuda {
namespace {

using Mask = Patterns::Mask;

// Beyond these, code is generated, and nothing is said about its barriers.
constexpr std::size_t most_barriers = 256, most_shared_accesses = 1024;

// Threads that go on without what a condition guards.
struct Skip {
  ExprId condition = 1;
  Mask of, threads;              // that come to the condition, and those that go on
  std::uint32_t context = none;  // which they do not enter
  std::uint32_t loop = none;     // which they leave
  bool is_loop = false;
};

class SkippedBarriers {
 public:
  // of_block: whether threads of the whole block have to be there, or those of a warp.
  SkippedBarriers(const Trace& trace, const Lanes& lanes, const std::vector<Mask>& reached, bool of_block)
      : trace_(trace),
        e_(trace.expressions),
        lanes_(lanes),
        reached_(reached),
        all_(Mask().set() >> (Mask().size() - lanes.count())),
        of_block_(of_block) {
    barriers_in_.resize(trace.contexts.size());
    for (const BarrierSite& barrier : trace.barriers) {
      for (std::uint32_t c = barrier.context; c != none; c = trace.contexts[c].parent) ++barriers_in_[c];
    }
    for (std::uint32_t c = 1; c < trace.contexts.size(); ++c) {
      const Context& context = trace.contexts[c];
      if (!context.is_loop) sides_[{context.parent, context.at.node}].push_back(c);
    }
  }

  bool is_skipped(std::size_t b) const {
    const BarrierSite& barrier = trace_.barriers[b];
    const Mask running = known_mask(barrier.runs).value_or(all_);
    for (std::uint32_t c = barrier.context; c != 0 && c != none; c = trace_.contexts[c].parent) {
      const Context& context = trace_.contexts[c];
      if (!context.is_loop && has_equal_sides(c)) continue;
      if (const auto skip = skip_of(context.condition, running & reached_[context.parent], c, none, context.is_loop)) {
        if (counts(*skip, b)) return true;
      }
    }
    for (std::uint32_t l = barrier.loop; l != none; l = trace_.loops[l].parent) {
      const auto skip = skip_of(trace_.loops[l].unbroken, running & reached_[barrier.context], none, l, true);
      if (skip && counts(*skip, b)) return true;
    }
    const auto skip = skip_of(barrier.stays, running & reached_[barrier.context], none, none, false);
    return (skip && counts(*skip, b)) || lacks_work_of_exited(barrier);
  }

  // A collective of a library needs all threads of the block, wherever the others are.
  bool is_partial(const BarrierSite& site) const {
    if (lacks_threads(site)) return true;
    const Mask running = known_mask(site.runs).value_or(all_);
    return any_skip(site.context, site.stays, running, [](const Skip&) { return true; });
  }

  // Do lanes of one warp not make an operation that others of it make?
  bool is_partial(const WarpCollective& site) const {
    const Mask running = known_mask(site.runs).value_or(all_);
    return any_skip(site.context, site.stays, running, [&](const Skip& skip) {
      if (lanes_.is_varying(skip.condition)) return true;
      const Mask taking_part = skip.of & ~skip.threads;
      for (std::uint32_t first = 0; first < lanes_.count(); first += site.lanes) {
        const Mask warp = (Mask().set() >> (Mask().size() - std::min(site.lanes, lanes_.count() - first))) << first;
        if ((warp & skip.threads).any() && (warp & taking_part).any()) return true;
      }
      return false;
    });
  }

  // Do lanes that have left the kernel hold what others of their warp read? Where lanes leave in pairs, they may do so in groups that have
  // nothing to do with each other.
  bool reads_from_exited(const WarpCollective& site) const {
    const std::optional<Mask> runs = site.reads_ahead ? known_mask(site.runs) : std::nullopt;
    if (!runs || is_sized_by_launch(e_, site.runs) || is_of_template(trace_, site.runs)) return false;
    for (std::uint32_t lane = 0; lane + 1 < lanes_.count(); lane += 2) {
      const std::uint32_t left = (*runs)[lane] ? lane : lane + 1;
      if ((*runs)[lane] != (*runs)[lane + 1] && reached_[site.context][left]) return true;
    }
    return false;
  }

 private:
  template <typename Accept>
  bool any_skip(std::uint32_t context, ExprId stays, const Mask& running, Accept&& accept) const {
    for (std::uint32_t c = context; c != 0 && c != none; c = trace_.contexts[c].parent) {
      const Context& around = trace_.contexts[c];
      const auto skip = skip_of(around.condition, running & reached_[around.parent], c, none, around.is_loop);
      if (skip && accept(*skip)) return true;
    }
    const auto skip = skip_of(stays, running & reached_[context], none, none, false);
    return skip && accept(*skip);
  }

  std::optional<Mask> known_mask(ExprId condition) const {
    return lanes_.is_known(condition) ? std::optional(lanes_.where(condition)) : std::nullopt;
  }

  // Which of these threads go on without what the condition guards, if others do not.
  std::optional<Skip> skip_of(ExprId condition, const Mask& of, std::uint32_t context, std::uint32_t loop, bool is_loop) const {
    if (is_of_template(trace_, condition) || (is_loop && ends_at_rounded_size(e_, condition))) return std::nullopt;
    if (lanes_.is_varying(condition)) {
      if (!loads_differ(trace_, lanes_, condition, of_block_)) return std::nullopt;
      return Skip{condition, of, of, context, loop, is_loop};
    }
    const std::optional<Mask> yes = known_mask(condition);
    if (!yes) return std::nullopt;
    const Mask skipping = of & ~*yes;
    if (skipping.none() || skipping == of) return std::nullopt;
    return Skip{condition, of, skipping, context, loop, is_loop};
  }

  bool counts(const Skip& skip, std::size_t b) const {
    // Those that leave a loop earlier than others and come to no other barrier leave the kernel.
    // What others exchange with them in their last iteration is missing.
    if (meets_another(skip, b) || comes_again(skip) || (!skip.is_loop && is_of_thread_alone(e_, skip.condition))) return true;
    const bool is_of_threads = e_.uses(skip.condition, Uses::thread) && !e_.uses(skip.condition, Uses::block | Uses::varying);
    if (!skip.is_loop || !is_of_threads) return false;
    return exchanges_in(skip.context != none ? trace_.contexts[skip.context].at : trace_.loops[skip.loop].at, skip.condition);
  }

  // Is shared memory both written and read in that loop? What ends at the size that ends the loop reads nothing of threads without work:
  // for (k = 0; k < min(m - base, 256); ++k)
  bool exchanges_in(NodeRef loop_at, ExprId condition) const {
    bool writes = false, reads = false;
    for (const Access& access : trace_.accesses) {
      if (trace_.memories[access.memory].space != Space::shared) continue;
      std::uint32_t l = access.loop;
      while (l != none && !(trace_.loops[l].at == loop_at)) l = trace_.loops[l].parent;
      if (l == none) continue;
      if (access.kind != Access::load)
        writes = true;
      else if (!reads)
        reads = !is_ended_by_size(access, loop_at, condition);
    }
    return writes && reads;
  }

  // for (k = 0; k < min(m, base + 256) - base; ++k) ... s[k]: does a condition within the loop keep the index below what is left of a size
  // that ends the loop itself?
  bool is_ended_by_size(const Access& access, NodeRef loop_at, ExprId of_loop) const {
    const auto is_size = [&](ExprId part) {
      return e_[part].op == Op::uniform && has_part(e_, of_loop, [&](ExprId other) { return other == part; });
    };
    const auto is_in_address = [&](ExprId part) {
      return part != 0 && has_part(e_, access.address, [&](ExprId other) { return other == part; });
    };
    for (std::uint32_t c = access.context; c != none && !(trace_.contexts[c].at == loop_at); c = trace_.contexts[c].parent) {
      const Expr& test = e_[trace_.contexts[c].condition];
      const bool is_rest = e_[test.b].op == Op::sub || e_[test.b].op == Op::add || e_[test.b].op == Op::min;
      if ((test.op == Op::lt || test.op == Op::le) && e_.uses(test.a, Uses::index) && is_in_address(test.a) && is_rest &&
          has_part(e_, test.b, is_size))
        return true;
    }
    return false;
  }

  // for (i...) if (list[i]) { ...; __syncthreads(); ... }: those that skip it come to it in a later iteration, and the others take that for
  // this one.
  bool comes_again(const Skip& skip) const {
    if (skip.is_loop || skip.context == none || !lanes_.is_varying(skip.condition)) return false;
    if (!e_.uses(skip.condition, Uses::iteration)) return false;
    for (std::uint32_t c = trace_.contexts[skip.context].parent; c != none; c = trace_.contexts[c].parent) {
      if (trace_.contexts[c].is_loop) return true;
    }
    return false;
  }

  // Do those threads come to another barrier of the block?
  bool meets_another(const Skip& skip, std::size_t b) const {
    for (std::size_t k = 0; k < trace_.barriers.size(); ++k) {
      const BarrierSite& other = trace_.barriers[k];
      if (k == b || other.is_named || is_within(skip, other)) continue;
      if (k < b && !shares_loop_around(skip, trace_.barriers[b], other)) continue;
      const std::optional<Mask> stays = known_mask(other.stays), runs = known_mask(other.runs);
      if (!stays || !runs) continue;
      if ((skip.threads & reached_[other.context] & *stays & *runs).any()) return true;
    }
    return false;
  }

  bool is_within(const Skip& skip, const BarrierSite& other) const {
    for (std::uint32_t c = other.context; c != none && skip.context != none; c = trace_.contexts[c].parent) {
      if (c == skip.context) return true;
    }
    for (std::uint32_t l = other.loop; l != none && skip.loop != none; l = trace_.loops[l].parent) {
      if (l == skip.loop) return true;
    }
    return false;
  }

  // An earlier barrier is reached again in the next iteration of a loop around what is skipped.
  bool shares_loop_around(const Skip& skip, const BarrierSite& barrier, const BarrierSite& other) const {
    std::uint32_t l = barrier.loop;
    if (skip.loop != none) l = trace_.loops[skip.loop].parent;
    if (skip.loop == none && skip.is_loop) {
      while (l != none && !(trace_.loops[l].at == trace_.contexts[skip.context].at)) l = trace_.loops[l].parent;
      if (l != none) l = trace_.loops[l].parent;
    }
    for (; l != none; l = trace_.loops[l].parent) {
      for (std::uint32_t o = other.loop; o != none; o = trace_.loops[o].parent) {
        if (o == l) return true;
      }
    }
    return false;
  }

  // Both sides of an if pass as many barriers: one of a warp meets the one of another.
  bool has_equal_sides(std::uint32_t c) const {
    const auto at = sides_.find({trace_.contexts[c].parent, trace_.contexts[c].at.node});
    if (at == sides_.end() || at->second.size() != 2) return false;
    return barriers_in_[at->second[0]] == barriers_in_[at->second[1]];
  }

  bool lacks_threads(const BarrierSite& barrier) const {
    const std::optional<Mask> runs = known_mask(barrier.runs);
    return runs && runs->any() && *runs != all_ && !is_sized_by_launch(e_, barrier.runs) && !is_of_template(trace_, barrier.runs);
  }

  bool is_determined(std::uint32_t context) const {
    for (std::uint32_t c = context; c != none; c = trace_.contexts[c].parent) {
      if (!lanes_.is_known(trace_.contexts[c].condition)) return false;
    }
    return true;
  }

  // Is something read from shared memory that only threads would have written which have left the kernel?
  bool lacks_work_of_exited(const BarrierSite& barrier) const {
    if (!lacks_threads(barrier) || chooses_what_it_stores(barrier)) return false;
    const Mask gone = all_ & ~*known_mask(barrier.runs);
    std::vector<Written> written(trace_.memories.size());
    std::size_t shared = 0;
    for (std::uint32_t i = 0; i < trace_.accesses.size(); ++i) {
      const Access& access = trace_.accesses[i];
      if (trace_.memories[access.memory].space != Space::shared) continue;
      if (++shared > most_shared_accesses) return false;
      if (access.kind != Access::load) add(access, gone, written[access.memory]);
    }
    for (Written& memory : written) {
      std::ranges::sort(memory.by_all);
      std::ranges::sort(memory.by_gone);
    }
    for (std::uint32_t i = barrier.accesses; i < trace_.accesses.size(); ++i) {
      if (trace_.accesses[i].kind == Access::load && reads_missing(trace_.accesses[i], written[trace_.accesses[i].memory])) return true;
    }
    return false;
  }

  // if (i + radius < n - radius) out[i] = s[...]; where only threads store whose index is below a further size, the others may have read
  // what is missing, and dropped it.
  bool chooses_what_it_stores(const BarrierSite& barrier) const {
    bool any = false;
    for (std::uint32_t i = barrier.accesses; i < trace_.accesses.size(); ++i) {
      const Access& access = trace_.accesses[i];
      if (access.kind == Access::load || trace_.memories[access.memory].space == Space::shared) continue;
      const bool is_chosen = any_branch_around(trace_, access.context, [&](ExprId condition) {
        const bool compares = e_.uses(condition, Uses::thread) && e_.uses(condition, Uses::block) && e_.uses(condition, Uses::comparison);
        // `i < n`, which the threads have left by, chooses none of them.
        return compares && has_part(e_, condition, [&](ExprId part) {
                 const Expr& x = e_[part];
                 return (x.op == Op::add || x.op == Op::sub) && (e_[x.a].op == Op::uniform || e_[x.b].op == Op::uniform);
               });
      });
      if (!is_chosen) return false;
      any = true;
    }
    return any;
  }

  struct Written {
    std::vector<std::int64_t> by_all, by_gone;  // addresses: that are written, and that threads would have written
    bool anywhere = false;
  };

  void add(const Access& access, const Mask& gone, Written& memory) const {
    const std::optional<Mask> alive = known_mask(access.alive);
    if (!lanes_.is_known(access.address) || !alive) {
      memory.anywhere = true;
      return;
    }
    const bool is_in_any_round = access.loop == none || !e_.uses(access.address, Uses::iteration);
    for (std::uint32_t lane = 0; lane < lanes_.count(); ++lane) {
      if (!reached_[access.context][lane]) continue;
      if ((*alive)[lane]) memory.by_all.push_back(lanes_.at(access.address, lane));
      if (gone[lane] && !(*alive)[lane] && is_in_any_round) memory.by_gone.push_back(lanes_.at(access.address, lane));
    }
  }

  bool reads_missing(const Access& access, const Written& memory) const {
    if (memory.anywhere || memory.by_gone.empty() || !lanes_.is_known(access.address) || !is_determined(access.context)) return false;
    const std::optional<Mask> alive = known_mask(access.alive);
    if (!alive) return false;
    for (std::uint32_t lane = 0; lane < lanes_.count(); ++lane) {
      if (!reached_[access.context][lane] || !(*alive)[lane]) continue;
      const std::int64_t address = lanes_.at(access.address, lane);
      if (std::ranges::binary_search(memory.by_gone, address) && !std::ranges::binary_search(memory.by_all, address)) return true;
    }
    return false;
  }

  const Trace& trace_;
  const Expressions& e_;
  const Lanes& lanes_;
  const std::vector<Mask>& reached_;
  Mask all_;
  bool of_block_;
  std::vector<std::uint32_t> barriers_in_;  // by context
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint32_t>> sides_;
};

}  // namespace

void Patterns::add_barriers(const Lanes& lanes, const std::vector<Mask>& reached) {
  if ((barriers.empty() && collectives.empty()) || barriers.size() > most_barriers || collectives.size() > most_barriers) return;
  const SkippedBarriers skipped(trace_, lanes, reached, true);
  for (std::size_t i = 0; i < barriers.size(); ++i) {
    if (!barriers[i] && !trace_.barriers[i].is_named) barriers[i] = skipped.is_skipped(i);
  }
  for (std::size_t i = 0; i < collectives.size(); ++i) collectives[i] = collectives[i] || skipped.is_partial(trace_.collectives[i]);
}

// Whether the work of threads that have left is needed may depend on whether a size is odd: one lane of a pair has left.
void Patterns::add_exits(const Shape& block) {
  const auto is_decided = [&](ExprId runs) { return trace_.expressions.constant_of(runs).has_value(); };
  bool any = false;
  for (std::size_t i = 0; i < barriers.size(); ++i) any = any || (!barriers[i] && !is_decided(trace_.barriers[i].runs));
  for (const WarpCollective& site : trace_.warp_collectives) any = any || (site.reads_ahead && !is_decided(site.runs));
  if (!any) return;
  const Lanes other(trace_.expressions, {.kind = Sample::tiny, .block = block, .more = 1});
  const std::vector<Mask> reached = reached_in(other);
  add_barriers(other, reached);
  add_warp_collectives(other, reached);
}

void Patterns::add_warp_collectives(const Lanes& lanes, const std::vector<Mask>& reached) {
  constexpr std::int64_t all_of_warp = 0xFFFFFFFF;
  if (warp_collectives.empty() || warp_collectives.size() > most_barriers) return;
  const SkippedBarriers skipped(trace_, lanes, reached, false);
  for (std::size_t i = 0; i < warp_collectives.size(); ++i) {
    const WarpCollective& site = trace_.warp_collectives[i];
    const bool is_full = site.is_of_object || (site.mask && (*site.mask & all_of_warp) == all_of_warp);
    if (!is_full) continue;
    warp_collectives[i] = warp_collectives[i] || skipped.is_partial(site);
    orphaned_collectives[i] = orphaned_collectives[i] || skipped.reads_from_exited(site);
  }
}

}  // namespace frx::derive::cuda
