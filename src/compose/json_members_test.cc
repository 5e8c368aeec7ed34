#include "compose/json_members.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

namespace frx::compose {
namespace {

struct Thing {
  std::string name;
  std::vector<std::string> words;
  std::optional<std::int64_t> number;
  std::vector<Thing> parts;
};

template <typename Out>
void put_thing(Out& out, const Thing& thing) {
  out.member("name", thing.name);
  out.member("none", unless_empty(""));
  out.member("words", thing.words);
  out.member("number", thing.number);
  out.member("truth", thing.words.empty());
  out.member("sizes", std::optional(std::array<std::uint64_t, 2>{1, 18446744073709551615u}));
  out.member("perhaps", std::vector<std::optional<int>>{-1, std::nullopt});
  out.member("json", Json{{"half", 0.5}, {"list", {1, "two"}}});
  out.list("parts", thing.parts, [](auto& inner, const Thing& part) { put_thing(inner, part); });
}

const Thing thing{
    "a \"name\"", {"plain", "back\\slash", "line\nfeed", "\xC3\xA4", "\xFF", "\x7F", ""}, -7, {{"b", {}, {}, {{"c", {}, 1, {}}}}, {}}};

Json tree_of(const Thing& one) {
  Json json;
  JsonTree tree(json);
  put_thing(tree, one);
  return json;
}

TEST(JsonMembers, HaveTheTextOfTheirTree) {
  std::string text;
  JsonText::object(
      text, 0, [](auto& out, const Thing& one) { put_thing(out, one); }, thing);
  EXPECT_EQ(text + "\n", json_text(tree_of(thing)));
  EXPECT_EQ(tree_of(thing)["parts"][0]["parts"][0]["name"], "c");
}

// More elements than are held at a time, and none.
TEST(JsonMembers, AreTheSameWhileTheyAreMade) {
  const std::vector<Thing> many(1100, thing);
  const auto put = [&](auto& out) {
    const auto one = [](auto& inner, const Thing& element) { put_thing(inner, element); };
    out.member("first", 1);
    out.list("many", many, one);
    out.list("none", std::vector<Thing>(), one);
    out.member("last", "end");
  };
  std::string text;
  JsonStream::write_result(
      "a mode", [&](std::string_view part) { text += part; }, put);
  Json result;
  JsonTree tree(result);
  put(tree);
  EXPECT_TRUE(text == json_text({{"mode", "a mode"}, {"result", result}}));
}

}  // namespace
}  // namespace frx::compose
