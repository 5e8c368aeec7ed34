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

// Twice the sectors are worth a word. Two-way bank conflicts are in much good code: a wavefront more hides
// behind everything else.
constexpr std::uint32_t costly_sectors = 2, costly_wavefronts = 4;

std::uint64_t excess(const MemoryAccess& access) { return access.cost ? access.cost->excess() : 0; }

// The costly ones of one space, worst first.
class Collector {
 public:
  Collector(std::size_t shapes, std::uint32_t costly) : shapes_(shapes), costly_(costly) {}

  // The same access in each shape, and the shapes.
  void add(const std::vector<std::vector<MemoryAccess>>& by_shape, const std::vector<BlockShape>& shapes, std::size_t i) {
    std::size_t costly = 0, first = shapes_;
    for (std::size_t shape = 0; shape < shapes_; ++shape) {
      const MemoryAccess& access = by_shape[shape][i];
      if (excess(access) == 0 || access.cost->typical < costly_ * access.cost->ideal) continue;
      first = std::min(first, shape);
      ++costly;
    }
    if (costly == 0) return;
    found_.push_back({by_shape[first][i], shapes[first], costly == shapes_});
  }

  // Accesses of one kind and stride at one loop depth that together touch every byte between two threads.
  void find_neighbours() {
    std::map<std::tuple<std::string_view, AccessType, std::uint32_t, std::uint32_t>, std::uint64_t> bytes;
    for (const CostlyAccess& one : found_) bytes[key_of(one.access)] += one.access.bytes;
    for (CostlyAccess& one : found_) {
      const auto stride = one.access.lane_stride;
      one.neighbours_use_rest = stride && *stride != 0 && bytes[key_of(one.access)] >= static_cast<std::uint64_t>(std::abs(*stride));
    }
  }

  std::uint64_t count(bool neighbours_use_rest) const {
    return static_cast<std::uint64_t>(std::ranges::count_if(found_, [&](const CostlyAccess& one) {
      return one.in_all_shapes && one.neighbours_use_rest == neighbours_use_rest;
    }));
  }

  std::vector<CostlyAccess> take() {
    const auto worse = [](const CostlyAccess& a, const CostlyAccess& b) {
      return std::tuple(!a.in_all_shapes, a.neighbours_use_rest, -static_cast<std::int64_t>(a.access.loop_depth), -static_cast<std::int64_t>(excess(a.access))) <
             std::tuple(!b.in_all_shapes, b.neighbours_use_rest, -static_cast<std::int64_t>(b.access.loop_depth), -static_cast<std::int64_t>(excess(b.access)));
    };
    std::ranges::stable_sort(found_, worse);
    if (found_.size() > AccessSummary::limit) found_.resize(AccessSummary::limit);
    return std::move(found_);
  }

 private:
  static std::tuple<std::string_view, AccessType, std::uint32_t, std::uint32_t> key_of(const MemoryAccess& access) {
    return {access.stride, access.type, access.loop_depth, access.bytes};
  }

  std::size_t shapes_;
  std::uint32_t costly_;  // times the ideal
  std::vector<CostlyAccess> found_;
};

}  // namespace

AccessSummary summary_of(const MemoryAnalysis& analysis) {
  AccessSummary summary;
  summary.shapes = analysis.plausible_shapes();
  std::vector<std::vector<MemoryAccess>> by_shape;
  for (const BlockShape& shape : summary.shapes) {
    LaunchFacts facts;
    facts.block = shape;
    by_shape.push_back(analysis.accesses(facts));
  }
  Collector global(by_shape.size(), costly_sectors), shared(by_shape.size(), costly_wavefronts);
  for (std::size_t i = 0; i < by_shape[0].size(); ++i) {
    const MemoryAccess& access = by_shape[0][i];
    const auto kind = static_cast<std::size_t>(access.kind);
    if (access.space == Space::global) {
      ++summary.global[kind];
      global.add(by_shape, summary.shapes, i);
    } else if (access.space == Space::shared) {
      ++summary.shared[kind];
      shared.add(by_shape, summary.shapes, i);
    }
  }
  global.find_neighbours();
  summary.uncoalesced_count = global.count(false);
  summary.blocked_count = global.count(true);
  summary.conflicting_count = shared.count(false);
  summary.uncoalesced = global.take();
  summary.conflicting = shared.take();
  return summary;
}

}  // namespace frx::derive::ptx
