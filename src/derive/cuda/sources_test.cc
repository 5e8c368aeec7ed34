#include "derive/cuda/sources.h"

#include <gtest/gtest.h>

#include <atomic>

#include "base/parallel.h"
#include "ingest/cuda/read_source.h"

namespace frx::derive::cuda {
namespace {

std::vector<model::cuda::Source> some(std::size_t count, bool packed) {
  std::vector<model::cuda::Source> files;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string number = std::to_string(i);
    files.push_back(
        ingest::cuda::read_source("f" + number + ".cu", "#define N " + number + "\nint name" + number + ";  // frx: ignore x\n").value());
    if (packed) files.back().pack();
  }
  return files;
}

TEST(Sources, UnpackAFileWhenItIsLookedAt) {
  std::vector<model::cuda::Source> files = some(3, true);
  const std::vector<model::cuda::Source> unpacked = some(3, false);
  const Sources sources{std::span(files)};
  EXPECT_EQ(files[1].syntax.size(), 0u);
  EXPECT_EQ(sources[1].syntax.size(), unpacked[1].syntax.size());
  EXPECT_EQ(files[2].syntax.size(), 0u);
  sources.pack_all();
  EXPECT_EQ(files[1].syntax.size(), 0u);
  EXPECT_EQ(sources[1].text_of(1), "int name1;");
}

TEST(Sources, AreUnpackedOnceByManyThreads) {
  std::vector<model::cuda::Source> files = some(40, true);
  const Sources sources{std::span(files)};
  std::atomic<std::size_t> right{0};
  for_each_in_parallel(4000, [&](std::size_t i) {
    const auto file = static_cast<std::uint32_t>(i * 7 % 40);
    right += sources[file].text_of(1) == "int name" + std::to_string(file) + ";" ? 1 : 0;
  });
  EXPECT_EQ(right, 4000u);
}

TEST(Sources, KeepNameMacrosAndSuppressionsOfAReleasedFile) {
  std::vector<model::cuda::Source> files = some(2, true);
  const Sources sources{std::span(files)};
  EXPECT_FALSE(sources.is_released(0));
  sources.release(0);
  EXPECT_TRUE(sources.is_released(0));
  EXPECT_EQ(sources.without_syntax(0).name, "f0.cu");
  ASSERT_EQ(sources.without_syntax(0).macros.size(), 1u);
  EXPECT_EQ(sources.without_syntax(0).macros[0].body, "0");
  EXPECT_EQ(sources.without_syntax(0).suppressions.size(), 1u);
  EXPECT_TRUE(sources.without_syntax(0).text.empty());
  EXPECT_LT(sources.without_syntax(0).text.capacity(), 16u);
}

TEST(Sources, ThatMayNotChangeStayUnpacked) {
  const std::vector<model::cuda::Source> files = some(2, false);
  const Sources sources{std::span(files)};
  sources.pack_all();
  sources.release(0);
  EXPECT_FALSE(sources.is_released(0));
  EXPECT_EQ(sources[0].text_of(1), "int name0;");
}

}  // namespace
}  // namespace frx::derive::cuda
