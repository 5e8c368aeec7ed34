#include "derive/cuda/warp_access.h"

#include <array>

namespace frx::derive::cuda {
namespace {

constexpr std::int64_t sector_bytes = 32, bank_bytes = 4, banks = 32, request_bytes = 128;

std::int64_t floor_div(std::int64_t a, std::int64_t b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }

std::size_t unique_count(std::vector<std::int64_t>& values) {
  std::ranges::sort(values);
  return static_cast<std::size_t>(std::unique(values.begin(), values.end()) - values.begin());
}

}  // namespace

void WarpAccess::add(std::span<const LaneAddress> lanes, std::uint32_t bytes) {
  if (lanes.empty()) return;
  bytes = std::min(bytes, 64u);
  if (!first_) first_ = lanes.front().address;
  threads_ += static_cast<std::uint32_t>(lanes.size());
  for (const LaneAddress& lane : lanes) distinct_.insert(lane.address);
  add_sectors(lanes, bytes);
  add_banks(lanes, bytes);
  add_stride(lanes);
}

void WarpAccess::add_sectors(std::span<const LaneAddress> lanes, std::uint32_t bytes) {
  std::vector<std::int64_t> touched, addresses;
  for (const LaneAddress& lane : lanes) {
    addresses.push_back(lane.address);
    const std::int64_t last = floor_div(lane.address + bytes - 1, sector_bytes);
    for (std::int64_t s = floor_div(lane.address, sector_bytes); s <= last; ++s) touched.push_back(s);
  }
  const std::uint64_t useful = unique_count(addresses) * bytes;
  sectors_ += unique_count(touched);
  ideal_ += (useful + sector_bytes - 1) / sector_bytes;
}

// A pass serves 128 bytes: all lanes of 4 bytes, half of them for 8, a quarter for 16.
void WarpAccess::add_banks(std::span<const LaneAddress> lanes, std::uint32_t bytes) {
  const std::size_t step = std::clamp<std::size_t>(request_bytes / std::max(bytes, 4u), 1, 32);
  for (std::size_t from = 0; from < lanes.size(); from += step) {
    std::vector<std::int64_t> words;
    for (std::size_t i = from; i < std::min(from + step, lanes.size()); ++i) {
      const std::int64_t last = floor_div(lanes[i].address + bytes - 1, bank_bytes);
      for (std::int64_t w = floor_div(lanes[i].address, bank_bytes); w <= last; ++w) words.push_back(w);
    }
    words.resize(unique_count(words));
    std::array<std::uint32_t, banks> asked{};
    for (const std::int64_t word : words) {
      const auto bank = static_cast<std::size_t>((word % banks + banks) % banks);
      ways_ = std::max(ways_, ++asked[bank]);
    }
  }
}

void WarpAccess::add_stride(std::span<const LaneAddress> lanes) {
  for (std::size_t i = 1; i < lanes.size(); ++i) {
    const std::int64_t step = lanes[i].address - lanes[i - 1].address;
    if (step != 0) same_ = false;
    if (lanes[i].thread != lanes[i - 1].thread + 1) continue;
    if (stride_ && *stride_ != step) has_stride_ = false;
    stride_ = step;
  }
}

void WarpAccess::put_into(AccessPattern& pattern, bool first) const {
  const double ratio = ideal_ == 0 ? 1 : static_cast<double>(sectors_) / static_cast<double>(ideal_);
  const auto kind = same_ ? AccessPattern::uniform : ratio >= 2 ? AccessPattern::spread : AccessPattern::packed;
  const std::optional<std::int64_t> stride = has_stride_ ? stride_ : std::nullopt;
  if (first) {
    pattern.kind = kind;
    pattern.sector_ratio = ratio;
    pattern.lane_stride = stride;
    pattern.bank_ways = ways_;
    pattern.first_address = first_.value_or(0);
    pattern.distinct = static_cast<std::uint32_t>(distinct_.size());
    pattern.threads = threads_;
    return;
  }
  // What is spread only for some sizes is not known to be spread.
  if (pattern.kind == AccessPattern::spread && kind != AccessPattern::spread) pattern.kind = kind;
  pattern.sector_ratio = std::min(pattern.sector_ratio, ratio);
  pattern.stride_is_symbolic = pattern.lane_stride != stride;
  pattern.bank_ways = std::min(pattern.bank_ways, ways_);
}

}  // namespace frx::derive::cuda
