// The tree as the meta tests see it: its files, and the golden cases in it.
#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"
#include "support/case_file.h"

namespace frx::testing {

namespace fs = std::filesystem;

inline fs::path repository() { return FRX_REPOSITORY; }

// Files below `folder` of the repository whose names end in `ending`, sorted; none when there is no such folder.
inline std::vector<fs::path> files_below(std::string_view folder, std::string_view ending) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::recursive_directory_iterator it(repository() / folder, error), end; it != end && !error; it.increment(error)) {
    if (it->is_regular_file() && it->path().string().ends_with(ending)) files.push_back(it->path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

inline std::string content(const fs::path& file) { return read_file(file).value_or(""); }

// "src/base/text.h"
inline std::string shown(const fs::path& file) { return fs::relative(file, repository()).generic_string(); }

inline std::vector<Case> golden_cases() {
  std::vector<Case> cases;
  for (const fs::path& file : files_below("tests/golden", ".case")) {
    if (Result<Case> one = parse_case(shown(file), content(file))) cases.push_back(std::move(*one));
  }
  return cases;
}

}  // namespace frx::testing
