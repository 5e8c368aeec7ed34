#include "derive/ptx/access_tally.h"

#include <algorithm>
#include <bit>
#include <map>

#include "derive/ptx/access_cure.h"

namespace frx::derive::ptx {
namespace {

namespace model = ::frx::model::ptx;
using model::Space;

constexpr std::uint32_t most_warps = 32;  // of a block, on all GPUs so far

RequestCost cost_at(const LaneAddresses& addresses, LaneMask active, std::uint32_t bytes, Space space) {
  if (space == Space::shared) return wavefronts(addresses, active, bytes);
  return space == Space::local ? local_sectors(addresses, active, bytes) : sectors(addresses, active, bytes);
}

bool is_costed(const Request& request) {
  const bool has_cost = request.space == Space::global || request.space == Space::shared || request.space == Space::local;
  return has_cost && request.bytes > 0 && request.bytes <= 32 && request.kind <= AccessKind::known_per_lane;
}

class Tally {
 public:
  void add(const RequestRange& range, bool typical);
  void write(Measured& into) const;

  bool assumed = false;
  bool cure_tried = false;
  std::uint32_t warps = 0;

 private:
  std::map<std::uint32_t, std::pair<std::uint32_t, std::uint32_t>> typical_;  // needed: how often, ideal
  std::uint32_t best_ = ~0u, worst_ = 0;
};

void Tally::add(const RequestRange& range, bool typical) {
  best_ = std::min(best_, range.best.needed);
  worst_ = std::max(worst_, range.worst.needed);
  if (!typical) return;
  auto& [count, ideal] = typical_[range.typical.needed];
  ++count;
  ideal = range.typical.ideal;
}

// The most frequent is typical; of those the one that needs most.
void Tally::write(Measured& into) const {
  if (typical_.empty()) return;
  AccessCost cost;
  std::uint32_t most = 0;
  for (const auto& [needed, one] : typical_) {
    if (one.first < most) continue;
    most = one.first;
    cost.typical = needed;
    cost.ideal = one.second;
  }
  cost.best = best_;
  cost.worst = worst_;
  cost.warps = warps;
  cost.exact = !assumed;
  into.cost = cost;
}

// Between all adjacent lanes that exist; needs two of them.
std::optional<std::int64_t> stride_of(const LaneForm& form, LaneMask existing) {
  const int count = std::popcount(existing);
  if (form.assumed || count < 2) return std::nullopt;
  const std::int64_t stride = form.lanes[1] - form.lanes[0];
  for (int lane = 2; lane < count; ++lane) {
    if (form.lanes[static_cast<std::size_t>(lane)] - form.lanes[static_cast<std::size_t>(lane) - 1] != stride) return std::nullopt;
  }
  return stride;
}

class Measuring {
 public:
  Measuring(const model::Function& function, const Addresses& addresses, std::span<const Request> requests)
      : addresses_(addresses),
        requests_(requests),
        values_(function, addresses),
        cures_(addresses),
        measured_(requests.size()),
        tallies_(requests.size()) {}

  std::vector<Measured> run(const LaunchFacts& facts);

 private:
  void measure(std::size_t number, std::uint32_t warp, std::uint32_t sample);

  const Addresses& addresses_;
  std::span<const Request> requests_;
  LaneValues values_;
  Cures cures_;
  std::vector<Measured> measured_;
  std::vector<Tally> tallies_;
};

std::vector<Measured> Measuring::run(const LaunchFacts& facts) {
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < requests_.size(); ++i) {
    if (is_costed(requests_[i])) open.push_back(i);
  }
  // Where nothing was assumed, other samples say the same.
  for (std::uint32_t sample = 0; sample < LaneValues::sample_count && !open.empty(); ++sample) {
    for (std::uint32_t warp = 0; warp < std::min(facts.block.warps(), most_warps); ++warp) {
      values_.enter(facts, warp, sample);
      for (const std::size_t i : open) measure(i, warp, sample);
    }
    std::erase_if(open, [&](std::size_t i) { return !tallies_[i].assumed; });
  }
  for (std::size_t i = 0; i < requests_.size(); ++i) tallies_[i].write(measured_[i]);
  return std::move(measured_);
}

void Measuring::measure(std::size_t number, std::uint32_t warp, std::uint32_t sample) {
  const Request& request = requests_[number];
  const Address& address = addresses_.all[request.address];
  Measured& measured = measured_[number];
  Tally& tally = tallies_[number];
  LaneForm form = values_.form(address.form);
  for (std::int64_t& lane : form.lanes) lane = sign_extended(lane, static_cast<int>(address.bits));
  if (sample == 0 && warp == 0) measured.lane_stride = stride_of(form, values_.existing());
  const LaneMask active = values_.active(address.guard, address.predicate) & request.lanes;
  if (active == 0) return;
  const RequestRange range = cost_of(form, active, request.bytes, request.space);
  tally.assumed = tally.assumed || form.assumed;
  tally.warps += sample == 0;
  tally.add(range, sample == 0);
  if (sample == 0 && range.typical.needed > range.typical.ideal && !tally.cure_tried) {
    tally.cure_tried = true;
    measured.cure = cures_.find(address, request, measured.lane_stride, values_, active, range.typical);
  }
}

}  // namespace

// Only where in a sector (in a word, for shared and local memory) the addresses begin matters.
RequestRange cost_of(const LaneForm& form, LaneMask active, std::uint32_t bytes, Space space) {
  const std::uint32_t period = space == Space::global ? 32 : 4;
  const std::uint32_t step = std::min(form.align, period);
  const std::uint32_t natural = std::min(bytes & (~bytes + 1), period);
  const std::int64_t first = form.lanes[static_cast<std::size_t>(std::countr_zero(active))];
  RequestRange result;
  bool any = false;
  const auto take = [&](std::uint32_t shift) {
    LaneAddresses addresses = form.lanes;
    for (std::int64_t& address : addresses) address += shift;
    const RequestCost cost = cost_at(addresses, active, bytes, space);
    if (!any) result = {cost, cost, cost};
    if (cost.needed < result.best.needed) result.best = cost;
    if (cost.needed > result.worst.needed) result.worst = cost;
    any = true;
  };
  // Addresses that are not aligned to what is accessed do not occur.
  for (std::uint32_t shift = 0; shift < period; shift += step) {
    if (((static_cast<std::uint64_t>(first) + shift) & (natural - 1)) == 0) take(shift);
  }
  if (!any) take(0);
  return result;
}

std::vector<Measured> tally(const model::Function& function, const Addresses& addresses, std::span<const Request> requests,
                            const LaunchFacts& facts) {
  if (facts.block.threads() == 0) return std::vector<Measured>(requests.size());
  return Measuring(function, addresses, requests).run(facts);
}

}  // namespace frx::derive::ptx
