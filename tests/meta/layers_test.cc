// Includes point one way: down the pipeline of ARCHITECTURE.md, and only to what CMake declares.
#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <set>

#include "meta/repository.h"

namespace frx::testing {
namespace {

// A folder may use those of the lines above its own, never a neighbour on the same line.
const std::vector<std::set<std::string>> pipeline = {{"base"},
                                                     {"model", "answer"},
                                                     {"knowledge", "http"},
                                                     {"ingest", "derive", "detect"},
                                                     {"convert", "diagnose"},
                                                     {"advise"},
                                                     {"report"},
                                                     {"history"},
                                                     {"compose", "render"},
                                                     {"capture"},
                                                     {"analyse"},
                                                     {"experiment", "serve"},
                                                     {"cli"},
                                                     {"capi"}};

int place(const std::string& folder) {
  for (std::size_t i = 0; i < pipeline.size(); ++i) {
    if (pipeline[i].contains(folder)) return static_cast<int>(i);
  }
  return -1;
}

std::vector<std::string> folders() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(repository() / "src")) {
    if (entry.is_directory()) names.push_back(entry.path().filename());
  }
  std::sort(names.begin(), names.end());
  return names;
}

// What `frx_library(name DEPENDS a b c ...)` of the folder says.
std::set<std::string> declared(const std::string& folder) {
  const std::string text = content(repository() / "src" / folder / "CMakeLists.txt");
  const std::regex depends(R"(frx_library\(\w+[^)]*?DEPENDS\s+([a-z_\s]*))");
  std::smatch match;
  if (!std::regex_search(text, match, depends)) return {};
  const std::string names = match[1];
  const std::regex word(R"([a-z_]+)");
  return {std::sregex_token_iterator(names.begin(), names.end(), word), std::sregex_token_iterator()};
}

bool is_test(const fs::path& file) {
  const std::string name = file.filename();
  return name.ends_with("_test.cc") || name == "testing.h" || name.starts_with("fake_");
}

std::vector<fs::path> sources(const std::string& folder) {
  std::vector<fs::path> all = files_below("src/" + folder, ".h");
  for (fs::path& file : files_below("src/" + folder, ".cc")) all.push_back(std::move(file));
  std::erase_if(all, is_test);
  return all;
}

// "a/b.h" of each #include "a/b.h", with its line.
std::vector<std::pair<int, std::string>> includes(const fs::path& file) {
  std::vector<std::pair<int, std::string>> found;
  const std::regex include(R"re(^\s*#\s*include\s*"([^"]+)")re");
  std::istringstream lines(content(file));
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    std::smatch match;
    if (std::regex_search(line, match, include)) found.emplace_back(number, match[1]);
  }
  return found;
}

TEST(Layers, EveryFolderHasItsPlaceInThePipeline) {
  for (const std::string& folder : folders()) EXPECT_GE(place(folder), 0) << "src/" << folder << " is not part of the pipeline";
}

TEST(Layers, EveryFolderDependsOnEarlierOnesOnly) {
  for (const std::string& folder : folders()) {
    for (const std::string& other : declared(folder)) {
      EXPECT_LT(place(other), place(folder)) << "src/" << folder << "/CMakeLists.txt depends on " << other;
    }
  }
}

TEST(Layers, RenderersSeeTheAnswerAndNotWhatItWasMadeFrom) {
  EXPECT_EQ(declared("render"), (std::set<std::string>{"answer", "base"}));
  EXPECT_EQ(declared("answer"), (std::set<std::string>{"base"}));
}

// These files, and the headers of ours that they include, however deep.
std::set<fs::path> with_their_headers(std::vector<fs::path> files) {
  std::set<fs::path> all;
  while (!files.empty()) {
    const fs::path file = files.back();
    files.pop_back();
    if (!all.insert(file).second) continue;
    for (const auto& [line, included] : includes(file)) {
      if (const fs::path header = repository() / "src" / included; fs::exists(header)) files.push_back(header);
    }
  }
  return all;
}

TEST(Layers, NoTypeOfAModelLeaksIntoARenderer) {
  const std::regex foreign(
      R"(\b(model|derive|report|diagnose|advise|detect|knowledge|ingest|compose)::|namespace\s+(frx::)?(model|derive|report|compose)\b)");
  const std::set<fs::path> seen = with_their_headers(sources("render"));
  EXPECT_TRUE(seen.contains(repository() / "src/answer/document.h"));
  for (const fs::path& file : seen) {
    std::istringstream lines(content(file));
    std::string line;
    for (int number = 1; std::getline(lines, line); ++number) {
      const std::string code = line.substr(0, line.find("//"));
      EXPECT_FALSE(std::regex_search(code, foreign)) << shown(file) << ":" << number << ": " << line;
    }
  }
}

TEST(Layers, IncludesFollowTheDeclaredDependencies) {
  for (const std::string& folder : folders()) {
    const std::set<std::string> allowed = declared(folder);
    for (const fs::path& file : sources(folder)) {
      for (const auto& [line, included] : includes(file)) {
        const std::string other = included.substr(0, included.find('/'));
        if (place(other) < 0 || other == folder) continue;  // generated headers and third-party ones
        EXPECT_TRUE(allowed.contains(other)) << shown(file) << ":" << line << ": " << folder << " may not include " << other << " ("
                                             << included << ")";
      }
    }
  }
}

TEST(Layers, OnlyTheOutermostFoldersTouchTheProcess) {
  const std::regex call(
      R"((^|[^\w.>])(std::)?(getenv|setenv|printf|fprintf|puts|exit|_exit|quick_exit|abort|system)\s*\(|std::c(out|err|in)\b)");
  for (const std::string& folder : folders()) {
    if (place(folder) >= place("capture")) continue;
    for (const fs::path& file : sources(folder)) {
      std::istringstream lines(content(file));
      std::string line;
      for (int number = 1; std::getline(lines, line); ++number) {
        const std::string code = line.substr(0, line.find("//"));
        EXPECT_FALSE(std::regex_search(code, call)) << shown(file) << ":" << number << ": " << line;
      }
    }
  }
}

}  // namespace
}  // namespace frx::testing
