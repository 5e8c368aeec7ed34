#include "ingest/utf8_source.h"

#include <gtest/gtest.h>

#include "ingest/unpacked_source.h"

namespace frx::ingest {
namespace {

using namespace std::string_view_literals;

enum class Order { little, big };

template <typename Text>
std::string encoded(const Text& text, Order order) {
  constexpr std::size_t unit = sizeof(text[0]);
  std::string bytes;
  for (const auto point : text) {
    for (std::size_t i = 0; i < unit; ++i) {
      const std::size_t place = order == Order::little ? i : unit - 1 - i;
      bytes += static_cast<char>(static_cast<std::uint32_t>(point) >> (8 * place) & 0xFF);
    }
  }
  return bytes;
}

std::string read_through(std::string_view bytes) {
  const std::unique_ptr<ByteSource> raw = open_bytes(bytes);
  UnpackedSource source(*raw);
  if (!source.head()) return "cannot be read";
  return read_all(source, "text", std::uint64_t{1} << 30).value_or("cannot be read");
}

TEST(Utf8Source, ReadsBothOrdersWithAMark) {
  for (const Order order : {Order::little, Order::big}) {
    EXPECT_EQ(read_through(encoded(std::u16string(u"\uFEFFab\r\nc\u00E9\u20AC"), order)), "ab\r\nc\xC3\xA9\xE2\x82\xAC");
    EXPECT_EQ(read_through(encoded(std::u32string(U"\uFEFFab\U0001F600"), order)), "ab\xF0\x9F\x98\x80");
  }
}

TEST(Utf8Source, ReadsBothOrdersWithoutAMark) {
  for (const Order order : {Order::little, Order::big}) {
    EXPECT_EQ(read_through(encoded(std::u16string(u"__global__ void k() {}"), order)), "__global__ void k() {}");
    EXPECT_EQ(read_through(encoded(std::u32string(U"__global__"), order)), "__global__");
  }
}

TEST(Utf8Source, ReadsSurrogatePairs) {
  EXPECT_EQ(read_through(encoded(std::u16string(u"\uFEFF\U0001F600"), Order::little)), "\xF0\x9F\x98\x80");
}

TEST(Utf8Source, ReplacesWhatIsNoCharacter) {
  EXPECT_EQ(read_through(encoded(std::u16string{0xFEFF, 0xD800, u'x'}, Order::little)), "\xEF\xBF\xBD" + std::string("x"));
  EXPECT_EQ(read_through(encoded(std::u32string{0xFEFF, 0x7FFFFFFF, U'x'}, Order::little)), "\xEF\xBF\xBD" + std::string("x"));
}

TEST(Utf8Source, ReplacesHalfAUnitAtTheEnd) {
  EXPECT_EQ(read_through("\xFF\xFE"
                         "a\0"
                         "b"sv),
            "a\xEF\xBF\xBD");
}

TEST(Utf8Source, ReadsAcrossChunks) {
  std::u16string text = u"\uFEFF";
  for (int i = 0; i < 300'001; ++i) text += u'x';
  text += u"\U0001F600 end";  // the pair is divided between two chunks for one of the lengths
  EXPECT_EQ(read_through(encoded(text, Order::little)), std::string(300'001, 'x') + "\xF0\x9F\x98\x80 end");
  text.insert(1, u"y");
  EXPECT_EQ(read_through(encoded(text, Order::little)), "y" + std::string(300'001, 'x') + "\xF0\x9F\x98\x80 end");
}

TEST(Utf8Source, LeavesOtherBytesAlone) {
  for (const std::string_view bytes : {"plain"sv, "\xEF\xBB\xBFwith a mark"sv,
                                       "\x7F"
                                       "ELF\2\1\1\0\0\0\0"sv,
                                       "\0\0\0\0\0\0\0\0"sv, "NVR\0\2\0\0\0"sv, "a\0"sv, ""sv}) {
    EXPECT_EQ(read_through(bytes), bytes);
  }
}

}  // namespace
}  // namespace frx::ingest
