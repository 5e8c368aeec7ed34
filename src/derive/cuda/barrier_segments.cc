// A barrier orders what threads do since the one before with what they do until the one behind it:
//
//   for (...) { w[t] = ...; __syncthreads(); x[t] = ...; __syncthreads(); sum += x[...] * w[...]; __syncthreads(); }
//
// The first one is needless, for nothing that stands before it meets what stands behind it, and the second one orders both arrays. In a
// loop the accesses between its last barrier and its first one are those of two iterations, and of what precedes or follows the loop.
#include "derive/cuda/barrier_segments.h"

#include <algorithm>
#include <map>
#include <utility>

#include "derive/cuda/unseen_accesses.h"

namespace frx::derive::cuda {
namespace {

constexpr std::size_t most_barriers = 64;

// Accesses by their numbers, without the last one.
using Range = std::pair<std::uint32_t, std::uint32_t>;
using Segment = std::vector<Range>;

class Barriers {
 public:
  explicit Barriers(const KernelView& view) : view_(view), trace_(view.trace) {}

  // Is all known that may exchange something?
  bool is_clear() const {
    if (trace_.barriers.empty() || trace_.barriers.size() > most_barriers || trace_.uses_groups || trace_.calls_unknown) return false;
    if (trace_.shared_escapes || trace_.may_synchronize || !trace_.collectives.empty() || view_.names.barrier_in_assembly) return false;
    const auto is_known = [](const OrderSite& site) { return site.kind == OrderSite::block; };
    if (!std::ranges::all_of(trace_.orders, is_known)) return false;
    const UnseenAccesses unseen(view_);
    return std::ranges::none_of(trace_.functions, [&](std::uint32_t f) {
      const Function& function = view_.program.functions()[f];
      return unseen.any_in(function.at.source, function.body);
    });
  }

  // Does every thread of the block come to it in each iteration of its loop, and is it written in the kernel itself?
  bool is_plain(const BarrierSite& site) const {
    if (site.is_named || site.is_collective || trace_.expressions.constant_of(site.stays).value_or(0) == 0) return false;
    const auto& body = view_.source().syntax[view_.function.body];
    if (site.at.source != view_.function.at.source || site.at.node < view_.function.body || site.at.node >= body.last) return false;
    if (site.loop == none) return site.context == 0;
    const Context& context = trace_.contexts[site.context];
    const Loop& loop = trace_.loops[site.loop];
    return context.is_loop && context.at == loop.at && trace_.expressions.constant_of(loop.unbroken).value_or(0) != 0;
  }

  // Those that stand beside one another in the same loop, or in none.
  std::map<std::uint32_t, std::vector<const BarrierSite*>> by_loop() const {
    std::map<std::uint32_t, std::vector<const BarrierSite*>> found;
    for (const BarrierSite& site : trace_.barriers) {
      if (is_plain(site)) found[site.loop].push_back(&site);
    }
    return found;
  }

  // What is accessed between two neighbours of that list, or, with none of them, before the first and behind the last one.
  Segment between(std::uint32_t loop, const BarrierSite* before, const BarrierSite* after) const {
    const auto all = static_cast<std::uint32_t>(trace_.accesses.size());
    if (before && after) return {{before->accesses, after->accesses}};
    return loop == none ? Segment{{before ? before->accesses : 0, after ? after->accesses : all}} : Segment{};
  }

  // From the last barrier of a loop to its first one, of the next iteration; with what precedes the loop, or with what follows it. Where
  // another loop is around it, all that is outside precedes and follows it.
  Segment around(const Loop& loop, const BarrierSite& first, const BarrierSite& last, bool precedes) const {
    const auto all = static_cast<std::uint32_t>(trace_.accesses.size());
    Segment found{{loop.first_access, first.accesses}, {last.accesses, loop.last_access}};
    if (precedes || loop.parent != none) found.emplace_back(0, loop.first_access);
    if (!precedes || loop.parent != none) found.emplace_back(loop.last_access, all);
    return found;
  }

  // Does something of the one touch memory that the other writes, or the other way round? Pointers to global memory may lead to the same
  // place.
  bool meet(const Segment& one, const Segment& other) const {
    std::map<std::uint32_t, bool> is_written;  // by memory, of those that the one touches
    constexpr std::uint32_t global = none - 1;
    const auto group_of = [&](const Access& access) {
      return trace_.memories[access.memory].space == Space::global ? global : access.memory;
    };
    const auto for_each = [&](const Segment& segment, auto&& take) {
      for (const auto& [first, last] : segment) {
        for (std::uint32_t i = first; i < last; ++i) {
          const Access& access = trace_.accesses[i];
          const Space space = trace_.memories[access.memory].space;
          if (space == Space::shared || space == Space::global) take(access);
        }
      }
    };
    for_each(one, [&](const Access& access) { is_written[group_of(access)] |= access.kind != Access::load; });
    bool found = false;
    for_each(other, [&](const Access& access) {
      const auto at = is_written.find(group_of(access));
      found = found || (at != is_written.end() && (at->second || access.kind != Access::load));
    });
    return found;
  }

 private:
  const KernelView& view_;
  const Trace& trace_;
};

bool is_empty(const Segment& segment) {
  return std::ranges::all_of(segment, [](const Range& range) { return range.first == range.second; });
}

}  // namespace

std::vector<NodeRef> trailing_barriers(const KernelView& view) {
  const Barriers barriers(view);
  const Trace& trace = view.trace;
  std::vector<NodeRef> found;
  for (const BarrierSite& site : trace.barriers) {
    if (site.accesses == trace.accesses.size() && site.loop == none && barriers.is_plain(site)) found.push_back(site.at);
  }
  if (!found.empty() && !barriers.is_clear()) found.clear();
  return found;
}

std::vector<NodeRef> disjoint_barriers(const KernelView& view) {
  const Barriers barriers(view);
  std::vector<NodeRef> found;
  if (view.trace.barriers.size() < 2 || !barriers.is_clear()) return found;
  for (const auto& [loop, sites] : barriers.by_loop()) {
    bool is_last_needless = false;
    for (std::size_t i = 0; i < sites.size(); ++i) {
      const BarrierSite *before = i > 0 ? sites[i - 1] : nullptr, *after = i + 1 < sites.size() ? sites[i + 1] : nullptr;
      if (loop != none && sites.size() < 2) break;
      const auto wrapped = [&](bool precedes) { return barriers.around(view.trace.loops[loop], *sites.front(), *sites.back(), precedes); };
      const Segment front = loop != none && !before ? wrapped(true) : barriers.between(loop, before, sites[i]);
      const Segment back = loop != none && !after ? wrapped(false) : barriers.between(loop, sites[i], after);
      const bool is_needless = !is_last_needless && !is_empty(front) && !is_empty(back) && !barriers.meet(front, back);
      if (is_needless) found.push_back(sites[i]->at);
      is_last_needless = is_needless;
    }
  }
  return found;
}

}  // namespace frx::derive::cuda
