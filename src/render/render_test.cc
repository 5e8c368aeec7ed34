#include "render/render.h"

#include <gtest/gtest.h>

namespace frx::render {
namespace {

answer::Answer small_answer() {
  answer::Answer answer{.what = "a trace", .mode = "trace"};
  answer.document = [](answer::Detail detail) {
    answer::Document page;
    page.paragraph(detail == answer::Detail::brief ? "short" : "long");
    return page;
  };
  answer.payload = [](answer::JsonObject& out) { out.add("x", 1); };
  return answer;
}

std::string written(const answer::Answer& answer, std::string_view format, const Style& style = {}) {
  std::string text;
  const Result<> done = render(answer, format, style, [&](std::string_view part) { text += part; });
  return done ? text : "error: " + to_string(done.error());
}

TEST(Render, WritesAnyFormatThatTheAnswerHasMaterialFor) {
  EXPECT_EQ(written(small_answer(), "text"), "  long\n");
  EXPECT_EQ(written(small_answer(), "text", {.detail = answer::Detail::brief}), "  short\n");
  EXPECT_EQ(written(small_answer(), "markdown"), "long\n");
  EXPECT_EQ(written(small_answer(), "json"), "{\n  \"mode\": \"trace\",\n  \"result\": {\n    \"x\": 1\n  }\n}\n");
}

TEST(Render, AResultWithoutModeStandsAlone) {
  answer::Answer answer = small_answer();
  answer.mode.clear();
  EXPECT_EQ(written(answer, "json"), "{\n  \"x\": 1\n}\n");
}

TEST(Render, SaysWhatAnAnswerCannotBeWrittenAs) {
  EXPECT_EQ(
      written(small_answer(), "sarif"),
      "error: a trace has no findings in files, which the format sarif is made of\n  hint: formats for it: text, json, markdown, html");
  EXPECT_EQ(written(small_answer(), "odt"), "error: expected text, json, markdown, html as format, found 'odt'");
}

TEST(Render, ABriefIsFiles) {
  answer::Answer answer = small_answer();
  answer.brief = [] {
    answer::Document page;
    page.paragraph("words");
    return std::vector<answer::BriefFile>{{"a.txt", std::move(page), {}}, {"b.json", {}, [](answer::JsonObject& out) { out.add("y", 2); }}};
  };
  EXPECT_EQ(written(answer, "brief"), "==> a.txt <==\n  words\n==> b.json <==\n{\n  \"y\": 2\n}\n");
}

answer::Answer with_finding() {
  answer::Answer answer = small_answer();
  answer.issues = [] {
    answer::Issues issues;
    issues.found.push_back(
        {"bank_conflict", "memory", "medium", "high", "100 %: slow", "pad,\nplease", "k", {"src/a b.cu", 3, 5, 3, 9}, {}});
    issues.unread.push_back({"b.cu", "no such file"});
    return issues;
  };
  return answer;
}

TEST(Render, AnnotationsAreEscaped) {
  EXPECT_EQ(written(with_finding(), "github"),
            "::warning file=src/a b.cu,line=3,col=5,title=bank_conflict::100 %25: slow (kernel k)%0Apad,%0Aplease\n"
            "::error file=b.cu::no such file\n");
}

TEST(Render, SarifNamesRuleAndPlace) {
  const std::string text = written(with_finding(), "sarif");
  for (const std::string_view part : {R"("uri": "src/a%20b.cu")", R"("ruleIndex": 0)", R"("level": "warning")",
                                      R"("name": "Bank conflict")", R"("endColumn": 9)", R"("executionSuccessful": false)"}) {
    EXPECT_NE(text.find(part), text.npos) << part << "\n" << text;
  }
}

TEST(Renderers, HaveNamesOfTheirOwn) {
  for (const Renderer* one : renderers()) {
    EXPECT_EQ(std::ranges::count(renderers(), one->name, [](const Renderer* other) { return other->name; }), 1) << one->name;
    EXPECT_FALSE(one->needs.empty());
  }
}

}  // namespace
}  // namespace frx::render
