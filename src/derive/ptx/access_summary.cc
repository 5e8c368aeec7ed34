#include "derive/ptx/access_summary.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <tuple>
#include <utility>

namespace frx::derive::ptx {
namespace {

using ::frx::model::ptx::Space;

// Much good code has two-way bank conflicts: one more wavefront is hidden by other work.
constexpr std::uint32_t costly_wavefronts = 4;

bool is_costly(const AccessCost& cost, const Request& request) {
  if (request.space == Space::global) return is_wasteful(cost, request.bytes);
  return cost.excess() > 0 && cost.typical >= costly_wavefronts * cost.ideal;
}

std::uint64_t excess(const Measured& measured) { return measured.cost ? measured.cost->excess() : 0; }

// The cost of every request, for each block shape.
struct Shapes {
  std::vector<BlockShape> all;
  std::vector<std::vector<Measured>> measured;  // by shape and request
};

// The costly ones of one space, worst first.
class Collector {
 public:
  Collector(const MemoryAnalysis& analysis, const Shapes& shapes) : analysis_(analysis), shapes_(shapes) {}

  // Looks at one access in every shape.
  void add(std::size_t access) {
    std::size_t costly = 0, first = shapes_.all.size();
    for (std::size_t shape = 0; shape < shapes_.all.size(); ++shape) {
      const Measured& measured = shapes_.measured[shape][analysis_.request_number(access)];
      if (!measured.cost || !is_costly(*measured.cost, analysis_.request(access))) continue;
      first = std::min(first, shape);
      ++costly;
    }
    if (costly > 0) found_.push_back({access, first, costly == shapes_.all.size(), false});
  }

  // Marks accesses that use, with others of their family, more than half of the bytes of the sectors that all of them touch.
  void find_neighbours() {
    std::map<std::size_t, std::vector<Found*>> by_shape;
    for (Found& one : found_) by_shape[one.shape].push_back(&one);
    if (found_.empty()) return;
    const std::vector<std::vector<std::size_t>> families = analysis_.families();
    std::vector<std::size_t> family_of(analysis_.size());
    for (std::size_t family = 0; family < families.size(); ++family) {
      for (const std::size_t access : families[family]) family_of[access] = family;
    }
    for (const auto& [shape, all] : by_shape) {
      LaunchFacts facts;
      facts.block = shapes_.all[shape];
      const std::vector<warp::Footprint> touched = analysis_.touched(families, facts);
      for (Found* one : all) {
        const warp::Footprint& together = touched[family_of[one->access]];
        one->neighbours_use_rest =
            families[family_of[one->access]].size() > 1 && warp::sector_bytes * together.sectors < 2 * together.bytes;
      }
    }
  }

  std::uint64_t count(bool neighbours_use_rest) const {
    return static_cast<std::uint64_t>(std::ranges::count_if(
        found_, [&](const Found& one) { return one.in_all_shapes && one.neighbours_use_rest == neighbours_use_rest; }));
  }

  std::vector<CostlyAccess> take() {
    const auto rank = [&](const Found& one) {
      return std::tuple(!one.in_all_shapes, one.neighbours_use_rest, -static_cast<std::int64_t>(analysis_.loop_depth(one.access)),
                        -static_cast<std::int64_t>(excess(measured(one))));
    };
    std::ranges::stable_sort(found_, {}, rank);
    if (found_.size() > AccessSummary::limit) found_.resize(AccessSummary::limit);
    std::vector<CostlyAccess> costly;
    for (const Found& one : found_) {
      costly.push_back({analysis_.access(one.access, measured(one)), shapes_.all[one.shape], one.in_all_shapes, one.neighbours_use_rest});
    }
    return costly;
  }

 private:
  struct Found {
    std::size_t access, shape;  // the first in which it is costly
    bool in_all_shapes, neighbours_use_rest;
  };
  const Measured& measured(const Found& one) const { return shapes_.measured[one.shape][analysis_.request_number(one.access)]; }

  const MemoryAnalysis& analysis_;
  const Shapes& shapes_;
  std::vector<Found> found_;
};

}  // namespace

AccessSummary summary_of(const MemoryAnalysis& analysis) {
  AccessSummary summary;
  Shapes shapes{analysis.plausible_shapes(), {}};
  for (const BlockShape& shape : shapes.all) {
    LaunchFacts facts;
    facts.block = shape;
    shapes.measured.push_back(analysis.measured(facts));
  }
  Collector global(analysis, shapes), shared(analysis, shapes);
  for (std::size_t i = 0; i < analysis.size(); ++i) {
    const Request& request = analysis.request(i);
    const auto kind = static_cast<std::size_t>(request.kind);
    if (request.space == Space::global) {
      ++summary.global[kind];
      global.add(i);
    } else if (request.space == Space::shared) {
      ++summary.shared[kind];
      shared.add(i);
    }
  }
  global.find_neighbours();
  summary.uncoalesced_count = global.count(false);
  summary.blocked_count = global.count(true);
  summary.conflicting_count = shared.count(false);
  summary.uncoalesced = global.take();
  summary.conflicting = shared.take();
  summary.shapes = std::move(shapes.all);
  return summary;
}

}  // namespace frx::derive::ptx
