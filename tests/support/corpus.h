// Where the corpus of real profiler outputs lies, when this machine has it.
//
// It is never part of the repository: licences vary. FRX_CORPUS names its folder; otherwise it is
// looked for in ../shared/corpus beside the repository. Tests that need it skip, saying so.
#pragma once

#include <filesystem>
#include <optional>

namespace frx::testing {

std::optional<std::filesystem::path> corpus();

// What a skipped test says.
inline constexpr const char* no_corpus = "no corpus of real profiles: set FRX_CORPUS to its folder";

}  // namespace frx::testing

// The first line of a test that reads real files.
#define FRX_NEEDS_CORPUS() \
  if (!::frx::testing::corpus()) GTEST_SKIP() << ::frx::testing::no_corpus
