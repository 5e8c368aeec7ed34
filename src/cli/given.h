// Which options were given, so that those that the input cannot honour are refused and never ignored (docs/contract.md, 1.6).
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace frx::cli {

// An option, and what it needs. "--format sarif": the option with this value alone.
struct OptionUse {
  std::string_view option;
  bool applies = false;        // to the given input
  std::string_view goes_with;  // "one profile"
};

// What stood on the command line, also where it is what would be so by default.
struct Given {
  struct Option {
    std::string name;   // "--why": the first long name that is declared; of an argument its placeholder, "PRESET"
    std::string value;  // "" of a flag
  };
  std::vector<Option> options;

  // `option` as in OptionUse.
  bool has(std::string_view option) const;
  // A usage error that names the first that was given and does not apply: "analyze: --why goes with one profile, not with a trace".
  // `what` the input is; the last words are left out where it is "".
  Result<> expect_applicable(std::string_view command, std::string_view what, std::initializer_list<OptionUse> uses) const;
};

}  // namespace frx::cli
