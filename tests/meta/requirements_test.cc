// Each requirement and each mistake of the systems that frx takes over is named by a test that proves ours right: "cgp R4", "cgp D3",
// "kdiag 3.3" in a comment above the test, or in the first lines of a golden case. cgp are the profiling commands (R1 to R20, mistakes D1
// to D24), kdiag the diagnosis of kernels (numbered rules).

#include <gtest/gtest.h>

#include <regex>
#include <set>

#include "meta/repository.h"

namespace frx::testing {
namespace {

std::set<std::string> named_in_tests() {
  std::set<std::string> found;
  const std::regex tag(R"((?:cgp [RD]\d+|kdiag \d+(?:\.\d+)*))");
  const auto look_in = [&](const std::string& text) {
    for (std::sregex_iterator at(text.begin(), text.end(), tag), end; at != end; ++at) found.insert(at->str());
  };
  for (const std::string folder : {"src", "tests"}) {
    for (const fs::path& file : files_below(folder, "_test.cc")) look_in(content(file));
  }
  for (const fs::path& file : files_below("tests/golden", ".case")) {
    std::istringstream lines(content(file));
    for (std::string line; std::getline(lines, line) && line.starts_with('#');) look_in(line);
  }
  for (const fs::path& file : files_below("tests", "_test.py")) look_in(content(file));
  return found;
}

TEST(Requirements, OfCgpAreNamedByTests) {
  const std::set<std::string> named = named_in_tests();
  for (int i = 1; i <= 20; ++i) EXPECT_TRUE(named.contains("cgp R" + std::to_string(i))) << "R" << i;
  for (int i = 1; i <= 24; ++i) EXPECT_TRUE(named.contains("cgp D" + std::to_string(i))) << "D" << i;
}

TEST(Requirements, OfTheDiagnosisAreNamedByTests) {
  const std::set<std::string> named = named_in_tests();
  for (const char* rule : {"2",   "2.1.1", "2.1.2", "2.1.3", "2.1.4", "2.1.5", "2.2", "2.3", "3.1", "3.2", "3.3", "3.4",
                           "3.5", "3.6",   "4",     "5.1",   "5.2",   "5.3",   "6",   "7",   "8",   "9",   "10",  "11"}) {
    EXPECT_TRUE(named.contains(std::string("kdiag ") + rule)) << rule;
  }
}

}  // namespace
}  // namespace frx::testing
