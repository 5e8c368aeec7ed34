#include "cli/given.h"

#include <algorithm>

namespace frx::cli {

bool Given::has(std::string_view option) const {
  const std::size_t blank = option.find(' ');
  return std::ranges::any_of(options, [&](const Option& one) {
    return one.name == option.substr(0, blank) && (blank == option.npos || one.value == option.substr(blank + 1));
  });
}

Result<> Given::expect_applicable(std::string_view command, std::string_view what, std::initializer_list<OptionUse> uses) const {
  for (const OptionUse& use : uses) {
    if (use.applies || !has(use.option)) continue;
    return fail(ErrorKind::usage, "{}: {} goes with {}{}{}", command, use.option, use.goes_with, what.empty() ? "" : ", not with ", what);
  }
  return {};
}

}  // namespace frx::cli
