#include "derive/ptx/access_summary.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

namespace frx::derive::ptx {
namespace {

using ::frx::model::ptx::Space;

// Twice the ideal number of sectors is worth reporting. Much good code has two-way bank conflicts: one more wavefront is
// hidden by other work.
constexpr std::uint32_t costly_sectors = 2, costly_wavefronts = 4;

std::uint64_t excess(const Measured& measured) { return measured.cost ? measured.cost->excess() : 0; }

// The cost of every request, for each block shape.
struct Shapes {
  std::vector<BlockShape> all;
  std::vector<std::vector<Measured>> measured;  // by shape and request
};

// The costly ones of one space, worst first.
class Collector {
 public:
  Collector(const MemoryAnalysis& analysis, const Shapes& shapes, std::uint32_t costly)
      : analysis_(analysis), shapes_(shapes), costly_(costly) {}

  // Looks at one access in every shape.
  void add(std::size_t access) {
    std::size_t costly = 0, first = shapes_.all.size();
    for (std::size_t shape = 0; shape < shapes_.all.size(); ++shape) {
      const Measured& measured = shapes_.measured[shape][analysis_.request_number(access)];
      if (excess(measured) == 0 || measured.cost->typical < costly_ * measured.cost->ideal) continue;
      first = std::min(first, shape);
      ++costly;
    }
    if (costly > 0) found_.push_back({access, first, costly == shapes_.all.size(), false});
  }

  // Marks accesses of one kind and stride at one loop depth that together touch every byte between two threads.
  void find_neighbours() {
    std::map<Key, std::uint64_t> bytes;
    for (const Found& one : found_) bytes[key_of(one)] += analysis_.request(one.access).bytes;
    for (Found& one : found_) {
      const auto stride = measured(one).lane_stride;
      one.neighbours_use_rest = stride && *stride != 0 && bytes[key_of(one)] >= static_cast<std::uint64_t>(std::abs(*stride));
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
  using Key = std::tuple<std::string_view, AccessType, std::uint32_t, std::uint32_t>;

  const Measured& measured(const Found& one) const { return shapes_.measured[one.shape][analysis_.request_number(one.access)]; }
  Key key_of(const Found& one) const {
    const Request& request = analysis_.request(one.access);
    return {request.stride, analysis_.type(one.access), analysis_.loop_depth(one.access), request.bytes};
  }

  const MemoryAnalysis& analysis_;
  const Shapes& shapes_;
  std::uint32_t costly_;  // times the ideal
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
  Collector global(analysis, shapes, costly_sectors), shared(analysis, shapes, costly_wavefronts);
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
