#include "derive/cuda/shared_bounds.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>

#include "derive/cuda/race_views.h"

namespace frx::derive::cuda {
namespace {

class SharedBounds : public RaceViews {
 public:
  SharedBounds(const Trace& trace, const Trees& trees, const Vague& vague, const Shape& block) : RaceViews(trace, trees, vague, block) {}

  std::vector<BeyondShared> find() const {
    std::vector<std::uint32_t> accesses;
    for (std::uint32_t i = 0; i < trace_.accesses.size() && accesses.size() < most_candidates; ++i) {
      if (is_candidate(trace_.accesses[i])) accesses.push_back(i);
    }
    std::vector<BeyondShared> found;
    if (accesses.empty()) return found;
    constexpr std::array<std::int64_t, 3> iterations{0, 1, 3};
    for (const std::int64_t iteration : iterations) {
      const Lanes odd(e_, sample(Sample::large_odd, iteration)), even(e_, sample(Sample::large_even, iteration));
      const Reached reached_odd = reached_in(odd), reached_even = reached_in(even);
      for (const std::uint32_t i : accesses) {
        if (std::ranges::any_of(found, [i](const BeyondShared& one) { return one.access == i; })) continue;
        const auto beyond = outside(i, odd, reached_odd);
        if (beyond && outside(i, even, reached_even)) found.push_back(*beyond);
      }
    }
    std::ranges::sort(found, {}, &BeyondShared::access);
    return found;
  }

 private:
  Sample sample(Sample::Kind kind, std::int64_t iteration) const { return {.kind = kind, .block = block_, .iteration = iteration}; }

  // Sizes of the data are sampled: what they decide is not certain.
  bool is_candidate(const Access& access) const {
    constexpr auto unknown = Uses::uniform | Uses::loaded | Uses::varying | Uses::opaque | Uses::block | Uses::floating;
    if (e_.uses(access.address, unknown) || !e_.uses(access.address, Uses::thread)) return false;
    if (access.is_guess || access.is_vague || access.bytes == 0 || is_of_tree_[access.address] || is_vague_[access.address]) return false;
    for (std::uint32_t l = access.loop; l != none; l = trace_.loops[l].parent) {
      if (trace_.loops[l].shift != 0) return false;
    }
    return extent_of(trace_.memories[access.memory]).has_value();
  }

  std::optional<BeyondShared> outside(std::uint32_t i, const Lanes& lanes, const Reached& reached) const {
    const Access& access = trace_.accesses[i];
    const std::int64_t bytes = *extent_of(trace_.memories[access.memory]);
    const Mask mask = touching(access, lanes, reached);
    std::optional<BeyondShared> worst;
    for (std::uint32_t lane = 0; lane < lanes.count(); ++lane) {
      if (!mask[lane]) continue;
      const std::int64_t begin = lanes.at(access.address, lane), end = begin + access.bytes;
      if (begin >= 0 && end <= bytes) continue;
      const std::int64_t byte = begin < 0 ? begin : end;
      if (!worst || std::abs(byte) > std::abs(worst->byte)) worst = BeyondShared{i, byte, bytes};
    }
    return worst;
  }
};

}  // namespace

std::vector<BeyondShared> accesses_beyond_shared(const Trace& trace, const Shape& block) {
  const auto is_array = [](const Memory& memory) { return memory.space == Space::shared && !memory.is_dynamic && !memory.dims.empty(); };
  if (std::ranges::none_of(trace.memories, is_array) || trace.expressions.size() > RaceViews::most_expressions) return {};
  const Trees trees = trees_in(trace);
  return SharedBounds(trace, trees, vague_expressions(trace.expressions, trees), block).find();
}

}  // namespace frx::derive::cuda
