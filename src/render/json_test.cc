#include "render/json.h"

#include <gtest/gtest.h>

#include <string>

namespace frx::render {
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
}  // namespace frx::render
