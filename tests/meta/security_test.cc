// SECURITY.md: each promise names the tests that hold it, and each of those exists.
#include <gtest/gtest.h>

#include <regex>
#include <set>

#include "base/text.h"
#include "meta/repository.h"

namespace frx::testing {
namespace {

// The items of the list of promises, each in one line.
std::vector<std::string> promises() {
  std::vector<std::string> items;
  const std::string page = content(repository() / "SECURITY.md");
  const std::size_t begin = page.find("## What is promised");
  for (const std::string_view line : split(std::string_view(page).substr(begin, page.find("## How it is tried") - begin), '\n')) {
    if (line.starts_with("- ")) items.emplace_back(line);
    if (line.starts_with("  ") && !items.empty()) items.back() += line;
  }
  return items;
}

// What stands in back quotes behind the last full stop that is followed by a back quote.
std::vector<std::string> tests_named_in(const std::string& promise) {
  std::vector<std::string> names;
  const std::regex quoted("`([^`]+)`");
  const std::string behind = promise.substr(promise.rfind(". ") == std::string::npos ? promise.size() : promise.rfind(". "));
  for (std::sregex_iterator it(behind.begin(), behind.end(), quoted), end; it != end; ++it) names.push_back((*it)[1]);
  return names;
}

// "Suite.Name" of every test of GoogleTest.
const std::set<std::string>& unit_tests() {
  static const std::set<std::string> all = [] {
    std::set<std::string> found;
    const std::regex definition(R"(\bTEST(?:_F|_P)?\((\w+),\s*(\w+)\))");
    for (const char* folder : {"src", "tests"}) {
      for (const fs::path& file : files_below(folder, "_test.cc")) {
        const std::string text = content(file);
        for (std::sregex_iterator it(text.begin(), text.end(), definition), end; it != end; ++it)
          found.insert((*it)[1].str() + "." + (*it)[2].str());
      }
    }
    return found;
  }();
  return all;
}

bool exists(const std::string& test) {
  if (test.starts_with("golden/")) return fs::exists(repository() / "tests" / (test + ".case"));
  if (test.starts_with("fuzz_replay/")) return fs::exists(repository() / "tests/fuzz" / (test.substr(12) + ".cc"));
  if (test.ends_with(".*")) {
    const auto first = unit_tests().lower_bound(test.substr(0, test.size() - 1));
    return first != unit_tests().end() && first->starts_with(test.substr(0, test.size() - 1));
  }
  return unit_tests().contains(test) || content(repository() / "tests/CMakeLists.txt").find("NAME " + test + " ") != std::string::npos;
}

TEST(SecurityPage, NamesTheTestsOfEachPromise) {
  EXPECT_GE(promises().size(), 15u);
  for (const std::string& promise : promises()) {
    const std::vector<std::string> tests = tests_named_in(promise);
    EXPECT_FALSE(tests.empty()) << promise;
    for (const std::string& test : tests) EXPECT_TRUE(exists(test)) << test << " of: " << promise;
  }
}

}  // namespace
}  // namespace frx::testing
