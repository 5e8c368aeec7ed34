#include "base/document.h"

#include <gtest/gtest.h>

namespace frx {
namespace {

class DocumentTest : public ::testing::Test {
 protected:
  Value parse(const std::string& text) {
    Result<Document> parsed = parse_yaml("my.yaml", text);
    if (!parsed) {
      ADD_FAILURE() << to_string(parsed.error());
      return {};
    }
    document = std::move(*parsed);
    view = document.view();
    return Value(view);
  }
  static std::string refusal(const std::string& text) {
    const Result<Document> parsed = parse_yaml("my.yaml", text);
    return parsed ? std::string() : to_string(parsed.error());
  }

  Document document;
  DocumentView view;
};

TEST_F(DocumentTest, ReadsMapsListsAndTexts) {
  const Value root = parse("family: time\nmetrics:\n  - id: a\n    tags: [x, y]\n  - id: b\n");
  EXPECT_EQ(root["family"].text(), "time");
  ASSERT_EQ(root["metrics"].size(), 2u);
  EXPECT_EQ(root["metrics"].item(1)["id"].text(), "b");
  EXPECT_EQ(root["metrics"].item(0)["tags"].texts(), (std::vector<std::string_view>{"x", "y"}));
}

TEST_F(DocumentTest, GivesAnEmptyValueForAMissingKey) {
  const Value root = parse("a: 1\n");
  EXPECT_FALSE(root["b"]["c"]);
  EXPECT_EQ(root["b"]["c"].text(), "");
  EXPECT_EQ(root["b"].size(), 0u);
}

TEST_F(DocumentTest, ATextHasNoItemsHoweverLongItIs) {
  const Value text = parse("a: no list\n")["a"];
  EXPECT_EQ(text.size(), 0u);
  EXPECT_FALSE(text.item(0));
  EXPECT_FALSE(text.value(0));
  EXPECT_EQ(text.key(0), "");
}

TEST_F(DocumentTest, GivesNothingBehindTheEndOfAListOrAMap) {
  const Value root = parse("list: [x]\nmap: {k: v}\n");
  EXPECT_FALSE(root["list"].item(1));
  EXPECT_FALSE(root["map"].value(1));
  EXPECT_EQ(root["map"].key(1), "");
  EXPECT_FALSE(root["map"].item(0));
}

TEST_F(DocumentTest, RefusesATextWhereAListBelongs) {
  const Value root = parse("a: [x]\nb: x\n");
  EXPECT_EQ(root.list("a")->size(), 1u);
  EXPECT_EQ(root.list("missing")->size(), 0u);
  EXPECT_EQ(to_string(root.list("b").error()), "my.yaml:2: expected a list under 'b'");
}

TEST_F(DocumentTest, TakesOneTextForAListOfOne) { EXPECT_EQ(parse("a: x\n")["a"].texts(), (std::vector<std::string_view>{"x"})); }

TEST_F(DocumentTest, ReadsNumbersAndTruths) {
  const Value root = parse("n: 1.5e3\ny: true\nno: false\ntext: 12 apples\n");
  EXPECT_EQ(root["n"].number(), 1500);
  EXPECT_EQ(root["y"].boolean(), true);
  EXPECT_EQ(root["no"].boolean(), false);
  EXPECT_EQ(root["text"].number(), std::nullopt);
  EXPECT_EQ(root["text"].boolean(), std::nullopt);
}

TEST_F(DocumentTest, TakesNanAndInfinityForNoNumbers) {
  const Value root = parse("a: nan\nb: inf\nc: -inf\n");
  EXPECT_EQ(root["a"].number(), std::nullopt);
  EXPECT_EQ(root["b"].number(), std::nullopt);
  EXPECT_EQ(root["c"].number(), std::nullopt);
}

TEST_F(DocumentTest, WalksAMapInOrder) {
  const Value root = parse("z: 1\na: 2\n");
  ASSERT_EQ(root.size(), 2u);
  EXPECT_EQ(root.key(0), "z");
  EXPECT_EQ(root.value(1).text(), "2");
}

TEST_F(DocumentTest, KnowsTheLineOfAValue) { EXPECT_EQ(parse("a: 1\n\nb:\n  c: 2\n")["b"]["c"].where(), "my.yaml:4"); }

TEST_F(DocumentTest, NamesTheLineThatIsNoYaml) { EXPECT_EQ(refusal("a: 1\nb: [1, 2\n").rfind("my.yaml:", 0), 0u); }

TEST_F(DocumentTest, RefusesAliases) {
  const std::string message = refusal("a: &x [1]\nb: *x\n");
  EXPECT_NE(message.find("my.yaml:"), message.npos);
  EXPECT_NE(message.find("expected plain YAML"), message.npos) << message;
}

TEST_F(DocumentTest, RefusesASecondDocument) { EXPECT_NE(refusal("a: 1\n---\nb: 2\n").find("a second document"), std::string::npos); }

TEST_F(DocumentTest, RefusesBottomlessNesting) { EXPECT_NE(refusal(std::string(5000, '[') + std::string(5000, ']')), ""); }

TEST_F(DocumentTest, IsEmptyForAnEmptyFile) { EXPECT_FALSE(parse("")); }

}  // namespace
}  // namespace frx
