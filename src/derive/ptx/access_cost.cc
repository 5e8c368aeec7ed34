#include "derive/ptx/access_cost.h"

#include <algorithm>
#include <span>

namespace frx::derive::ptx {
namespace {

constexpr int sector_bits = 5, word_bits = 2;
constexpr std::uint32_t banks = 32;

// Numbers of the pieces of 2^shift bytes that the lanes touch, each once; at most 2 sectors or 8 words a lane.
struct Pieces {
  std::array<std::int64_t, warp_size * 10> all;
  std::size_t count = 0;

  void add(std::int64_t address, std::uint32_t bytes, int shift) {
    const std::int64_t last = (address + bytes - 1) >> shift;
    for (std::int64_t piece = address >> shift; piece <= last && count < all.size(); ++piece) {
      if (count == 0 || all[count - 1] != piece) all[count++] = piece;
    }
  }
  std::span<const std::int64_t> distinct() {
    const auto end = all.begin() + static_cast<std::ptrdiff_t>(count);
    if (!std::is_sorted(all.begin(), end)) std::sort(all.begin(), end);
    count = static_cast<std::size_t>(std::unique(all.begin(), end) - all.begin());
    return {all.data(), count};
  }
};

std::uint32_t distinct_bytes(const LaneAddresses& addresses, LaneMask active, std::uint32_t bytes) {
  Pieces starts;
  for (std::uint32_t lane = 0; lane < warp_size; ++lane) {
    if ((active >> lane & 1) != 0) starts.all[starts.count++] = addresses[lane];
  }
  std::uint32_t total = 0;
  const auto sorted = starts.distinct();
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const std::int64_t room = i + 1 < sorted.size() ? sorted[i + 1] - sorted[i] : bytes;
    total += static_cast<std::uint32_t>(std::min<std::int64_t>(bytes, room));
  }
  return total;
}

std::uint32_t passes(const LaneAddresses& addresses, LaneMask active, std::uint32_t bytes, std::uint32_t first,
                     std::uint32_t end) {
  Pieces words;
  for (std::uint32_t lane = first; lane < end; ++lane) {
    if ((active >> lane & 1) != 0) words.add(addresses[lane], bytes, word_bits);
  }
  std::array<std::uint32_t, banks> in_bank{};
  std::uint32_t most = 0;
  for (const std::int64_t word : words.distinct()) {
    most = std::max(most, ++in_bank[static_cast<std::uint64_t>(word) % banks]);
  }
  return most;
}

}  // namespace

RequestCost sectors(const LaneAddresses& addresses, LaneMask active, std::uint32_t bytes) {
  Pieces touched;
  for (std::uint32_t lane = 0; lane < warp_size; ++lane) {
    if ((active >> lane & 1) != 0) touched.add(addresses[lane], bytes, sector_bits);
  }
  const std::uint32_t ideal = (distinct_bytes(addresses, active, bytes) + 31) / 32;
  return {static_cast<std::uint32_t>(touched.distinct().size()), ideal};
}

RequestCost wavefronts(const LaneAddresses& addresses, LaneMask active, std::uint32_t bytes) {
  const std::uint32_t group = bytes <= 4 ? 32 : bytes <= 8 ? 16 : 8;
  RequestCost cost;
  for (std::uint32_t first = 0; first < warp_size; first += group) {
    const std::uint32_t needed = passes(addresses, active, bytes, first, first + group);
    cost.needed += needed;
    cost.ideal += needed > 0;
  }
  return cost;
}

RequestCost local_sectors(const LaneAddresses& addresses, LaneMask active, std::uint32_t bytes) {
  Pieces touched;
  std::uint32_t total = 0;
  for (std::uint32_t lane = 0; lane < warp_size; ++lane) {
    if ((active >> lane & 1) == 0) continue;
    total += bytes;
    for (std::int64_t word = addresses[lane] >> word_bits; word <= (addresses[lane] + bytes - 1) >> word_bits; ++word) {
      if (touched.count < touched.all.size())
        touched.add(word * (warp_size << word_bits) + (lane << word_bits), 1, sector_bits);
    }
  }
  return {static_cast<std::uint32_t>(touched.distinct().size()), (total + 31) / 32};
}

}  // namespace frx::derive::ptx
