#include "derive/cuda/warp_access.h"

#include <algorithm>
#include <bit>

#include "derive/warp/banks.h"

namespace frx::derive::cuda {
namespace {

// What a warp costs that loads 4 bytes per lane side by side. A request for fewer bytes that touches no more sectors wastes nothing that
// another layout would save: one channel of a pixel of bytes, a few rows, a broadcast of a few addresses.
constexpr std::uint64_t sectors_of_a_row = warp::lane_count * 4 / warp::sector_bytes;

}  // namespace

void WarpAccess::add(const warp::Request& request) {
  if (request.active == 0) return;
  if (request.active == warp::all_lanes) {
    std::ranges::copy(request.addresses, all_.data() + count_);
    count_ += warp::lane_count;
  } else {
    for (warp::LaneMask left = request.active; left != 0; left &= left - 1) {
      all_[count_++] = request.addresses[static_cast<std::size_t>(std::countr_zero(left))];
    }
  }
  if (!first_) first_ = all_[0];
  // Most warps of a block make the same request as the warp before, at a distance.
  if (!warp::is_displaced(request, last_)) measure(request);
  sectors_ += sectors_of_last_;
  ++requests_;
  ideal_ += ideal_of_last_;
}

void WarpAccess::measure(const warp::Request& request) {
  last_ = request;
  if (in_banks_) {
    ways_ = std::max(ways_, warp::bank_use(request).ways);
  } else {
    const warp::Footprint touched = warp::footprint(request);
    sectors_of_last_ = touched.sectors;
    // Lanes that share an address would otherwise have bytes of their own: a broadcast saves sectors, it wastes none.
    const std::uint64_t bytes_of_lanes = std::uint64_t{request.bytes} * static_cast<std::uint64_t>(std::popcount(request.active));
    ideal_of_last_ = (bytes_of_lanes + warp::sector_bytes - 1) / warp::sector_bytes;
  }
  const warp::Spacing spacing = warp::spacing(request);
  is_uniform_ = is_uniform_ && spacing.is_uniform;
  is_even_ = is_even_ && spacing.is_even && (!stride_ || !spacing.stride || *stride_ == *spacing.stride);
  if (spacing.stride) stride_ = spacing.stride;
}

void WarpAccess::merge_into(AccessPattern& pattern, bool first) {
  const double ratio = ideal_ == 0 ? 1 : static_cast<double>(sectors_) / static_cast<double>(ideal_);
  const bool is_wasteful = ratio >= 2 && sectors_ > sectors_of_a_row * requests_;
  const auto kind = is_uniform_ ? AccessPattern::uniform : is_wasteful ? AccessPattern::spread : AccessPattern::packed;
  const std::optional<std::int64_t> stride = is_even_ ? stride_ : std::nullopt;
  if (first) {
    pattern.kind = kind;
    pattern.sector_ratio = ratio;
    pattern.lane_stride = stride;
    pattern.bank_ways = ways_;
    pattern.first_address = first_.value_or(0);
    pattern.threads = count_;
    pattern.distinct = warp::distinct_count({all_.data(), count_});
    return;
  }
  // An access that is spread only for some sizes is not known to be spread.
  if (pattern.kind == AccessPattern::spread && kind != AccessPattern::spread) pattern.kind = kind;
  pattern.sector_ratio = std::min(pattern.sector_ratio, ratio);
  pattern.stride_is_symbolic = pattern.lane_stride != stride;
  pattern.bank_ways = std::min(pattern.bank_ways, ways_);
}

}  // namespace frx::derive::cuda
