#include "answer/json_object.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "answer/json.h"

namespace frx::answer {
namespace {

struct Thing {
  std::string name;
  std::vector<std::string> words;
  std::optional<std::int64_t> number;
  std::vector<Thing> parts;
};

void put_thing(JsonObject& out, const Thing& thing) {
  out.add("name", thing.name, "none", unless_empty(""), "words", thing.words, "number", thing.number, "truth", thing.words.empty());
  out.add("sizes", std::optional(std::array<std::uint64_t, 2>{1, 18446744073709551615u}));
  out.add("perhaps", std::vector<std::optional<int>>{-1, std::nullopt});
  out.object("nothing", [](JsonObject&) {});
  out.object("half", [](JsonObject& inner) { inner.add("half", 0.5, std::string_view("key \"of\" a file"), "x"); });
  out.object("absent", std::optional<Thing>(), put_thing);
  out.list("parts", thing.parts, put_thing);
}

const Thing thing{
    "a \"name\"", {"plain", "back\\slash", "line\nfeed", "\xC3\xA4", "\xFF", "\x7F", ""}, -7, {{"b", {}, {}, {{"c", {}, 1, {}}}}, {}}};

std::string text_of(const Thing& one) {
  return json_text_of([&](JsonObject& out) { put_thing(out, one); });
}

// The library's own printing is the yardstick.
TEST(JsonObject, HasTheTextThatTheLibraryPrints) {
  const Json tree = Json::parse(text_of(thing));
  EXPECT_EQ(text_of(thing), json_text(tree));
  EXPECT_EQ(tree["parts"][0]["parts"][0]["name"], "c");
  EXPECT_EQ(tree["words"][4], "\uFFFD");
  EXPECT_EQ(tree["half"]["key \"of\" a file"], "x");
  EXPECT_TRUE(tree["absent"].is_null());
  EXPECT_TRUE(tree["none"].is_null());
}

TEST(JsonObject, EscapesWhatTheLibraryEscapesWhereverItStands) {
  for (std::size_t size = 1; size <= 17; ++size) {
    for (std::size_t at = 0; at < size; ++at) {
      for (int byte = 0; byte < 128; ++byte) {
        std::string text(size, 'a');
        text[at] = static_cast<char>(byte);
        std::string ours;
        append_json_text(ours, text);
        ASSERT_EQ(ours, Json(text).dump(-1, ' ', true)) << size << ' ' << at << ' ' << byte;
      }
    }
  }
}

TEST(JsonObject, FitsOnOneLine) {
  const std::string line = compact_json([](JsonObject& out) { put_thing(out, thing); });
  EXPECT_EQ(line, Json::parse(line).dump(-1, ' ', true));
}

TEST(JsonObject, RoundsNumbers) {
  const auto printed = [](const auto& value) { return compact_json([&](JsonObject& out) { out.add("x", value); }); };
  EXPECT_EQ(printed(1.0 / 3), R"({"x":0.3333})");
  EXPECT_EQ(printed(16.0), R"({"x":16.0})");
  EXPECT_EQ(printed(-0.00001), R"({"x":0.0})");
  EXPECT_EQ(printed(std::optional<double>()), R"({"x":null})");
  EXPECT_EQ(printed(std::nan("")), R"({"x":null})");
  EXPECT_EQ(printed(rounded(2.0 / 3, 2)), R"({"x":0.67})");
  EXPECT_EQ(printed(rounded(256.4, 0)), R"({"x":256})");
  EXPECT_EQ(printed(exact(1.0 / 3)), R"({"x":0.3333333333333333})");
  EXPECT_EQ(printed(1e300), R"({"x":1e+300})");
}

// More elements than are made at a time, and none; nested ones, too.
TEST(JsonObject, IsTheSameWhileItIsHandedOver) {
  const std::vector<Thing> many(1100, thing);
  const auto put = [&](JsonObject& out) {
    out.add("first", 1);
    out.list("many", many, put_thing);
    out.object("inner", [&](JsonObject& inner) { inner.list("many", many, put_thing); });
    out.list("none", std::vector<Thing>(), put_thing);
    out.add("last", "end");
  };
  std::string handed_over, held;
  std::size_t longest = 0;
  const TextSink sink = [&](std::string_view part) {
    longest = std::max(longest, part.size());
    handed_over += part;
  };
  JsonObject::write_object(held, 0, &sink, put);
  sink(held + "\n");
  EXPECT_TRUE(handed_over == json_text_of(put));
  EXPECT_LT(longest, handed_over.size() / 2);
}

}  // namespace
}  // namespace frx::answer
