#include "derive/ptx/access_tally.h"

#include <algorithm>
#include <bit>
#include <map>

#include "derive/ptx/access_fix.h"

namespace frx::derive::ptx {
namespace {

namespace model = ::frx::model::ptx;
using model::Space;

constexpr std::uint32_t most_warps = 32;  // of a block, on all GPUs so far
// Bytes: addresses nearer to 0 do not wrap around where a thread number is multiplied by a smaller step.
constexpr std::int64_t far = std::int64_t{1} << 61, largest_step = std::int64_t{1} << 48;

// Only requests to these three spaces have a cost.
warp::Memory memory_of(Space space) {
  return space == Space::shared ? warp::Memory::shared : space == Space::local ? warp::Memory::local : warp::Memory::global;
}

bool is_costed(const Request& request) {
  const bool has_cost = request.space == Space::global || request.space == Space::shared || request.space == Space::local;
  return has_cost && request.bytes > 0 && request.bytes <= 32 && request.kind <= AccessKind::known_per_lane;
}

class Tally {
 public:
  void add(const warp::CostRange& range, LaneMask active, std::uint32_t sample);
  void write(Measured& into) const;

  bool is_typical(std::uint32_t sample) const { return sample == typical_sample_; }

  bool assumed = false;
  bool fix_tried = false;
  std::uint32_t warps = 0;

 private:
  struct Typical {
    std::uint32_t count = 0, ideal = 0, lanes = 0;
  };
  std::map<std::uint32_t, Typical> typical_;  // by what is needed
  std::uint32_t typical_sample_ = 0;          // the first in which any lane takes part
  std::uint32_t best_ = ~0u, worst_ = 0;
};

void Tally::add(const warp::CostRange& range, LaneMask active, std::uint32_t sample) {
  if (typical_.empty()) typical_sample_ = sample;
  best_ = std::min(best_, range.best.needed);
  worst_ = std::max(worst_, range.worst.needed);
  if (sample != typical_sample_) return;
  ++warps;
  Typical& typical = typical_[range.typical.needed];
  ++typical.count;
  typical.ideal = range.typical.ideal;
  typical.lanes = static_cast<std::uint32_t>(std::popcount(active));
}

// The most frequent cost is the typical one; among equally frequent ones the highest.
void Tally::write(Measured& into) const {
  if (typical_.empty()) return;
  AccessCost cost;
  std::uint32_t most = 0;
  for (const auto& [needed, one] : typical_) {
    if (one.count < most) continue;
    most = one.count;
    cost.typical = needed;
    cost.ideal = one.ideal;
    cost.lanes = one.lanes;
  }
  cost.best = best_;
  cost.worst = worst_;
  cost.warps = warps;
  cost.exact = !assumed;
  into.cost = cost;
}

// The distance between adjacent lanes that have a thread, if it is constant; there must be two of them.
std::optional<std::int64_t> stride_of(const LaneForm& form, LaneMask existing) {
  if (form.assumed) return std::nullopt;
  return warp::spacing({form.lanes, existing}).stride;
}

class Measuring {
 public:
  Measuring(const model::Function& function, const Addresses& addresses, std::span<const Request> requests)
      : addresses_(addresses),
        requests_(requests),
        values_(function, addresses),
        fixes_(addresses),
        measured_(requests.size()),
        tallies_(requests.size()),
        last_(requests.size()) {}

  std::vector<Measured> run(const LaunchFacts& facts);

 private:
  void measure(std::size_t number, std::uint32_t warp, std::uint32_t sample);
  bool is_same_in_all_warps(const Request& request, const BlockShape& block) const;
  const warp::CostRange& cost_of(std::size_t number, const LaneForm& form, LaneMask active);

  // The request of a warp that was measured last: those of the next warps mostly are the same, some lines further on.
  struct Last {
    warp::Request request{{}, 0};
    std::uint32_t align = 0;
    std::uint32_t sample = ~0u;
    bool is_near = false;  // so near to 0 that what is some lines further on does not wrap around
    warp::CostRange range;
  };

