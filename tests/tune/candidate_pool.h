// The configurations that frx tune may try, as documented, and combinations of one of each family.
#pragma once

#include <string>
#include <vector>

#include "derive/tune/search.h"

namespace frx::testing::tune {

struct PoolEntry {
  std::string label;
  derive::tune::Settings settings;
  bool is_documented = true;
};

// A family of candidates in its documented order.
using Family = std::vector<PoolEntry>;
Family data_loaders(bool only_pinned);  // of 16 cores
Family batch_sizes(int baseline);
Family precisions();
Family runtimes();
Family allocators();

// All of the families one after the other, then their combinations.
std::vector<PoolEntry> pool_of(const std::vector<Family>& families);

}  // namespace frx::testing::tune
