#include "derive/warp/cost.h"

#include <algorithm>
#include <bit>

#include "derive/warp/banks.h"

namespace frx::derive::warp {

Cost cost(const Request& request, Memory memory) {
  if (memory == Memory::shared) {
    const BankUse use = bank_use(request);
    return {use.wavefronts, use.ideal};
  }
  const Footprint touched = memory == Memory::local ? local_footprint(request) : footprint(request);
  return {static_cast<std::uint32_t>(touched.sectors), static_cast<std::uint32_t>(touched.ideal_sectors())};
}

CostRange cost_range(const Request& request, Memory memory, std::uint32_t align) {
  if (request.active == 0) return {};
  // Only where in a sector, or in a word, the addresses begin makes a difference.
  const std::uint32_t period = memory == Memory::global ? sector_bytes : word_bytes;
  const std::uint32_t step = std::min(align, period);
  const std::uint32_t natural = std::min(request.bytes & (~request.bytes + 1), period);
  const std::int64_t first = request.addresses[static_cast<std::size_t>(std::countr_zero(request.active))];
  CostRange range;
  bool any = false;
  const auto take = [&](std::uint32_t shift) {
    Request shifted = request;
    for (std::int64_t& address : shifted.addresses) address = static_cast<std::int64_t>(static_cast<std::uint64_t>(address) + shift);
    const Cost here = cost(shifted, memory);
    if (!any) range = {here, here, here};
    if (here.needed < range.best.needed) range.best = here;
    if (here.needed > range.worst.needed) range.worst = here;
    any = true;
  };
  for (std::uint32_t shift = 0; shift < period; shift += step) {
    if (((static_cast<std::uint64_t>(first) + shift) & (natural - 1)) == 0) take(shift);
  }
  if (!any) take(0);
  return range;
}

}  // namespace frx::derive::warp
