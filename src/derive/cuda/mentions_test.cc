#include "derive/cuda/mentions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ingest/cuda/read_source.h"

namespace frx::derive::cuda {
namespace {

using ::testing::ElementsAre;

std::vector<model::cuda::Source> read(const std::vector<std::string>& texts) {
  std::vector<model::cuda::Source> files;
  for (const std::string& text : texts) {
    files.push_back(ingest::cuda::read_source("f" + std::to_string(files.size()) + ".cu", text).value());
    files.back().pack();
  }
  return files;
}

std::vector<std::uint32_t> last_users_of(const std::vector<std::string>& texts) {
  std::vector<model::cuda::Source> files = read(texts);
  const Sources sources{std::span(files)};
  const Program program(sources);
  std::vector<Mentions> mentions;
  for (std::uint32_t i = 0; i < sources.size(); ++i) mentions.push_back(mentions_in(program, i));
  return last_users(program, mentions);
}

TEST(Mentions, OfNoOtherFileLeaveEachToItself) {
  EXPECT_THAT(last_users_of({"int f(int x) { return x; }", "int g(int x) { return x; }"}), ElementsAre(0u, 1u));
}

TEST(Mentions, LeadThroughWhatIsMentionedThere) {
  const std::string constant = "constexpr int four = 4;\n", macro = "#define WIDTH (four * 8)\n",
                    function = "__device__ int f(int x) { return x * WIDTH; }\n", kernel = "__global__ void k(int* p) { *p = f(1); }\n";
  EXPECT_THAT(last_users_of({constant, macro, function, "int other;\n", kernel}), ElementsAre(4u, 4u, 4u, 3u, 4u));
  EXPECT_THAT(last_users_of({kernel, function, macro, constant}), ElementsAre(0u, 1u, 2u, 3u));
}

TEST(Mentions, OfANameLeadToAllFilesThatDefineIt) {
  const std::string one = "__device__ int f(int x) { return x; }\n", another = "__device__ int f(int x, int y) { return x + y; }\n";
  EXPECT_THAT(last_users_of({one, another, "int g() { return f(1); }\n", "int h;\n"}), ElementsAre(2u, 2u, 2u, 3u));
}

TEST(Mentions, GoRoundInCircles) {
  EXPECT_THAT(last_users_of({"int f(int x) { return g(x); }\n", "int g(int x) { return f(x); }\n", "int h(int x) { return x; }\n"}),
              ElementsAre(1u, 1u, 2u));
}

TEST(Mentions, HavePlacesThatMayLaunch) {
  std::vector<model::cuda::Source> files =
      read({"__global__ void k(int* p) {}\n",
            "void f(int* p) { k<<<1, 32>>>(p); }\nvoid g(int* p) { launch(k, p); }\nvoid h(int* p) { p[0] = 1; }\n"});
  const Sources sources{std::span(files)};
  const Program program(sources);
  const std::vector<std::uint32_t> places = mentions_in(program, 1).launch_nodes;
  const auto may_launch = [&](std::size_t function) {
    const std::uint32_t body = program.functions_in(1)[function].body;
    return std::ranges::any_of(places, [&](std::uint32_t n) { return n >= body && n < sources[1].syntax[body].last; });
  };
  EXPECT_TRUE(may_launch(0));
  EXPECT_TRUE(may_launch(1));
  EXPECT_FALSE(may_launch(2));
}

}  // namespace
}  // namespace frx::derive::cuda
