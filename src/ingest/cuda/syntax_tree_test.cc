#include "ingest/cuda/syntax_tree.h"

#include <gtest/gtest.h>

#include <string>

#include "ingest/cuda/parser.h"

namespace frx::ingest::cuda {
namespace {

using model::cuda::Node;
using model::cuda::Syntax;

// Brackets that are none, declarations of several kinds, one that the parser leaves to the grammar, and one without a semicolon.
std::string program_of(std::size_t bytes) {
  std::string text;
  for (int i = 0; text.size() < bytes; ++i) {
    const std::string number = std::to_string(i);
    text += "struct S" + number + " { int a; float b[4]; __device__ int get() const { return a; } };\n";
    text += "// } a comment {\nstatic const char* s" + number + " = \"{ ; (\", *r" + number + " = R\"x( ) } ; )x\";\n";
    text += "template <class T> __global__ void k" + number + "(T* p, int n) {\n";
    text += "  for (int i = threadIdx.x; i < n; i += 1'000) { p[i] = '}'; }\n}\n";
    text += "template __global__ void k" + number + "<float>(float*, int);\n";
    text += "WHAT(" + number + ") is @ this; }\n";
    text += "void run" + number + "(float* p) { k" + number + "<float><<<1, 32>>>(p, 7); }\n";
  }
  return text;
}

TEST(CudaSyntaxTree, IsTheSameInPiecesAndAsOne) {
  const std::string text = program_of(3 << 20);
  Syntax in_pieces, as_one;
  std::uint32_t errors = 0;
  ASSERT_TRUE(add_syntax(text, 5, in_pieces, errors));
  Grammar grammar(text);
  Parser parser(text, &grammar);
  ASSERT_TRUE(parser.read(5, as_one));
  EXPECT_EQ(errors, parser.errors());
  ASSERT_EQ(in_pieces.size(), as_one.size());
  for (std::uint32_t n = 0; n < as_one.size(); ++n) {
    const Node &a = in_pieces[n], &b = as_one[n];
    ASSERT_TRUE(a.kind == b.kind && a.role == b.role && a.begin == b.begin && a.end == b.end && a.parent == b.parent && a.last == b.last)
        << "node " << n << ", byte " << b.begin;
  }
}

TEST(CudaSyntaxTree, OfALargeTextWithoutAnEndIsRead) {
  const std::string open = "void f() { int a[" + std::string(3 << 20, ' ') + "4];";
  Syntax syntax;
  std::uint32_t errors = 0;
  ASSERT_TRUE(add_syntax(open, 0, syntax, errors));
  EXPECT_GT(syntax.size(), 0u);
}

}  // namespace
}  // namespace frx::ingest::cuda
