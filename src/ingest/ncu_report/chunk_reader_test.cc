#include "ingest/ncu_report/chunk_reader.h"

#include <gtest/gtest.h>

namespace frx::ingest::nsight {
namespace {

// Delivers at most `piece` bytes at a time and does not know the size, like a pipe.
class Pipe : public ByteSource {
 public:
  explicit Pipe(std::string bytes) : bytes_(std::move(bytes)) {}
  Result<std::size_t> read(std::span<char> buffer) override {
    const std::size_t size = std::min(buffer.size(), bytes_.size() - at_);
    std::copy_n(bytes_.data() + at_, size, buffer.data());
    at_ += size;
    largest_ = std::max(largest_, buffer.size());
    return size;
  }
  std::size_t largest_buffer() const { return largest_; }

 private:
  std::string bytes_;
  std::size_t at_ = 0;
  std::size_t largest_ = 0;
};

std::string letters(std::size_t size) {
  std::string text(size, ' ');
  for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>('a' + i * 7 % 26);
  return text;
}

TEST(ChunkReader, GivesPiecesOfAnySizeInOrder) {
  const std::string all = letters(1'000'000);
  Pipe pipe(all);
  ChunkReader reader(pipe);
  std::string together;
  for (std::size_t size = 1; together.size() < all.size(); size = size * 3 % 300'007) together += reader.take(size).value();
  EXPECT_EQ(together, all);
  EXPECT_TRUE(reader.at_end().value());
  EXPECT_EQ(reader.offset(), all.size());
}

TEST(ChunkReader, GivesWhatThereIsAtTheEnd) {
  Pipe pipe("abc");
  ChunkReader reader(pipe);
  EXPECT_FALSE(reader.at_end().value());
  EXPECT_EQ(reader.take(10).value(), "abc");
  EXPECT_TRUE(reader.at_end().value());
  EXPECT_EQ(reader.take(10).value(), "");
}

TEST(ChunkReader, SkipsAndCounts) {
  Pipe pipe(letters(700'000));
  ChunkReader reader(pipe);
  EXPECT_EQ(reader.skip(600'000).value(), 600'000u);
  EXPECT_EQ(reader.take(3).value(), letters(700'000).substr(600'000, 3));
  EXPECT_EQ(reader.skip(~std::uint64_t{0}).value(), 99'997u);
}

TEST(ChunkReader, WhatItGaveStaysInTheMemoryThatIsTakenAway) {
  const std::string all = letters(2'000'000);
  Pipe pipe(all);
  ChunkReader reader(pipe);
  ChunkReader::Memory before, after;
  const std::string_view first = reader.take(700'000).value();
  reader.exchange_memory(before);
  const std::string_view second = reader.take(1'000'000).value();
  reader.exchange_memory(after);
  const std::string_view third = reader.take(400'000).value();
  EXPECT_EQ(std::string(first) + std::string(second) + std::string(third), all);
  EXPECT_TRUE(reader.buffered().empty());
}

TEST(ChunkReader, ASizeThatLiesCostsNoMoreThanTheFile) {
  Pipe pipe(letters(1000));
  ChunkReader reader(pipe);
  EXPECT_EQ(reader.take(std::uint64_t{1} << 40).value().size(), 1000u);
  EXPECT_LE(pipe.largest_buffer(), std::size_t{1} << 20);
}

}  // namespace
}  // namespace frx::ingest::nsight
