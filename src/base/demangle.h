// C++ names as people write them: "_Z4axpyfPf" is "axpy(float, float*)".
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace frx {

// How much work the names of one file may cause, in bytes of text that they could become. A mangled name may refer
// to its own parts, and a few hundred hostile bytes of that become gigabytes.
struct DemanglingBudget {
  std::size_t bytes = std::size_t{64} << 20;
};

// "" when this is no mangled name, a longer one than the library takes, or more than is left of the budget.
std::string demangled(std::string_view mangled, DemanglingBudget& budget);

}  // namespace frx
