#include "ingest/line_reader.h"

#include <gtest/gtest.h>

namespace frx::ingest {
namespace {

std::vector<std::string> lines_of(std::string_view bytes) {
  const std::unique_ptr<ByteSource> source = open_bytes(bytes);
  LineReader reader(*source);
  std::vector<std::string> lines;
  std::string_view line;
  while (true) {
    const Result<bool> more = reader.next(line);
    if (!more || !*more) return lines;
    lines.emplace_back(line);
  }
}

using Lines = std::vector<std::string>;

TEST(LineReader, GivesLinesWithoutTheirEnds) { EXPECT_EQ(lines_of("a\r\nb\n\nc"), (Lines{"a", "b", "", "c"})); }

TEST(LineReader, GivesNothingForAnEmptyFile) { EXPECT_EQ(lines_of(""), Lines{}); }

TEST(LineReader, AddsNoLineAfterTheLastEnd) { EXPECT_EQ(lines_of("a\n"), (Lines{"a"})); }

TEST(LineReader, DropsAByteOrderMark) {
  EXPECT_EQ(lines_of("\xEF\xBB\xBF"
                     "a\nb"),
            (Lines{"a", "b"}));
}

TEST(LineReader, ReadsLinesLongerThanItsBuffer) {
  const std::string longer(1'500'000, 'y');
  EXPECT_EQ(lines_of("a\n" + longer + "\nb"), (Lines{"a", longer, "b"}));
}

TEST(LineReader, KeepsLinesWholeAcrossChunks) {
  std::string bytes;
  for (int i = 0; i < 200000; ++i) bytes += std::to_string(i) + "\n";
  const Lines lines = lines_of(bytes);
  ASSERT_EQ(lines.size(), 200000u);
  for (int i = 0; i < 200000; ++i) ASSERT_EQ(lines[static_cast<std::size_t>(i)], std::to_string(i));
}

TEST(LineReader, JoinsTheNextLineOnRequest) {
  const std::unique_ptr<ByteSource> source = open_bytes("one\ntwo\nthree");
  LineReader reader(*source);
  std::string_view line;
  ASSERT_TRUE(*reader.next(line));
  ASSERT_TRUE(*reader.extend(line));
  EXPECT_EQ(line, "one\ntwo");
  EXPECT_EQ(reader.line_number(), 2u);
  ASSERT_TRUE(*reader.next(line));
  EXPECT_EQ(line, "three");
  EXPECT_FALSE(*reader.extend(line));
}

TEST(LineReader, ShowsItsHeadWithoutConsumingIt) {
  const std::unique_ptr<ByteSource> source = open_bytes("one\ntwo");
  LineReader reader(*source);
  EXPECT_EQ(*reader.head(), "one\ntwo");
  std::string_view line;
  ASSERT_TRUE(*reader.next(line));
  EXPECT_EQ(line, "one");
  EXPECT_EQ(reader.line_number(), 1u);
}

TEST(LineReader, RefusesALineThatNeverEnds) {
  const std::string bytes(std::size_t{66} << 20, 'z');
  const std::unique_ptr<ByteSource> source = open_bytes(bytes);
  LineReader reader(*source);
  std::string_view line;
  const Result<bool> more = reader.next(line);
  ASSERT_FALSE(more);
  EXPECT_NE(more.error().message.find("64 MB"), std::string::npos);
}

}  // namespace
}  // namespace frx::ingest
