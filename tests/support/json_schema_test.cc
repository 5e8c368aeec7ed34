#include "support/json_schema.h"

#include <gtest/gtest.h>

namespace frx::testing {
namespace {

using Strings = std::vector<std::string>;

Strings check(const char* schema, const char* value) { return violations(Json::parse(schema), Json::parse(value)); }

TEST(JsonSchema, NamesThePlaceOfAWrongType) {
  constexpr const char* schema = R"({"properties": {"a": {"items": {"type": ["number", "null"]}}}})";
  EXPECT_EQ(check(schema, R"({"a": [1, null]})"), Strings());
  EXPECT_EQ(check(schema, R"({"a": [1, "x"]})"), Strings{R"(/a/1: expected ["number","null"], found string)"});
}

TEST(JsonSchema, MissesRequiredKeysAndRefusesUnknownOnes) {
  constexpr const char* schema = R"({"required": ["a"], "properties": {"a": {}}, "additionalProperties": false})";
  EXPECT_EQ(check(schema, R"({"b": 1})"), (Strings{"/b: nothing is allowed here", "/: 'a' is missing"}));
}

TEST(JsonSchema, FollowsReferencesInsideTheSchema) {
  constexpr const char* schema = R"({"$ref": "#/$defs/score", "$defs": {"score": {"minimum": 0, "maximum": 1}}})";
  EXPECT_EQ(check(schema, "0.5"), Strings());
  EXPECT_EQ(check(schema, "1.5"), Strings{"/: 1.5 is above 1"});
}

TEST(JsonSchema, AdmitsWhatItDoesNotKnow) {
  EXPECT_EQ(check(R"({"dependentSchemas": {}})", "{}"), Strings{"/: the checker does not know the keyword 'dependentSchemas'"});
}

TEST(JsonSchema, MembersThatNoSchemaDescribesAreViolations) {
  const std::string inner = R"({"schema": "code_analysis_v1", "invented": 1})";
  const Strings alone = schema_violations(inner);
  EXPECT_EQ(alone.back(), "code_analysis_v1 does not describe 'invented'");
  EXPECT_EQ(schema_violations(R"({"mode": "code", "result": {"parts": [)" + inner + "]}}"), alone);
}

TEST(JsonSchema, EachOfSeveralOutputsIsChecked) {
  const std::string one = "{\"schema\": \"code_analysis_v1\"}\n";
  const std::size_t violations = schema_violations(one).size();
  ASSERT_GT(violations, 0u);
  EXPECT_EQ(schema_violations("$ frx analyze a --json\n" + one + "$ frx analyze b\nwords\n$ frx analyze c --json\n" + one).size(),
            2 * violations);
}

}  // namespace
}  // namespace frx::testing
