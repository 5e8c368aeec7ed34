#include "derive/cuda/warp_access.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

namespace frx::derive::cuda {
namespace {

constexpr std::int64_t sector_bytes = 32, bank_bytes = 4, banks = 32, request_bytes = 128;

// Towards the lower one, below zero too.
std::int64_t sector_of(std::int64_t address) { return address >> 5; }
std::int64_t bank_word_of(std::int64_t address) { return address >> 2; }
static_assert(sector_bytes == 1 << 5 && bank_bytes == 1 << 2);

// Most addresses come in order already.
void sort(std::int64_t* begin, std::int64_t* end) {
  if (!std::is_sorted(begin, end)) std::sort(begin, end);
}

std::uint32_t unique_count(std::int64_t* begin, std::int64_t* end) {
  sort(begin, end);
  return static_cast<std::uint32_t>(std::unique(begin, end) - begin);
}

// From each lane to the next one, where it is the same.
std::optional<std::int64_t> step_of(const WarpAddresses& warp) {
  const std::int64_t step = warp.count < 2 ? 0 : warp.addresses[1] - warp.addresses[0];
  bool is_even = true;
  for (std::uint32_t i = 1; i < warp.count; ++i) is_even &= warp.addresses[i] - warp.addresses[i - 1] == step;
  return is_even ? std::optional(step) : std::nullopt;
}

}  // namespace

void WarpAccess::add(const WarpAddresses& warp, std::uint32_t bytes) {
  if (warp.count == 0) return;
  bytes = std::clamp(bytes, 1u, 64u);
  if (!first_) first_ = warp.addresses[0];
  std::copy_n(warp.addresses.data(), warp.count, all_.data() + count_);
  count_ += warp.count;
  if (!is_further_on(warp)) {
    sectors_before_ = ideal_before_ = 0;
    if (in_banks_) {
      add_banks(warp, bytes);
    } else {
      add_sectors(warp, bytes);
    }
    add_stride(warp);
    before_ = warp;
  }
  sectors_ += sectors_before_;
  ideal_ += ideal_before_;
}

// The same lanes ask for the same places of a later request: most warps of a block do, and are as good as the one before.
bool WarpAccess::is_further_on(const WarpAddresses& warp) const {
  if (before_.count != warp.count) return false;
  const std::int64_t distance = warp.addresses[0] - before_.addresses[0];
  const std::uint32_t threads = warp.threads[0] - before_.threads[0];
  bool is_same = distance % request_bytes == 0;
  for (std::uint32_t i = 1; i < warp.count; ++i) {
    is_same &= warp.addresses[i] - before_.addresses[i] == distance && warp.threads[i] - before_.threads[i] == threads;
  }
  return is_same;
}

void WarpAccess::add_sectors(const WarpAddresses& warp, std::uint32_t bytes) {
  // Where lanes are evenly spread, and no further apart than a sector, all sectors from the first to the last are touched.
  if (const std::optional<std::int64_t> step = step_of(warp); step && std::abs(*step) <= sector_bytes) {
    const auto [low, high] = std::minmax(warp.addresses[0], warp.addresses[warp.count - 1]);
    sectors_before_ = static_cast<std::uint64_t>(sector_of(high + bytes - 1) - sector_of(low) + 1);
    ideal_before_ = ((*step == 0 ? 1 : warp.count) * std::uint64_t{bytes} + sector_bytes - 1) / sector_bytes;
    return;
  }
  std::array<std::int64_t, 32> sorted = warp.addresses;
  sort(sorted.data(), sorted.data() + warp.count);
  std::uint64_t unique = 0, touched = 0;
  std::int64_t behind = std::numeric_limits<std::int64_t>::min();  // the first sector not counted yet
  for (std::uint32_t i = 0; i < warp.count; ++i) {
    if (i == 0 || sorted[i] != sorted[i - 1]) ++unique;
    const std::int64_t from = std::max(sector_of(sorted[i]), behind);
    const std::int64_t to = sector_of(sorted[i] + bytes - 1) + 1;
    if (to > from) touched += static_cast<std::uint64_t>(to - from);
    behind = std::max(behind, to);
  }
  sectors_before_ = touched;
  ideal_before_ = (unique * bytes + sector_bytes - 1) / sector_bytes;
}

// A pass serves 128 bytes: all lanes of 4 bytes, half of them for 8, a quarter for 16.
void WarpAccess::add_banks(const WarpAddresses& warp, std::uint32_t bytes) {
  const std::uint32_t step = std::clamp<std::uint32_t>(request_bytes / std::max(bytes, 4u), 1, 32);
  for (std::uint32_t from = 0; from < warp.count; from += step) {
    std::array<std::int64_t, 32 * 17> words;
    std::uint32_t count = 0;
    for (std::uint32_t i = from; i < std::min(from + step, warp.count); ++i) {
      const std::int64_t last = bank_word_of(warp.addresses[i] + bytes - 1);
      for (std::int64_t w = bank_word_of(warp.addresses[i]); w <= last; ++w) words[count++] = w;
    }
    count = unique_count(words.data(), words.data() + count);
    std::array<std::uint32_t, banks> asked{};
    for (std::uint32_t i = 0; i < count; ++i) {
      ways_ = std::max(ways_, ++asked[static_cast<std::size_t>(words[i] & (banks - 1))]);
    }
  }
}

void WarpAccess::add_stride(const WarpAddresses& warp) {
  for (std::uint32_t i = 1; i < warp.count; ++i) {
    const auto step =
        static_cast<std::int64_t>(static_cast<std::uint64_t>(warp.addresses[i]) - static_cast<std::uint64_t>(warp.addresses[i - 1]));
    if (step != 0) same_ = false;
    if (warp.threads[i] != warp.threads[i - 1] + 1) continue;
    if (stride_ && *stride_ != step) has_stride_ = false;
    stride_ = step;
  }
}

void WarpAccess::put_into(AccessPattern& pattern, bool first) {
  const double ratio = ideal_ == 0 ? 1 : static_cast<double>(sectors_) / static_cast<double>(ideal_);
  const auto kind = same_ ? AccessPattern::uniform : ratio >= 2 ? AccessPattern::spread : AccessPattern::packed;
  const std::optional<std::int64_t> stride = has_stride_ ? stride_ : std::nullopt;
  if (first) {
    pattern.kind = kind;
    pattern.sector_ratio = ratio;
    pattern.lane_stride = stride;
    pattern.bank_ways = ways_;
    pattern.first_address = first_.value_or(0);
    pattern.distinct = unique_count(all_.data(), all_.data() + count_);
    pattern.threads = count_;
    return;
  }
  // What is spread only for some sizes is not known to be spread.
  if (pattern.kind == AccessPattern::spread && kind != AccessPattern::spread) pattern.kind = kind;
  pattern.sector_ratio = std::min(pattern.sector_ratio, ratio);
  pattern.stride_is_symbolic = pattern.lane_stride != stride;
  pattern.bank_ways = std::min(pattern.bank_ways, ways_);
}

}  // namespace frx::derive::cuda
