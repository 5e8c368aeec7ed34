#include "derive/warp/banks.h"

#include <algorithm>
#include <bit>

namespace frx::derive::warp {
namespace {

constexpr int bank_word_shift = std::countr_zero(word_bytes);

constexpr std::uint32_t lanes_at_once(std::uint32_t bytes) {
  return std::clamp(bank_count * word_bytes / std::bit_ceil(bytes), 1u, lane_count);
}

// Words that lanes `first` to `end` ask for in the bank where they ask for most of them.
std::uint32_t most_in_a_bank(const Request& request, std::uint32_t first, std::uint32_t end) {
  // At most twice the banks: lanes that are served together ask for 128 bytes, and each for a word more if it is not aligned.
  std::array<std::int64_t, 2 * bank_count> words;
  std::uint32_t count = 0;
  for (std::uint32_t lane = first; lane < end; ++lane) {
    if (!request.is_active(lane)) continue;
    const std::int64_t address = request.addresses[lane];
    const std::int64_t last = static_cast<std::int64_t>(static_cast<std::uint64_t>(address) + request.bytes - 1) >> bank_word_shift;
    for (std::int64_t word = address >> bank_word_shift; word <= last; ++word) words[count++] = word;
  }
  count = distinct_count({words.data(), count});
  if (count < 2 || words[count - 1] - words[0] < bank_count) return std::min(count, 1u);
  std::array<std::uint32_t, bank_count> asked{};
  std::uint32_t most = 0;
  for (std::uint32_t i = 0; i < count; ++i) most = std::max(most, ++asked[static_cast<std::uint64_t>(words[i]) % bank_count]);
  return most;
}

}  // namespace

BankUse bank_use(const Request& request) {
  BankUse use;
  const std::uint32_t step = lanes_at_once(request.bytes);
  for (std::uint32_t first = 0; first < lane_count; first += step) {
    const std::uint32_t most = most_in_a_bank(request, first, first + step);
    use.wavefronts += most;
    use.ideal += most > 0 ? 1 : 0;
    use.ways = std::max(use.ways, most);
  }
  return use;
}

}  // namespace frx::derive::warp
