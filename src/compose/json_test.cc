#include "compose/json.h"

#include <gtest/gtest.h>

#include <cmath>

#include <string>

namespace frx::compose {
namespace {

std::string written(const Json& head, const JsonInPieces& pieces) {
  std::string text;
  write_json_text(head, "result", pieces, [&](std::string_view part) { text += part; });
  return text;
}

std::string in_one(Json head, const JsonInPieces& pieces) {
  head["result"] = in_one_piece(pieces);
  return json_text(head);
}

TEST(JsonText, IsWhatTheLibraryPrints) {
  const Json value = Json::parse(R"({"empty": {}, "none": [], "list": [1, -2, 3.25, 1e300, 18446744073709551615, true, false, null],
      "nested": {"a": [[], [{}], {"b": "c"}]}, "text": "plain", "\u00e4 key": "\u00e4 \n \t \u0001 \u007f \" \\ / \ud83d\ude00"})");
  EXPECT_EQ(json_text(value), value.dump(2, ' ', true) + "\n");
  for (const Json& one : value) EXPECT_EQ(json_text(one), one.dump(2, ' ', true) + "\n");
}

TEST(JsonText, ReplacesWhatIsNoText) {
  EXPECT_EQ(json_text(Json("a\xFFz")), "\"a\\ufffdz\"\n");
  EXPECT_EQ(json_text(Json(std::nan(""))), "null\n");
}

TEST(JsonInPieces, HasTheTextOfTheWhole) {
  const auto element = [](std::size_t i) {
    return Json{{"number", i}, {"text", "line\nfeed \xFF"}, {"none", Json::array()}, {"inner", {1, {{"a", nullptr}}}}};
  };
  const JsonInPieces pieces{{{"before", {{"x", 1}}}, {"list", nullptr}, {"empty", nullptr}, {"after", "end"}},
                            {{"list", 600, element}, {"empty", 0, element}}};
  EXPECT_EQ(written({{"mode", "ptx"}}, pieces), in_one({{"mode", "ptx"}}, pieces));
}

TEST(JsonInPieces, NeedsNoLists) {
  const JsonInPieces pieces{{{"only", "member"}}, {}};
  EXPECT_EQ(written({{"mode", "ptx"}}, pieces), in_one({{"mode", "ptx"}}, pieces));
}

}  // namespace
}  // namespace frx::compose
