// Which options somebody gave, so that those that cannot be honoured are refused and never ignored (docs/contract.md, section 1.6).
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace frx::cli {

struct Given {
  std::vector<std::string> names;  // "--why", as they are declared first

  bool has(std::string_view name) const;
  // "analyze: --why goes with one profile", a usage error at `where`, when one of `options` was given.
  Result<> refuse(std::string_view command, std::initializer_list<std::string_view> options, std::string_view goes_with,
                  const std::string& where = {}) const;
};

}  // namespace frx::cli
