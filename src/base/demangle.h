// C++ names as people write them: "_Z4axpyfPf" is "axpy(float, float*)".
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace frx {

// How much text the names of one file may become. A mangled name may refer to its own parts, and a few hundred hostile
// bytes of that would become terabytes; names of real kernels become at most seven times as long.
struct DemanglingBudget {
  std::size_t bytes = std::size_t{64} << 20;
};

// "" when this is no mangled name, is one that the library does not take (some of more than a thousand bytes), or
// becomes more than 64 KiB or what is left of the budget.
std::string demangled(std::string_view mangled, DemanglingBudget& budget);

}  // namespace frx
