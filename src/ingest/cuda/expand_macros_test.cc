#include "ingest/cuda/expand_macros.h"

#include <gtest/gtest.h>

#include <random>

#include "ingest/cuda/preprocessor.h"
#include "ingest/cuda/read_source.h"

namespace frx::ingest::cuda {
namespace {

// The last line, after the definitions above it, without blanks at its ends.
std::string expanded(const std::string& definitions, const std::string& line) {
  std::string text = preprocess(definitions + "\n" + line).text;
  text.erase(0, text.find_first_not_of(" \n"));
  while (text.ends_with(' ')) text.pop_back();
  return text;
}

TEST(CudaMacros, ArgumentsReplaceParameters) {
  EXPECT_EQ(expanded("#define SQ(x) ((x) * (x))", "y = SQ(a + 1);"), "y = ((a + 1) * (a + 1));");
  EXPECT_EQ(expanded("#define IDX(i, j) i * n + j", "y = IDX(f(a, b), (c, d));"), "y = f(a, b) * n + (c, d);");
  EXPECT_EQ(expanded("#define NOTHING() x", "y = NOTHING();"), "y = x;");
  EXPECT_EQ(expanded("#define F(x) x", "y = F;"), "y = F;");
  EXPECT_EQ(expanded("#define F(x) x", "y = F\n(3);"), "y = 3;");
  EXPECT_EQ(expanded("#define F(x) x", "y = F(1, 2);"), "y = F(1, 2);");
  EXPECT_EQ(expanded("#define F(x) x", "y = F(1;"), "y = F(1;");
}

TEST(CudaMacros, NamesArePastedAndMadeStrings) {
  EXPECT_EQ(expanded("#define K(n) n##_kernel", "void K(copy)();"), "void copy_kernel();");
  EXPECT_EQ(expanded("#define S(x) #x", "f(S(a + \"b\"));"), "f(\"a + \\\"b\\\"\");");
  EXPECT_EQ(expanded("#define CAT_(a, b) a##b\n#define CAT(a, b) CAT_(a, b)\n#define ONE() 1", "x = CAT(v, ONE());"), "x = v1;");
  EXPECT_EQ(expanded("#define V int x ## 1;", "V"), "int x1;");
}

TEST(CudaMacros, TheRestOfTheArgumentsIsOne) {
  EXPECT_EQ(expanded("#define CALL(f, ...) f(__VA_ARGS__)", "CALL(g, 1, 2);"), "g(1, 2);");
  EXPECT_EQ(expanded("#define CALL(f, ...) f(0, ##__VA_ARGS__)", "CALL(g);"), "g(0);");
  EXPECT_EQ(expanded("#define CALL(f, ...) f(0, ##__VA_ARGS__)", "CALL(g, 1);"), "g(0, 1);");
  EXPECT_EQ(expanded("#define CALL(f, ...) f(0 __VA_OPT__(,) __VA_ARGS__)", "CALL(g, 1);"), "g(0, 1);");
  EXPECT_EQ(expanded("#define CALL(f, rest...) f(rest)", "CALL(g, 1, 2);"), "g(1, 2);");
}

TEST(CudaMacros, AMacroDoesNotExpandItself) {
  EXPECT_EQ(expanded("#define f(x) f(x + 1)", "f(f(1));"), "f(f(1 + 1) + 1);");
  EXPECT_EQ(expanded("#define A() B()\n#define B() A()", "A();"), "A();");
}

TEST(CudaMacros, ConstantsAndTypesKeepTheirNames) {
  for (const char* definition : {"#define N 16", "#define N (4 * M)", "#define N float", "#define N unsigned long"})
    EXPECT_EQ(expanded(definition, "x = N;"), "x = N;") << definition;
  EXPECT_EQ(expanded("#define EXPORT", "EXPORT void f();"), "void f();");
  EXPECT_EQ(expanded("#define IN const float* __restrict__", "f(IN a);"), "f(const float* __restrict__ a);");
  EXPECT_EQ(expanded("#define HD __host__ __device__", "HD int f();"), "__host__ __device__ int f();");
}

TEST(CudaMacros, TheDefinitionInForceCounts) {
  EXPECT_EQ(expanded("#define OP(x) x + 1\n#undef OP\n#define OP(x) x + 2", "y = OP(3);"), "y = 3 + 2;");
  EXPECT_EQ(expanded("#define OP(x) x + 1\n#undef OP", "y = OP(3);"), "y = OP(3);");
  // It is not known which one.
  EXPECT_EQ(expanded("#ifdef FAST\n#define OP(x) x + 1\n#else\n#define OP(x) x + 2\n#endif", "y = OP(3);"), "y = OP(3);");
  EXPECT_EQ(expanded("#define FAST\n#ifdef FAST\n#define OP(x) x + 1\n#else\n#define OP(x) x + 2\n#endif", "y = OP(3);"), "y = 3 + 1;");
  EXPECT_EQ(expanded("#ifndef OP\n#define OP(x) x + 1\n#endif", "y = OP(3);"), "y = 3 + 1;");
}

TEST(CudaMacros, ABlockIsWrittenOnce) {
  EXPECT_EQ(expanded("#define TWICE(...) f(__VA_ARGS__); g(__VA_ARGS__);", "TWICE([&] { k(); })"), "TWICE([&] { k(); })");
  EXPECT_EQ(expanded("#define ONCE(...) f(__VA_ARGS__);", "ONCE([&] { k(); })"), "f([&] { k(); });");
}

TEST(CudaMacros, ABombEnds) {
  std::string bomb = "#define B0() x x\n";
  for (int i = 1; i <= 40; ++i)
    bomb += "#define B" + std::to_string(i) + "() B" + std::to_string(i - 1) + "() B" + std::to_string(i - 1) + "()\n";
  EXPECT_EQ(expanded(bomb, "B40();"), "B40();");
  EXPECT_EQ(expanded(bomb, "B2();"), "x x x x x x x x;");
  std::string deep = "y = ";
  for (int i = 0; i < 5000; ++i) deep += "F(";
  EXPECT_EQ(expanded("#define F(x) x", deep), deep);
}

// What a macro writes is where the macro is invoked; an argument keeps its own place.
TEST(CudaMacros, PlacesAreThoseOfTheFile) {
  const std::string text =
      "#define LOOP(i, n) for (int i = 0; i < n; ++i)\n"
      "#define RUN(...) do { __VA_ARGS__ } while (0)\n"
      "__global__ void k(float* a) {\n"
      "  RUN(\n"
      "    LOOP(j, 4) {\n"
      "      a[j] = 1;\n"
      "    });\n"
      "}\n";
  const model::cuda::Source source = read_source("a.cu", text).value();
  bool has_loop = false, has_assignment = false;
  for (std::uint32_t n = 0; n < source.syntax.size(); ++n) {
    if (source.syntax.is(n, model::cuda::NodeKind::for_statement)) {
      has_loop = true;
      EXPECT_EQ(source.place_of(n).line, 5u);
      EXPECT_EQ(source.place_of(n).column, 5u);
      EXPECT_EQ(source.place_of(n).end_line, 7u);
    }
    if (source.syntax.is(n, model::cuda::NodeKind::assignment)) {
      has_assignment = true;
      EXPECT_EQ(source.place_of(n).line, 6u);
      EXPECT_EQ(source.place_of(n).column, 7u);
      EXPECT_EQ(source.written(n), "a[j] = 1");
    }
  }
  EXPECT_TRUE(has_loop);
  EXPECT_TRUE(has_assignment);
  EXPECT_EQ(source.line(5), "    LOOP(j, 4) {");
}

// The file is not kept beside the text: its lines come from the text, but for those in which something was changed.
TEST(CudaMacros, LinesAreThoseOfTheFile) {
  std::mt19937 random(7);
  const std::vector<std::string> pieces = {"int a = N;",
                                           "SQ(3)",
                                           "RUN(\n  b = SQ(2);\n  c = N)",
                                           "x = y;",
                                           "#define M 3\n",
                                           "/* N */",
                                           "#if N\nint d;\n#endif\n",
                                           "\n",
                                           "f(\"N\");",
                                           "EMPTY z;",
                                           "\t",
                                           "M + N"};
  for (int round = 0; round < 300; ++round) {
    std::string text = "#define N 4\n#define SQ(x) ((x) * (x))\n#define RUN(...) do { __VA_ARGS__ } while (0)\n#define EMPTY\n";
    const auto below = [&](std::size_t count) { return std::uniform_int_distribution<std::size_t>(0, count - 1)(random); };
    for (std::size_t i = below(12); i > 0; --i)
      text += pieces[below(pieces.size())] + (below(3) == 0 ? "\n" : below(6) == 0 ? "\r\n" : " ");
    if (below(2) == 0) text += "\n";
    if (below(8) == 0) text += "// \u00E4\n";
    const model::cuda::Source source = read_source("a.cu", text).value();
    std::size_t begin = 0;
    for (std::uint32_t number = 1; number <= source.line_starts.size(); ++number) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      std::string line = text.substr(begin, end - begin);
      while (line.ends_with('\r')) line.pop_back();
      ASSERT_EQ(source.line(number), line) << text;
      begin = std::min(end + 1, text.size());
    }
    // Without macros, what is written anywhere but in directives is the text.
    for (int i = 0; i < 10 && !source.origins.empty(); ++i) {
      const auto from = static_cast<std::uint32_t>(below(source.size)),
                 to = static_cast<std::uint32_t>(from + below(source.size - from) + 1);
      const std::uint32_t first = source.in_file(from), last = std::max(source.end_in_file(to), first);
      ASSERT_EQ(source.written(from, to), text.substr(first, last - first)) << text;
    }
  }
}

TEST(CudaMacros, PragmasInMacrosUnrollLoops) {
  const Preprocessed plain = preprocess("#define UNROLL _Pragma(\"unroll 4\")\nUNROLL for (;;) {}\n");
  ASSERT_EQ(plain.unrolls.size(), 1u);
  EXPECT_EQ(plain.unrolls[0].factor, "4");
  EXPECT_EQ(plain.text.find("UNROLL"), std::string::npos);
}

}  // namespace
}  // namespace frx::ingest::cuda
