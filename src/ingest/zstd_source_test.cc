#include "ingest/zstd_source.h"

#include <gmock/gmock.h>
#include <zstd.h>

#include "ingest/testing.h"

namespace frx::ingest {
namespace {

std::string zstd_of(const std::string& text) {
  std::string bytes(ZSTD_compressBound(text.size()), '\0');
  bytes.resize(ZSTD_compress(bytes.data(), bytes.size(), text.data(), text.size(), 3));
  return bytes;
}

// Everything, read in pieces of `piece` bytes.
Result<std::string> text_of_zstd(const std::string& bytes, std::size_t piece) {
  const std::unique_ptr<ByteSource> source = open_bytes(bytes);
  ZstdSource zstd(*source);
  std::string all, buffer(piece, '\0');
  while (true) {
    TRY_ASSIGN(const std::size_t got, zstd.read(buffer));
    all.append(buffer, 0, got);
    if (got < piece) return all;
  }
}

std::string text_of(std::size_t lines) {
  std::string text;
  for (std::size_t i = 0; i < lines; ++i) text += fmt::format("line {} of a file, {}\n", i, i * 2654435761u);
  return text;
}

TEST(ZstdSource, GivesTheContentInPiecesOfAnySize) {
  const std::string text = text_of(20'000);
  for (const std::size_t piece : {std::size_t{7}, std::size_t{4096}, std::size_t{1} << 20}) {
    EXPECT_EQ(text_of_zstd(zstd_of(text), piece).value_or("failed"), text) << piece;
  }
  EXPECT_EQ(text_of_zstd(zstd_of(""), 16).value_or("failed"), "");
}

TEST(ZstdSource, ReadsSeveralFramesAsOne) {
  EXPECT_EQ(text_of_zstd(zstd_of("first ") + zstd_of("second"), 4096).value_or("failed"), "first second");
}

TEST(ZstdSource, RefusesAStreamThatEndsEarly) {
  const std::string whole = zstd_of(text_of(2000));
  for (const std::size_t size : {whole.size() - 1, whole.size() / 2, std::size_t{5}}) {
    const Result<std::string> text = text_of_zstd(whole.substr(0, size), 4096);
    ASSERT_FALSE(text) << size;
    EXPECT_EQ(text.error().message, "the compressed data ends early");
  }
}

TEST(ZstdSource, RefusesDamagedBytes) {
  std::string bytes = zstd_of(text_of(2000));
  bytes[4] = static_cast<char>(0xFF);
  const Result<std::string> text = text_of_zstd(bytes, 4096);
  ASSERT_FALSE(text);
  EXPECT_THAT(text.error().message, ::testing::HasSubstr("the compressed data is damaged"));
}

TEST(ZstdSource, LoadsAPackedProfile) {
  const std::string csv =
      "\"ID\",\"Kernel Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n"
      "\"0\",\"axpy(int)\",\"gpu__time_duration.sum\",\"us\",\"2\"\n";
  EXPECT_EQ(testing::mean(testing::session_of(zstd_of(csv)), "axpy(int)", metrics::kernel_duration), 2000.0);
}

// Four bytes of a frame may stand for 128 KiB.
TEST(ZstdSource, IsNoBomb) {
  const std::string bomb = zstd_of(std::string(64 << 20, '0'));
  EXPECT_LT(bomb.size(), 8000u);
  const Result<std::string> text = text_of_zstd(bomb, 4096);
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().message, "the compressed data unpacks to more than 200 times its size");
  EXPECT_TRUE(text_of_zstd(zstd_of(std::string(900 << 10, '0')), 4096));
}

}  // namespace
}  // namespace frx::ingest