  const Addresses& addresses_;
  std::span<const Request> requests_;
  LaneValues values_;
  FixFinder fixes_;
  std::vector<Measured> measured_;
  std::vector<Tally> tallies_;
  std::vector<Last> last_;
  std::vector<bool> is_same_;  // by request: is_same_in_all_warps()
};

std::vector<Measured> Measuring::run(const LaunchFacts& facts) {
  std::vector<std::size_t> open;
  is_same_.assign(requests_.size(), false);
  for (std::size_t i = 0; i < requests_.size(); ++i) {
    if (!is_costed(requests_[i])) continue;
    open.push_back(i);
    is_same_[i] = is_same_in_all_warps(requests_[i], facts.block);
  }
  // Where nothing was assumed, other samples give the same result.
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
  const LaneValues::Active allowed = values_.active(address.guard, address.predicate);
  tally.assumed = tally.assumed || allowed.assumed;
  const LaneMask active = allowed.lanes & request.lanes;
  if (const Last& last = last_[number]; is_same_[number] && last.is_near && last.sample == sample && last.request.active == active)
    return tally.add(last.range, active, sample);
  if (active == 0 && (sample > 0 || warp > 0)) return;
  LaneForm form = values_.form(address.form);
  if (address.bits < 64) {
    for (std::int64_t& lane : form.lanes) lane = sign_extended(lane, static_cast<int>(address.bits));
  }
  if (sample == 0 && warp == 0) measured.lane_stride = stride_of(form, values_.existing());
  if (active == 0) return;
  const warp::CostRange& range = cost_of(number, form, active);
  last_[number].sample = sample;
  tally.assumed = tally.assumed || form.assumed;
  tally.add(range, active, sample);
  if (tally.is_typical(sample) && range.typical.needed > range.typical.ideal && !tally.fix_tried) {
    tally.fix_tried = true;
    measured.fix = fixes_.find(address, request, measured.lane_stride, values_, active, range.typical);
  }
}

// Do the lanes of each warp ask for what those of the first do, whole lines further on? So they do where their number along x is multiplied
// by whole words, and where nothing else of the address depends on the thread. An address of 32 bits might wrap around.
bool Measuring::is_same_in_all_warps(const Request& request, const BlockShape& block) const {
  const Address& address = addresses_.all[request.address];
  if (address.bits < 64 || block.y != 1 || block.z != 1 || block.x % warp::lane_count != 0) return false;
  const Atoms& atoms = addresses_.atoms;
  return std::ranges::all_of(atoms.forms.terms(address.form), [&](const Term& term) {
    const std::span<const AtomId> factors = atoms.forms.atoms(term.monomial);
    const auto is_uniform = [&](AtomId id) { return atoms[id].nature == Nature::uniform; };
    if (std::ranges::all_of(factors, is_uniform)) return true;
    return factors.size() == 1 && atoms[factors[0]].kind == Atom::thread && atoms[factors[0]].axis == 0 && term.coefficient % 4 == 0 &&
           term.coefficient < largest_step && term.coefficient > -largest_step;
  });
}

const warp::CostRange& Measuring::cost_of(std::size_t number, const LaneForm& form, LaneMask active) {
  Last& last = last_[number];
  const warp::Request request{form.lanes, active, requests_[number].bytes};
  const bool is_near = std::ranges::all_of(form.lanes, [](std::int64_t lane) { return lane < far && lane > -far; });
  if (form.align == last.align && is_near && last.is_near && warp::is_displaced(request, last.request)) return last.range;
  last = {request, form.align, last.sample, is_near, ptx::cost_of(form, active, request.bytes, requests_[number].space)};
  return last.range;
}

}  // namespace

warp::CostRange cost_of(const LaneForm& form, LaneMask active, std::uint32_t bytes, Space space) {
  return warp::cost_range({form.lanes, active, bytes}, memory_of(space), form.align);
}

std::vector<Measured> tally(const model::Function& function, const Addresses& addresses, std::span<const Request> requests,
                            const LaunchFacts& facts) {
  if (facts.block.threads() == 0) return std::vector<Measured>(requests.size());
  return Measuring(function, addresses, requests).run(facts);
}

}  // namespace frx::derive::ptx
