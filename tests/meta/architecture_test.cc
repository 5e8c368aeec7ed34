// ARCHITECTURE.md tells where things are; every path it names is there.
#include <gtest/gtest.h>

#include <regex>

#include "meta/repository.h"

namespace frx::testing {
namespace {

// `src/base/` and `tests/README.md`, but not `build/dev`, `src/ingest/NAME.cc` or `rules.yaml`.
std::vector<std::string> paths_in(const std::string& text) {
  const std::regex quoted(R"(`([A-Za-z0-9_.][A-Za-z0-9_./-]*/[A-Za-z0-9_./-]*)`)");
  std::vector<std::string> paths;
  for (std::sregex_iterator it(text.begin(), text.end(), quoted), end; it != end; ++it) {
    const std::string path = (*it)[1];
    const bool made_up = path.starts_with("build/") || path.find("NAME") != path.npos || path.find("...") != path.npos;
    if (!made_up) paths.push_back(path);
  }
  return paths;
}

// A path may also be given from src/: `cli/main.cc`.
bool exists(const std::string& path) { return fs::exists(repository() / path) || fs::exists(repository() / "src" / path); }

TEST(Architecture, NamesPathsThatExist) {
  const std::string text = content(repository() / "ARCHITECTURE.md");
  if (text.empty()) GTEST_SKIP() << "no ARCHITECTURE.md yet";
  for (const std::string& path : paths_in(text)) EXPECT_TRUE(exists(path)) << "ARCHITECTURE.md names `" << path << "`";
}

TEST(Architecture, NamesEveryFolderOfTheSource) {
  const std::string text = content(repository() / "ARCHITECTURE.md");
  if (text.empty()) GTEST_SKIP() << "no ARCHITECTURE.md yet";
  for (const auto& entry : fs::directory_iterator(repository() / "src")) {
    if (!entry.is_directory()) continue;
    const std::string name = entry.path().filename();
    EXPECT_TRUE(std::regex_search(text, std::regex("\\b" + name + "\\b"))) << "ARCHITECTURE.md does not mention src/" << name;
  }
}

}  // namespace
}  // namespace frx::testing
