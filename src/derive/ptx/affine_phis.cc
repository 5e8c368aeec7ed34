#include "derive/ptx/affine_phis.h"

#include <algorithm>
#include <utility>

namespace frx::derive::ptx {
namespace {

constexpr std::size_t steps_per_block = 100;
constexpr std::size_t steps_at_least = 100'000;

class Placer {
 public:
  Placer(const FlowGraph& graph, const Dominators& dominators, const RegisterUses& uses, const Liveness& live,
         const std::vector<bool>& needed)
      : graph_(graph), dominators_(dominators), uses_(uses), live_(live), needed_(needed) {}

  PhiPlaces place();

 private:
  bool find_frontiers();
  bool place(std::uint32_t value);

  const FlowGraph& graph_;
  const Dominators& dominators_;
  const RegisterUses& uses_;
  const Liveness& live_;
  const std::vector<bool>& needed_;
  PhiPlaces result_;
  std::size_t steps_left_ = 0;
  Lists frontiers_;  // by block: its dominance frontier
  std::vector<Edge> placed_;
  std::vector<std::uint32_t> has_, open_;
};

PhiPlaces Placer::place() {
  const auto blocks = static_cast<std::uint32_t>(graph_.blocks.size());
  steps_left_ = steps_at_least + steps_per_block * blocks;
  result_.several.resize(uses_.count());
  for (std::uint32_t value = 0; value < uses_.count(); ++value) result_.several[value] = uses_.writers(value).size() > 1;
  bool known = live_.pressure.known && find_frontiers();
  has_.assign(blocks, none);
  for (std::uint32_t value = 0; known && value < uses_.count(); ++value) {
    if (needed_[value] && result_.several[value]) known = place(value);
  }
  if (!known) placed_.clear();
  result_.known = known;
  result_.values = by_begin(blocks, placed_);
  return std::move(result_);
}

bool Placer::find_frontiers() {
  std::vector<Edge> edges;
  for (std::uint32_t block = 0; block < graph_.blocks.size(); ++block) {
    if (!dominators_.reaches(block) || graph_.predecessors[block].size() + (block == 0) < 2) continue;
    for (std::uint32_t before : graph_.predecessors[block]) {
      while (before != none && dominators_.reaches(before) && before != dominators_.nearest(block)) {
        if (steps_left_-- == 0) return false;
        if (edges.empty() || edges.back().from != before || edges.back().to != block) edges.push_back({before, block});
        before = dominators_.nearest(before);
      }
    }
  }
  frontiers_ = by_begin(graph_.blocks.size(), edges);
  return true;
}

bool Placer::place(std::uint32_t value) {
  open_.clear();
  for (const std::uint32_t writer : uses_.writers(value)) open_.push_back(graph_.block_of(writer));
  while (!open_.empty()) {
    const std::uint32_t block = open_.back();
    open_.pop_back();
    for (const std::uint32_t join : frontiers_[block]) {
      if (steps_left_-- == 0) return false;
      if (has_[join] == value) continue;
      const auto live = live_.live_in[join];  // in ascending order
      if (!std::binary_search(live.begin(), live.end(), value)) continue;
      // Each path to the join contributes a value.
      const std::size_t paths = graph_.predecessors[join].size();
      if (steps_left_ < paths) return false;
      steps_left_ -= paths;
      has_[join] = value;
      placed_.push_back({join, value});
      open_.push_back(join);
    }
  }
  return true;
}

}  // namespace

PhiPlaces place_phis(const FlowGraph& graph, const Dominators& dominators, const RegisterUses& uses, const Liveness& live,
                     const std::vector<bool>& needed) {
  return Placer(graph, dominators, uses, live, needed).place();
}

std::vector<std::uint32_t> reverse_postorder(const FlowGraph& graph) {
  std::vector<std::uint32_t> order;
  std::vector<bool> seen(graph.blocks.size(), false);
  std::vector<std::pair<std::uint32_t, std::size_t>> stack;
  if (!graph.blocks.empty()) stack.emplace_back(0, 0), seen[0] = true;
  while (!stack.empty()) {
    auto& [block, edge] = stack.back();
    if (edge == graph.successors[block].size()) {
      order.push_back(block);
      stack.pop_back();
      continue;
    }
    const std::uint32_t next = graph.successors[block][edge++];
    if (seen[next]) continue;
    seen[next] = true;
    stack.emplace_back(next, 0);
  }
  std::reverse(order.begin(), order.end());
  return order;
}

}  // namespace frx::derive::ptx
