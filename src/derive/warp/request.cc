#include "derive/warp/request.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace frx::derive::warp {
namespace {

constexpr int sector_shift = std::countr_zero(sector_bytes), word_shift = std::countr_zero(word_bytes);
constexpr std::int64_t line_bytes = 128;

// Addresses may lie anywhere in 64 bits: sums and differences wrap around.
std::int64_t plus(std::int64_t address, std::uint64_t bytes) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(address) + bytes);
}
std::int64_t distance(std::int64_t from, std::int64_t to) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from));
}

// Most addresses come in order already.
template <typename T>
void sort(std::span<T> values) {
  if (!std::ranges::is_sorted(values)) std::ranges::sort(values);
}

// Counts ranges of bytes that come in ascending order.
class Sweep {
 public:
  void add(const ByteRange& range) {
    if (range.first != first_ || result_.addresses == 0) ++result_.addresses;
    first_ = range.first;
    result_.bytes += behind(bytes_end_, range.first, range.end);
    // Behind the highest address of all the end wraps around.
    const std::int64_t last = range.end > range.first ? range.end - 1 : range.first;
    result_.sectors += behind(sectors_end_, range.first >> sector_shift, (last >> sector_shift) + 1);
  }
  const Footprint& result() const { return result_; }

 private:
  // How much of it lies behind what was counted before.
  static std::uint64_t behind(std::int64_t& counted, std::int64_t first, std::int64_t end) {
    if (end <= counted) return 0;
    const std::int64_t from = std::max(first, counted);
    counted = end;
    return static_cast<std::uint64_t>(distance(from, end));
  }

  static constexpr std::int64_t nothing = std::numeric_limits<std::int64_t>::min();
  std::int64_t first_ = nothing, bytes_end_ = nothing, sectors_end_ = nothing;
  Footprint result_;
};

// Addresses of the active lanes only.
struct ActiveAddresses {
  explicit ActiveAddresses(const Request& request) {
    for (LaneMask left = request.active; left != 0; left &= left - 1) {
      all[count++] = request.addresses[static_cast<std::size_t>(std::countr_zero(left))];
    }
  }
  LaneAddresses all;
  std::size_t count = 0;
};

// From each lane to the next one, where all lanes are active and equally far apart: most requests are.
std::optional<std::int64_t> even_step(const Request& request) {
  if (request.active != all_lanes) return std::nullopt;
  const std::int64_t step = distance(request.addresses[0], request.addresses[1]);
  std::uint64_t differences = 0;  // without a way out in the middle, so that the compiler takes several lanes at a time
  for (std::size_t lane = 1; lane < lane_count; ++lane) {
    differences |= static_cast<std::uint64_t>(distance(request.addresses[lane - 1], request.addresses[lane]) ^ step);
  }
  return differences == 0 ? std::optional(step) : std::nullopt;
}

// Of lanes that leave no sector out between the first and the last of them: no need to sort.
std::optional<Footprint> footprint_of_neighbours(const Request& request) {
  const std::optional<std::int64_t> step = even_step(request);
  constexpr std::int64_t sector = sector_bytes;
  if (!step || *step > sector || *step < -sector) return std::nullopt;
  const std::int64_t low = request.addresses[*step < 0 ? lane_count - 1 : 0], high = request.addresses[*step < 0 ? 0 : lane_count - 1];
  const std::int64_t end = plus(high, request.bytes);
  if (low > high || high >= end) return std::nullopt;  // they wrap around
  const auto apart = static_cast<std::uint64_t>(*step < 0 ? -*step : *step);
  Footprint result;
  result.addresses = apart == 0 ? 1 : lane_count;
  result.bytes = request.bytes + (lane_count - 1) * std::min<std::uint64_t>(apart, request.bytes);
  result.sectors = static_cast<std::uint64_t>(((end - 1) >> sector_shift) - (low >> sector_shift) + 1);
  return result;
}

}  // namespace

Footprint footprint(const Request& request) {
  if (const std::optional<Footprint> touched = footprint_of_neighbours(request)) return *touched;
  ActiveAddresses active(request);
  const std::span addresses(active.all.data(), active.count);
  sort(addresses);
  Sweep sweep;
  for (const std::int64_t address : addresses) sweep.add({address, plus(address, request.bytes)});
  return sweep.result();
}

Footprint footprint(std::span<ByteRange> ranges) {
  sort(ranges);
  Sweep sweep;
  for (const ByteRange& range : ranges) sweep.add(range);
  return sweep.result();
}

Footprint local_footprint(const Request& request) {
  constexpr std::uint32_t lanes_of_sector = sector_bytes / word_bytes, sectors_of_word = lane_count / lanes_of_sector;
  std::array<std::int64_t, lane_count*(most_bytes / word_bytes + 1)> sectors;
  std::size_t count = 0;
  Footprint result;
  for (std::uint32_t lane = 0; lane < lane_count; ++lane) {
    if (!request.is_active(lane)) continue;
    ++result.addresses;
    result.bytes += request.bytes;
    const std::int64_t last = plus(request.addresses[lane], request.bytes - 1) >> word_shift;
    for (std::int64_t word = request.addresses[lane] >> word_shift; word <= last; ++word) {
      sectors[count++] = word * sectors_of_word + lane / lanes_of_sector;
    }
  }
  result.sectors = distinct_count({sectors.data(), count});
  return result;
}

Spacing spacing(const Request& request) {
  if (const std::optional<std::int64_t> step = even_step(request)) return {*step == 0, true, *step};
  Spacing result;
  std::optional<std::uint32_t> before;
  for (LaneMask left = request.active; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
    if (before) {
      const std::int64_t step = distance(request.addresses[*before], request.addresses[lane]);
      result.is_uniform = result.is_uniform && step == 0;
      if (lane == *before + 1) {
        result.is_even = result.is_even && (!result.stride || *result.stride == step);
        result.stride = step;
      }
    }
    before = lane;
  }
  if (!result.is_even) result.stride.reset();
  return result;
}

std::uint32_t distinct_count(std::span<std::int64_t> addresses) {
  sort(addresses);
  return static_cast<std::uint32_t>(std::ranges::unique(addresses).begin() - addresses.begin());
}

bool is_displaced(const Request& request, const Request& from) {
  if (request.active != from.active || request.bytes != from.bytes || request.active == 0) return false;
  const auto first = static_cast<std::size_t>(std::countr_zero(request.active));
  const std::int64_t apart = distance(from.addresses[first], request.addresses[first]);
  if (apart % line_bytes != 0) return false;
  bool is_same = true;
  for (std::uint32_t lane = 0; lane < lane_count; ++lane) {
    is_same = is_same && (!request.is_active(lane) || distance(from.addresses[lane], request.addresses[lane]) == apart);
  }
  return is_same;
}

}  // namespace frx::derive::warp
