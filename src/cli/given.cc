#include "cli/given.h"

#include <algorithm>

namespace frx::cli {

bool Given::has(std::string_view name) const { return std::ranges::find(names, name) != names.end(); }

Result<> Given::refuse(std::string_view command, std::initializer_list<std::string_view> options, std::string_view goes_with,
                       const std::string& where) const {
  for (const std::string_view option : options) {
    if (has(option)) return fail(ErrorKind::usage, "{}: {} goes with {}", command, option, goes_with).at(where);
  }
  return {};
}

}  // namespace frx::cli
