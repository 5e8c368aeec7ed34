// What a recording says of the program that was recorded, besides its steps. Absent: the recording does not tell.
#pragma once

#include <optional>

namespace frx::model {

struct ProgramTraits {
  // Operators were recorded, and nothing of a GPU; false when something else in the recording names one. Absent where a GPU was recorded.
  std::optional<bool> cpu_only;
};

}  // namespace frx::model
