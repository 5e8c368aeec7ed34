#include "ingest/cuda/preprocessor.h"

#include <gtest/gtest.h>

#include "base/day.h"

namespace frx::ingest::cuda {
namespace {

TEST(CudaPreprocessor, KeepsEveryByteWhereItWas) {
  const std::string text = "#include <x>\nint a;\r\n#if 0\nint b;\n#endif\nint c;";
  const Preprocessed plain = preprocess(text);
  EXPECT_EQ(plain.text, "            \nint a;\r\n     \n      \n      \nint c;");
}

TEST(CudaPreprocessor, KnowsWhichSideOfAKnownConditionHolds) {
  EXPECT_EQ(preprocess("#if 0\na;\n#elif 1\nb;\n#else\nc;\n#endif\n").text, "     \n  \n       \nb;\n     \n  \n      \n");
  EXPECT_EQ(preprocess("#if 0\n#if 1\na;\n#endif\n#endif\nb;").text, "     \n     \n  \n      \n      \nb;");
}

TEST(CudaPreprocessor, KeepsBothSidesWhenEachIsWholeStatements) {
  EXPECT_EQ(preprocess("#ifdef X\na;\n#else\nb;\n#endif\n").text, "        \na;\n     \nb;\n      \n");
}

TEST(CudaPreprocessor, KeepsOneSideWithinAFunction) {
  EXPECT_EQ(preprocess("void f() {\n#ifdef X\na;\n#else\nb;\n#endif\n}").text, "void f() {\n        \na;\n     \n  \n      \n}");
  // Returns the same macro for the same name.
  EXPECT_EQ(preprocess("void f() {\n#ifndef X\na;\n#else\nb;\n#endif\n}").text, "void f() {\n         \n  \n     \nb;\n      \n}");
}

TEST(CudaPreprocessor, ANamespaceIsNoFunction) {
  EXPECT_EQ(preprocess("namespace n {\n#ifdef X\na;\n#else\nb;\n#endif\n}").text, "namespace n {\n        \na;\n     \nb;\n      \n}");
}

TEST(CudaPreprocessor, SwitchesOffWhatNoGpuOfTodayRuns) {
  EXPECT_EQ(preprocess("#if __CUDA_ARCH__ >= 300\na;\n#else\nb;\n#endif\n").text, "                        \na;\n     \n  \n      \n");
  EXPECT_EQ(preprocess("#define VOLTA 700\n#if __CUDA_ARCH__ < VOLTA\na;\n#endif\n").text,
            "                 \n                         \n  \n      \n");
}

TEST(CudaPreprocessor, KeepsTheSideThatHasSomething) {
  EXPECT_EQ(preprocess("void f() {\n#if X\n#else\na;\n#endif\n}").text, "void f() {\n     \n     \na;\n      \n}");
}

TEST(CudaPreprocessor, KeepsTheFirstOfTwoSidesThatOpenOneBody) {
  EXPECT_EQ(preprocess("#ifdef X\nif (a) {\n#else\nif (b) {\n#endif\n}").text, "        \nif (a) {\n     \n        \n      \n}");
}

TEST(CudaPreprocessor, CollectsMacrosAndNoticesTwoMeanings) {
  const Preprocessed plain = preprocess("#define A 1\n#define F(x, y) ((x) + \\\n  (y)) // why\n#define B 2\n#define B 3\n#define A 1\n");
  ASSERT_EQ(plain.macros.size(), 3u);
  EXPECT_EQ(plain.macros[0].body, "1");
  EXPECT_FALSE(plain.macros[0].is_ambiguous);
  EXPECT_EQ(plain.macros[1].parameters, (std::vector<std::string>{"x", "y"}));
  EXPECT_TRUE(plain.macros[1].is_function);
  EXPECT_TRUE(plain.macros[2].is_ambiguous);
}

TEST(CudaPreprocessor, TakesNoStringForADirectiveOrAComment) {
  const std::string text = "const char* a = \"/* // \\\" #if 0\"; const char* b = R\"x(\n#if 0\n)\" )x\"; int n = 1'000'000;\n";
  EXPECT_EQ(preprocess(text).text, text);
}

TEST(CudaPreprocessor, ReadsCommentsThatSuppress) {
  const Preprocessed plain = preprocess(
      "// frx: ignore-file a\n\nint x; // frx: ignore b, c (a reason)\n/*\n frx: ignore */\nauto s = \"frx: ignore "
      "d\";\n");
  ASSERT_EQ(plain.suppressions.size(), 4u);
  EXPECT_EQ(plain.suppressions[0].line, 0u);
  EXPECT_EQ(plain.suppressions[1].rule, "b");
  EXPECT_EQ(plain.suppressions[2].rule, "c");
  EXPECT_EQ(plain.suppressions[2].line, 3u);
  EXPECT_EQ(plain.suppressions[3].rule, "*");
  EXPECT_EQ(plain.suppressions[3].line, 5u);
}

TEST(CudaPreprocessor, CommentsThatSuppressMayEndOnADay) {
  const auto count = [](const std::string& comment) { return preprocess("int x;  // frx: ignore " + comment + "\n").suppressions.size(); };
  set_source_date("1782777600");  // 2026-06-30
  EXPECT_EQ(count("a until 2026-06-30"), 1u);
  EXPECT_EQ(count("a, b until 2026-07-01: a reason"), 2u);
  EXPECT_EQ(count("a until 2026-06-29: it is late"), 0u);
  EXPECT_EQ(count("a, b (until 2025-12-31)"), 0u);
  EXPECT_EQ(count("a until 2026-02-31"), 0u);
  EXPECT_EQ(count("a until the rewrite"), 1u);
  EXPECT_EQ(count("until 2026-12-31"), 1u);
  set_source_date({});
}

TEST(CudaPreprocessor, JoinsWordsThatGoOverLines) {
  EXPECT_EQ(preprocess("__glo\\\nbal__ void k;\n").text, "__global__\n  void k;\n");
  EXPECT_EQ(preprocess("a\\\r\nb\\\n\\\nc d").text, "abc\n\n\n     d");
  for (const char* text : {"a \\\nb", "a\\\n b", "\"a\\\nb\"", "a\\b", "a\\\n"}) EXPECT_EQ(preprocess(text).text, text);
}

TEST(CudaPreprocessor, EndsWithWhateverIsLeftOpen) {
  for (const char* text : {"#if 0\nint a;", "/* no end", "\"no end", "R\"(no end", "#define A \\", "#else\n#endif\n#endif", "'", "#"}) {
    EXPECT_EQ(preprocess(text).text.size(), std::string_view(text).size()) << text;
  }
}

}  // namespace
}  // namespace frx::ingest::cuda
