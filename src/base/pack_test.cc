#include "base/pack.h"

#include <gtest/gtest.h>

#include <limits>

namespace frx {
namespace {

struct Point {
  std::int64_t x = 0;
  std::optional<double> y;
  std::vector<std::string> names;
};

template <class Archive>
void fields(Archive& archive, Point& point) {
  archive(point.x, point.y, point.names);
}

TEST(Pack, WhatIsStoredComesBack) {
  Point point{-123456789, 0.1, {"a", "", std::string(300, 'x')}};
  Packer out;
  out(point);
  Unpacker in(out.bytes);
  Point read;
  in(read);
  EXPECT_TRUE(in.ok());
  EXPECT_EQ(in.bytes_left(), 0u);
  EXPECT_EQ(read.x, point.x);
  EXPECT_EQ(read.y, point.y);
  EXPECT_EQ(read.names, point.names);
}

TEST(Pack, NumbersOfAnySizeComeBack) {
  for (std::int64_t value : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{63}, std::int64_t{64}, INT64_MIN, INT64_MAX}) {
    Packer out;
    out(value);
    Unpacker in(out.bytes);
    std::int64_t read = 1;
    in(read);
    EXPECT_TRUE(in.ok());
    EXPECT_EQ(read, value);
  }
  EXPECT_EQ(unfolded(folded(INT64_MIN)), INT64_MIN);
}

TEST(Pack, BytesThatEndEarlyAreRefusedWhereverTheyEnd) {
  Point point{-5, 1.5, {"name", "other"}};
  Packer out;
  out(point);
  for (std::size_t size = 0; size < out.bytes.size(); ++size) {
    Unpacker in(std::string_view(out.bytes).substr(0, size));
    Point read;
    in(read);
    EXPECT_FALSE(in.ok()) << size;
  }
}

TEST(Pack, ACountThatLiesIsRefused) {
  Packer out;
  out.number(1'000'000'000'000);
  Unpacker in(out.bytes);
  std::vector<std::int64_t> list;
  in(list);
  EXPECT_FALSE(in.ok());
  EXPECT_TRUE(list.empty());
}

TEST(Pack, ANumberTooLargeForItsTypeIsRefused) {
  Packer out;
  out.number(std::uint64_t{1} << 32);
  std::uint32_t narrow = 0;
  Unpacker in(out.bytes);
  in(narrow);
  EXPECT_FALSE(in.ok());
  Unpacker endless(std::string_view("\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF", 11));
  EXPECT_EQ(endless.number(), 0u);
  EXPECT_FALSE(endless.ok());
}

}  // namespace
}  // namespace frx
