#include "ingest/gzip_source.h"

#include <gtest/gtest.h>

#include "ingest/unpacked_source.h"
#include "support/deflate.h"

namespace frx::ingest {
namespace {

std::string packed(std::string_view text) { return frx::testing::deflated(text, frx::testing::as_gzip); }

using Engine = std::unique_ptr<GzipEngine> (*)();

// The output in pieces of 1000 bytes, and the error that ends it.
std::pair<std::string, std::string> unpacked(const std::string& bytes, Engine engine) {
  const std::unique_ptr<ByteSource> source = open_bytes(bytes);
  GzipSource gzip(*source, engine());
  std::string text, piece(1000, '\0');
  for (;;) {
    const Result<std::size_t> read = gzip.read(piece);
    if (!read) return {text, read.error().message};
    if (*read == 0) return {text, ""};
    text.append(piece, 0, *read);
  }
}

std::string long_text() {
  std::string text;
  for (int i = 0; i < 20000; ++i) text += std::to_string(i * 7919) + " ";
  return text;
}

// Runs with each library that is installed.
class GzipSourceWith : public ::testing::TestWithParam<Engine> {
 protected:
  void SetUp() override {
    if (!GetParam()()) GTEST_SKIP() << "ISA-L (libisal2) is not installed";
  }
  std::pair<std::string, std::string> unpacked(const std::string& bytes) const { return ingest::unpacked(bytes, GetParam()); }
};
INSTANTIATE_TEST_SUITE_P(Engines, GzipSourceWith, ::testing::Values(zlib_engine, isal_engine),
                         [](const auto& engine) { return engine.param == zlib_engine ? "Zlib" : "Isal"; });

TEST_P(GzipSourceWith, GivesBackWhatWasPacked) {
  EXPECT_EQ(unpacked(packed(long_text())), std::pair(long_text(), std::string()));
  EXPECT_EQ(unpacked(packed("")), std::pair(std::string(), std::string()));
}

TEST_P(GzipSourceWith, ReadsAllMembersAndTheZerosBehindThem) {
  EXPECT_EQ(unpacked(packed("one ") + packed("two") + std::string(700, '\0')), std::pair(std::string("one two"), std::string()));
}

TEST_P(GzipSourceWith, GivesWhatCameBeforeTheCutAndThenSaysSo) {
  const std::string bytes = packed(long_text());
  const auto [text, error] = unpacked(bytes.substr(0, bytes.size() / 2));
  EXPECT_EQ(error, "the compressed data ends early");
  EXPECT_GT(text.size(), 1000u);
  EXPECT_EQ(text, long_text().substr(0, text.size()));
}

TEST_P(GzipSourceWith, RefusesDamage) {
  std::string bytes = packed(long_text());
  bytes[bytes.size() / 2] = static_cast<char>(~bytes[bytes.size() / 2]);
  EXPECT_NE(unpacked(bytes).second.find("damaged"), std::string::npos);
}

// Wherever the file is cut, no bytes are invented and no stream is reported as complete.
TEST_P(GzipSourceWith, SaysOfEveryCutThatItEndsEarly) {
  const std::string bytes = packed("a text that is short enough to be cut at every byte of it, and repeats, and repeats");
  for (std::size_t size = 1; size < bytes.size(); ++size) {
    const auto [text, error] = unpacked(bytes.substr(0, size));
    EXPECT_EQ(error, "the compressed data ends early") << size << " bytes";
  }
}

// The last bytes of a stream may be consumed before there is output space for what they decompress to.
TEST_P(GzipSourceWith, GivesEverythingThroughASmallHole) {
  const std::string text(100'000, 'x');
  const std::string bytes = packed(text);
  const std::unique_ptr<ByteSource> source = open_bytes(bytes);
  GzipSource gzip(*source, GetParam()());
  std::string got;
  for (char c = 0; gzip.read({&c, 1}).value() == 1;) got += c;
  EXPECT_EQ(got, text);
}

TEST(UnpackedSource, KnowsGzipByItsFirstBytes) {
  const std::string bytes = packed("{\"a\": 1}");
  const std::unique_ptr<ByteSource> source = open_bytes(bytes);
  UnpackedSource unpacked(*source);
  EXPECT_EQ(unpacked.head().value(), "{\"a\": 1}");
}

TEST(GzipSource, IsNoBomb) {
  for (const Engine engine : {&zlib_engine, &isal_engine}) {
    if (!engine()) continue;
    const auto [text, error] = unpacked(packed(std::string(8 << 20, '0')), engine);
    EXPECT_EQ(error, "the compressed data unpacks to more than 200 times its size");
    EXPECT_LT(text.size(), std::size_t{5} << 20);
    EXPECT_EQ(unpacked(packed(std::string(900 << 10, '0')), engine).second, "") << "a little of anything does no harm";
    std::string rows;
    for (int i = 0; i < 200'000; ++i) rows += fmt::format("\"{}\",\"axpy\",\"dram__bytes.sum\",\"byte\",\"4096\"\n", i);
    EXPECT_EQ(unpacked(packed(rows), engine).second, "") << "a table that repeats itself";
  }
}

}  // namespace
}  // namespace frx::ingest
