// Which options of frx analyze go with which input; the others are refused (docs/contract.md, sections 1.6 and 3.2).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/given.h"

namespace frx::cli {

enum class Analysed : std::uint8_t {
  profile,
  trace,           // one, or those of the ranks of a run
  run,             // a run bundle
  code,            // nothing but code
  layers,          // several of these, of one program
  code_change,     // two versions of code, with or without profiles
  measured_change  // two profiles, traces or runs
};

// `code`: the files and folders of code among the input.
Result<> expect_applicable(const Given& given, Analysed what, const std::vector<std::string>& code, const std::string& format);

}  // namespace frx::cli
