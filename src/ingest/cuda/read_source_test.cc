#include "ingest/cuda/read_source.h"

#include <gtest/gtest.h>

namespace frx::ingest::cuda {
namespace {

using model::cuda::NodeKind;
using model::cuda::none;
using model::cuda::Role;
using model::cuda::Source;

std::uint32_t first(const Source& source, NodeKind kind) {
  for (std::uint32_t n = 0; n < source.syntax.size(); ++n) {
    if (source.syntax.is(n, kind)) return n;
  }
  return none;
}

TEST(CudaSource, HasPlacesInLinesAndColumns) {
  const Source source = read_source("a.cu", "// one\n__global__ void k(float* a) {\n  a[threadIdx.x] =\n    1;\n}\n").value();
  const std::uint32_t assignment = first(source, NodeKind::assignment);
  ASSERT_NE(assignment, none);
  const model::TextPlace place = source.place_of(assignment);
  EXPECT_EQ(place.file, "a.cu");
  EXPECT_EQ(place.line, 3u);
  EXPECT_EQ(place.column, 3u);
  EXPECT_EQ(place.end_line, 4u);
  EXPECT_EQ(place.end_column, 6u);
  EXPECT_EQ(source.line(3), "  a[threadIdx.x] =");
  EXPECT_EQ(source.text_of(source.syntax.child(assignment, Role::op)), "=");
}

// As editors and SARIF count; the byte-order mark is no part of the line.
TEST(CudaSource, ColumnsCountCharactersAndNotBytes) {
  const Source source = read_source("a.cu", "\xEF\xBB\xBFvoid f(int* a) { /* \u00FC\u4E2D\U0001F680 */ a[0] = 1; }\n").value();
  const model::TextPlace place = source.place_of(first(source, NodeKind::assignment));
  EXPECT_EQ(place.column, 29u);
  EXPECT_EQ(place.end_column, 37u);
}

// The preprocessor's lines are blank to the parser, not to the reader of a report, whether or not columns are bytes.
TEST(CudaSource, HasLinesAsTheFileHasThem) {
  for (const std::string end : {"\n", "\r\n", "  // \u00FC\n"}) {
    const Source source =
        read_source("a.cu", "#define A 1" + end + "int a;" + end + "#if 0" + end + "dead" + end + "#endif" + end + "int b;").value();
    const std::string behind = end.starts_with(' ') ? "  // \u00FC" : "";
    EXPECT_EQ(source.line(1), "#define A 1" + behind);
    EXPECT_EQ(source.line(2), "int a;" + behind);
    EXPECT_EQ(source.line(4), "dead" + behind);
    EXPECT_EQ(source.line(5), "#endif" + behind);
    EXPECT_EQ(source.line(6), "int b;");
    EXPECT_EQ(source.line(7), "");
    EXPECT_EQ(source.line(0), "");
  }
}

TEST(CudaSource, KnowsTheValuesOfMacros) {
  const Source source = read_source("a.cu", "#define A (2 * 8)\n#define LOOP for (;;) {\n#define F(x) x + A\n#define TWO 1; 2\n").value();
  ASSERT_EQ(source.macros.size(), 4u);
  EXPECT_EQ(source.text_of(source.macros[0].value), "(2 * 8)");
  EXPECT_EQ(source.macros[1].value, none);
  EXPECT_EQ(source.text_of(source.macros[2].value), "x + A");
  EXPECT_EQ(source.macros[3].value, none);
  EXPECT_EQ(source.place_of(source.macros[0].value).line, 0u);
}

TEST(CudaSource, CountsWhatIsNoCudaAndReadsOn) {
  const Source source = read_source("a.cu", "int a = = 3;\n__global__ void k(float* a) { a[0] = 1; }\n").value();
  EXPECT_GT(source.errors, 0u);
  EXPECT_NE(first(source, NodeKind::function_definition), none);
}

TEST(CudaSource, ReadsAnything) {
  for (const std::string_view text :
       {std::string_view(), std::string_view("\x01\xFF\xFE"), std::string_view("\xEF\xBB\xBFint a;"), std::string_view("\n\n\n")}) {
    EXPECT_TRUE(read_source("a.cu", std::string(text)));
  }
}

TEST(CudaSource, RefusesAZeroByteBehindWhichCodeCouldHide) {
  const Result<Source> read = read_source("a.cu", std::string("int a;\n\0int b;", 14));
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().message, "expected CUDA source, found a zero byte in line 2");
}

std::string repeated(std::string_view text, int count) {
  std::string all;
  for (int i = 0; i < count; ++i) all += text;
  return all;
}

// The grammar recovers from each error by copying what it has read, and looks for the end of each comment again.
TEST(CudaSource, GivesUpWhereReadingWouldTakeForEver) {
  for (const std::string_view text : {"new ", "/* ", "\"a\n", "R\"abc", "A<"}) {
    const Result<Source> read = read_source("a.cu", "int a = = 3; " + repeated(text, 100'000));
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().message, "expected CUDA source, found text that the parser cannot finish within its limit") << text;
  }
  EXPECT_TRUE(read_source("a.cu", "int a = = 3; " + repeated("int f(int a) { return a + 1; }\n", 20'000)));
}

TEST(CudaSource, RemembersHowLoopsAreUnrolled) {
  const Source source = read_source("a.cu", "#pragma unroll 4\nfor (;;) {}\n#pragma unroll\n#pragma unroll (N)\n#pragma once\n").value();
  ASSERT_EQ(source.unrolls.size(), 3u);
  EXPECT_EQ(source.unrolls[0].factor, "4");
  EXPECT_EQ(source.unrolls[1].factor, "");
  EXPECT_EQ(source.unrolls[2].factor, "N");
}

}  // namespace
}  // namespace frx::ingest::cuda
