#include "report/judge/reply.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace frx::report {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::string_view pair = R"({"bottleneck_1": {"category": "memory-bound"}, "bottleneck_2": {"category": "latency-bound"}})";

ExtractedReply extracted(std::string_view text, JudgeContract contract = JudgeContract::dual) {
  Result<ExtractedReply> reply = extract_reply(text, contract);
  EXPECT_TRUE(reply) << (reply ? "" : reply.error().message);
  return reply ? std::move(*reply) : ExtractedReply{};
}

std::string refusal(std::string_view text, JudgeContract contract = JudgeContract::dual) {
  const auto reply = extract_reply(text, contract);
  return reply ? "" : reply.error().message;
}

// kdiag 6
TEST(ExtractReply, FindsItInAFence) {
  const ExtractedReply reply = extracted("I think:\n```json\n" + std::string(pair) + "\n```\nDone.");
  EXPECT_EQ(reply.path, "fenced");
  EXPECT_TRUE(reply.repairs.empty());
  EXPECT_EQ(reply.value["bottleneck_2"]["category"], "latency-bound");
}

// kdiag 6
TEST(ExtractReply, FindsItBetweenProseWithCitationsAndBraces) {
  const ExtractedReply reply = extracted("As [1] and {others} say [2]: " + std::string(pair) + " see [3]]");
  EXPECT_EQ(reply.path, "bare");
  EXPECT_EQ(reply.value["bottleneck_1"]["category"], "memory-bound");
}

// kdiag 6
TEST(ExtractReply, BracesInTextsAreNoBraces) {
  const ExtractedReply reply =
      extracted(R"({"bottleneck_1": {"category": "memory-bound", "root_cause": "a } in \" a text {"}, "bottleneck_2": {}})");
  EXPECT_EQ(reply.value["bottleneck_1"]["root_cause"], "a } in \" a text {");
}

// kdiag 6
TEST(ExtractReply, TakesTheOneOfTheContractThenTheLater) {
  const std::string other = R"({"note": "a longer object that is none of bottlenecks, with many words in it so that it is the largest"})";
  EXPECT_TRUE(extracted(other + std::string(pair) + other).value.contains("bottleneck_1"));
  const std::string draft = R"({"bottleneck_1": {"category": "compute-bound"}, "bottleneck_2": {"category": "memory-bound"}})";
  EXPECT_EQ(extracted("draft: " + draft + " final: " + std::string(pair)).value["bottleneck_1"]["category"], "memory-bound");
  EXPECT_EQ(extracted("```json\n" + draft + "\n```\nor was it " + std::string(pair)).value["bottleneck_1"]["category"], "compute-bound");
  EXPECT_EQ(extracted(R"([{"category": "memory"}, {"category": "compute"}])", JudgeContract::list).value.size(), 2u);
}

// kdiag 6
TEST(ExtractReply, MendsAndSaysWhatItMended) {
  EXPECT_THAT(extracted(R"({"bottleneck_1": {"category": "memory-bound",}, "bottleneck_2": {},})").repairs,
              ElementsAre("a comma before a closing bracket"));
  EXPECT_THAT(extracted("{\"bottleneck_1\": {}, // the first\n \"bottleneck_2\": {} /* the second */}").repairs, ElementsAre("a comment"));
  const ExtractedReply curly =
      extracted("{\u201cbottleneck_1\u201d: {\u201ccategory\u201d: \u201cmemory-bound\u201d}, \"bottleneck_2\": {}}");
  EXPECT_THAT(curly.repairs, ElementsAre("typographic quotation marks"));
  EXPECT_EQ(curly.value["bottleneck_1"]["category"], "memory-bound");
  EXPECT_EQ(curly.path, "repaired");
  EXPECT_THAT(extracted("{\"bottleneck_1\": {\"root_cause\": \"two\nlines\"}, \"bottleneck_2\": {}}").repairs,
              ElementsAre("a line break in a text"));
}

// kdiag 6: nothing is invented, so a second bottleneck that is cut off is missing.
TEST(ExtractReply, LeavesOutWhatIsCutOff) {
  const ExtractedReply reply = extracted(R"({"bottleneck_1": {"category": "memory-bound"}, "bottleneck_2": {"category": "lat)");
  EXPECT_EQ(reply.value.size(), 1u);
  EXPECT_EQ(reply.value["bottleneck_1"]["category"], "memory-bound");
  EXPECT_EQ(reply.path, "repaired");
}

TEST(ExtractReply, SaysWhatThereIsInstead) {
  EXPECT_THAT(refusal(""), HasSubstr("found none"));
  EXPECT_THAT(refusal("The kernel is memory bound."), HasSubstr("found none"));
  EXPECT_THAT(refusal(R"({"answer": 42})"), HasSubstr("found other JSON"));
  EXPECT_THAT(refusal("[1] [2]"), HasSubstr("found other JSON"));
}

// kdiag 6: a member that has another type than ours is no end of the program.
TEST(ExtractReply, AProfileThatIsNoTextIsNoList) {
  for (const std::string profile : {"5", "null", "[\"n\"]"}) {
    const std::string text = R"({"bottlenecks": [{"category": "memory-bound"}], "profile": )" + profile + "}";
    const auto reply = extract_reply(text, JudgeContract::dual);
    ASSERT_TRUE(reply) << text;
    EXPECT_EQ(contract_of(reply->value), JudgeContract::dual);
  }
}

// No text takes long, whatever it nests.
TEST(ExtractReply, EndsOnAnyNesting) {
  EXPECT_FALSE(extract_reply(std::string(2'000'000, '{'), JudgeContract::dual));
  EXPECT_FALSE(extract_reply(std::string(200'000, '['), JudgeContract::list));
  std::string nested;
  for (int i = 0; i < 60'000; ++i) nested += "{\"a\":";
  EXPECT_FALSE(extract_reply(nested, JudgeContract::dual));
}

}  // namespace
}  // namespace frx::report
