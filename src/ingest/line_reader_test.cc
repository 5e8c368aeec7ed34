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

std::string utf16(std::u16string_view text, bool little) {
  std::string bytes;
  for (const char16_t unit : std::u16string(u"\uFEFF") + std::u16string(text)) {
    const char low = static_cast<char>(unit & 0xFF), high = static_cast<char>(unit >> 8);
    bytes += little ? low : high;
    bytes += little ? high : low;
  }
  return bytes;
}

TEST(LineReader, GivesLinesWithoutTheirEnds) { EXPECT_EQ(lines_of("a\r\nb\n\nc"), (Lines{"a", "b", "", "c"})); }

TEST(LineReader, GivesNothingForAnEmptyFile) { EXPECT_EQ(lines_of(""), Lines{}); }

TEST(LineReader, AddsNoLineAfterTheLastEnd) { EXPECT_EQ(lines_of("a\n"), (Lines{"a"})); }

TEST(LineReader, DropsAByteOrderMark) {
  EXPECT_EQ(lines_of("\xEF\xBB\xBF"
                     "a\nb"),
            (Lines{"a", "b"}));
}

TEST(LineReader, ReadsUtf16OfBothOrders) {
  EXPECT_EQ(lines_of(utf16(u"ab\r\nc\u00E9\n", true)), (Lines{"ab", "c\xC3\xA9"}));
  EXPECT_EQ(lines_of(utf16(u"ab\r\nc\u20AC", false)), (Lines{"ab", "c\xE2\x82\xAC"}));
}

TEST(LineReader, ReadsSurrogatePairs) { EXPECT_EQ(lines_of(utf16(u"\U0001F600", true)), (Lines{"\xF0\x9F\x98\x80"})); }

TEST(LineReader, ReplacesALoneSurrogate) {
  EXPECT_EQ(lines_of(utf16(std::u16string{0xD800, u'x'}, true)), (Lines{"\xEF\xBF\xBD"
                                                                        "x"}));
}

TEST(LineReader, ReadsUtf16AcrossChunks) {
  std::u16string text;
  for (int i = 0; i < 300000; ++i) text += i % 50 == 49 ? u'\n' : u'x';
  text += u"\U0001F600 end";
  const Lines lines = lines_of(utf16(text, true));
  ASSERT_EQ(lines.size(), 6001u);
  EXPECT_EQ(lines[5999], std::string(49, 'x'));
  EXPECT_EQ(lines[6000], "\xF0\x9F\x98\x80 end");
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
