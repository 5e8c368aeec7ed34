#include "ingest/gzip_source.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include "ingest/unpacked_source.h"

namespace frx::ingest {
namespace {

std::string packed(std::string_view text) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string out(text.size() + 1000, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(out.size() - stream.avail_out);
  deflateEnd(&stream);
  return out;
}

// What comes out in pieces of 1000 bytes, and the error that ends it.
std::pair<std::string, std::string> unpacked(const std::string& bytes) {
  const std::unique_ptr<ByteSource> source = open_bytes(bytes);
  GzipSource gzip(*source);
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

TEST(GzipSource, GivesBackWhatWasPacked) {
  EXPECT_EQ(unpacked(packed(long_text())), std::pair(long_text(), std::string()));
  EXPECT_EQ(unpacked(packed("")), std::pair(std::string(), std::string()));
}

TEST(GzipSource, ReadsAllMembersAndTheZerosBehindThem) {
  EXPECT_EQ(unpacked(packed("one ") + packed("two") + std::string(700, '\0')), std::pair(std::string("one two"), std::string()));
}

TEST(GzipSource, GivesWhatCameBeforeTheCutAndThenSaysSo) {
  const std::string bytes = packed(long_text());
  const auto [text, error] = unpacked(bytes.substr(0, bytes.size() / 2));
  EXPECT_EQ(error, "the compressed data ends early");
  EXPECT_GT(text.size(), 1000u);
  EXPECT_EQ(text, long_text().substr(0, text.size()));
}

TEST(GzipSource, RefusesDamage) {
  std::string bytes = packed(long_text());
  bytes[bytes.size() / 2] = static_cast<char>(~bytes[bytes.size() / 2]);
  EXPECT_NE(unpacked(bytes).second.find("damaged"), std::string::npos);
}

TEST(UnpackedSource, KnowsGzipByItsFirstBytes) {
  const std::string bytes = packed("{\"a\": 1}");
  const std::unique_ptr<ByteSource> source = open_bytes(bytes);
  UnpackedSource unpacked(*source);
  EXPECT_EQ(unpacked.head().value(), "{\"a\": 1}");
}

}  // namespace
}  // namespace frx::ingest
