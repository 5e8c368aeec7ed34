// Which configurations need not be tried because a batch of theirs does not fit into the memory of the GPU.
#pragma once

#include <string>
#include <vector>

#include "derive/tune/history.h"

namespace frx::derive::tune {

struct BarredConfiguration {
  std::size_t configuration = 0;
  std::string why;  // "bs_128 was not tried: ..."
};

// A batch that ran out of memory, or exceeded the limit, bars itself and larger ones; sizes that were measured bar those whose memory is
// above the limit by a straight line through two of them, or in proportion to one. Ascending by configuration.
std::vector<BarredConfiguration> barred_by_memory(const History& history);

}  // namespace frx::derive::tune
