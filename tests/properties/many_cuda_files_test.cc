// Many files are packed, unpacked while they are read, and released once nothing refers to them any more. The answer must not
// show it: it is that of files which are all in memory, all the time.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "compose/payloads.h"
#include "detect/testing.h"
#include "report/code_analyst.h"

namespace frx::testing {
namespace {

using Files = std::vector<std::pair<std::string, std::string>>;

// A program whose files lead to each other in both directions: by a function, a macro, a constant, an enumerator, a
// structure, memory of the device, a launch. Every tenth name is one that several files define.
class RandomProgram {
 public:
  explicit RandomProgram(std::uint32_t seed) : random_(seed) {}

  Files files(std::uint32_t count) {
    count_ = count;
    Files all;
    for (std::uint32_t i = 0; i < count; ++i) all.emplace_back(fmt::format("f{:03}.cu", i), file(name_of(i)));
    return all;
  }

 private:
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }
  std::string name_of(std::uint32_t i) { return below(10) == 0 ? std::string("common") : std::to_string(i); }
  std::string other() { return name_of(below(count_)); }

  std::string file(const std::string& own) {
    std::string text = fmt::format(
        "// frx: ignore nothing\n#include \"x.h\"\n#define WIDTH_{0} ({1} + WIDTH_{2})\nconstexpr int pad_{0} = {3};\n"
        "enum Kind_{0} {{ first_{0} = {4}, next_{0} }};\nstruct Cell_{0} {{ float x; Cell_{5}* to; int n[2]; }};\n__device__ float "
        "table_{0}[WIDTH_{5}];\n",
        own, below(40), other(), below(2), below(9), other());
    text += fmt::format("__device__ float value_{0}(const float* p, int i) {{ return p[i * {1}] + {2}; }}\n", own,
                        below(2) == 0 ? "WIDTH_" + other() : std::to_string(1 + below(8)),
                        below(2) == 0 ? fmt::format("value_{}(p, i + 1)", other()) : fmt::format("table_{}[i]", other()));
    text += fmt::format(
        "__global__ void kernel_{0}(const float* in, float* out, Cell_{1}* cells, int n) {{\n  __shared__ float tile[32][32 + pad_{2}];\n"
        "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  tile[threadIdx.x % 32][threadIdx.y] = value_{3}(in, i);\n"
        "  if (threadIdx.x {4} 40) __syncthreads();\n  out[i * next_{5}] = tile[threadIdx.y][threadIdx.x % 32] + cells[i].x;\n}}\n",
        own, other(), other(), other(), below(2) == 0 ? "<" : ">=", other());
    if (below(3) > 0)
      text += fmt::format("void run_{0}(float* p, Cell_{1}* c, int n) {{ kernel_{2}<<<n / WIDTH_{3}, {4}>>>(p, p, c, n); }}\n", own,
                          other(), other(), other(), below(2) == 0 ? "first_" + other() : std::to_string(32 * (1 + below(9)) - below(2)));
    return text;
  }

  std::mt19937 random_;
  std::uint32_t count_ = 0;
};

std::string answer(const report::CudaReport& report) {
  return answer::json_text_of([&](answer::JsonObject& out) { compose::put_cuda(out, report); });
}

std::string answer_all_at_hand(const Files& files) {
  std::vector<model::cuda::Source> sources;
  report::CudaReport report;
  for (const auto& [name, text] : files) {
    sources.push_back(ingest::cuda::read_source(name, text).value());
    report.files.push_back(name);
  }
  report.inspection = derive::cuda::inspect(sources, {});
  report.findings = detect::examine_cuda(detect::testing::cuda_rules(), report.inspection, sources, "").findings;
  return answer(report);
}

std::string answer_of_many(const Files& files) {
  const auto analyst = report::CodeAnalyst::create({.data_directory = {}, .gpu_model = {}, .arch_profile = {}, .pedantic = true}).value();
  return answer(*analyst->inspect_cuda(files).value());
}

// Where two answers differ first; "": nowhere. The comparison of googletest takes memory with the square of their sizes.
std::string first_difference(const std::string& a, const std::string& b) {
  const auto [in_a, in_b] = std::ranges::mismatch(a, b);
  if (in_a == a.end() && in_b == b.end()) return {};
  constexpr std::size_t before = 200, shown = 400;
  const auto at = static_cast<std::size_t>(in_a - a.begin());
  const std::size_t begin = at > before ? at - before : 0;
  return a.substr(begin, shown) + "\n--- differs from\n" + b.substr(begin, shown);
}

TEST(ManyCudaFiles, AreAnsweredLikeFilesThatAreAllAtHand) {
  for (const std::uint32_t seed : {1u, 2u, 3u, 4u, 5u, 6u}) {
    const Files files = RandomProgram(seed).files(20 + seed * 60);
    const std::string many = answer_of_many(files);
    EXPECT_EQ(first_difference(many, answer_all_at_hand(files)), "") << seed;
    EXPECT_NE(many.find("\"code\": \"conditional_syncthreads\""), std::string::npos) << seed;
    EXPECT_NE(many.find("\"snippet\": \"if (threadIdx.x "), std::string::npos) << seed;
  }
}

TEST(ManyCudaFiles, OfWhichOneCannotBeReadAreReadWithoutIt) {
  const auto analyst = report::CodeAnalyst::create({.data_directory = {}, .gpu_model = {}, .arch_profile = {}}).value();
  const auto text_of = [](std::size_t i) -> Result<std::string> {
    if (i == 7) return fail(ErrorKind::unreadable, "cannot read").at("seven.cu");
    return std::string("__global__ void k(int* p) { *p = 1; }\n");
  };
  const auto report = analyst->inspect_cuda(std::vector<std::string>(40, "some.cu"), text_of);
  ASSERT_TRUE(report);
  EXPECT_EQ((*report)->files.size(), 39u);
  ASSERT_EQ((*report)->unread.size(), 1u);
  EXPECT_EQ((*report)->unread[0].error.where, "seven.cu");
}

}  // namespace
}  // namespace frx::testing
