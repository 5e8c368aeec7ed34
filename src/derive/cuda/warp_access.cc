#include "derive/cuda/warp_access.h"

#include <algorithm>
#include <bit>

#include "derive/warp/banks.h"

namespace frx::derive::cuda {

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
  ideal_ += ideal_of_last_;
}

void WarpAccess::measure(const warp::Request& request) {
  last_ = request;
  if (in_banks_) {
    ways_ = std::max(ways_, warp::bank_use(request).ways);
  } else {
    const warp::Footprint touched = warp::footprint(request);
    sectors_of_last_ = touched.sectors;
    ideal_of_last_ = touched.ideal_sectors();
  }
  const warp::Spacing spacing = warp::spacing(request);
  is_uniform_ = is_uniform_ && spacing.is_uniform;
  is_even_ = is_even_ && spacing.is_even && (!stride_ || !spacing.stride || *stride_ == *spacing.stride);
  if (spacing.stride) stride_ = spacing.stride;
}

void WarpAccess::merge_into(AccessPattern& pattern, bool first) {
  const double ratio = ideal_ == 0 ? 1 : static_cast<double>(sectors_) / static_cast<double>(ideal_);
  const auto kind = is_uniform_ ? AccessPattern::uniform : ratio >= 2 ? AccessPattern::spread : AccessPattern::packed;
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
