// The parser of CUDA beside the grammar, on whole files: where the parser does not give up, both give one tree.
#include <gtest/gtest.h>

#include "ingest/cuda/parser.h"
#include "ingest/cuda/preprocessor.h"
#include "ingest/cuda/syntax_tree.h"
#include "meta/repository.h"

namespace frx::testing {
namespace {

using model::cuda::Node;
using model::cuda::Syntax;

bool is_same(const Node& a, const Node& b) {
  return a.kind == b.kind && a.role == b.role && a.begin == b.begin && a.end == b.end && a.parent == b.parent && a.last == b.last;
}

// False when the parser gave up.
bool expect_one_tree(const std::string& text) {
  Syntax ours, grammars;
  std::uint32_t errors = 0;
  if (!ingest::cuda::Parser(text).read(0, ours)) return false;
  EXPECT_TRUE(ingest::cuda::add_syntax_of_grammar(text, 0, grammars, errors));
  EXPECT_TRUE(std::ranges::equal(ours.nodes, grammars.nodes, is_same));
  return true;
}

TEST(CudaParser, ReadsTheZooAsTheGrammarDoes) {
  std::size_t read = 0, all = 0;
  for (const fs::path& file : files_below("demos/cuda_zoo", ".cu")) {
    SCOPED_TRACE(shown(file));
    read += expect_one_tree(ingest::cuda::preprocess(content(file)).text);
    ++all;
  }
  EXPECT_GE(all, 24u);
  EXPECT_EQ(read, all);
}

// One declaration that the parser declines does not change how the others are read.
TEST(CudaParser, ReadsTheZooAsTheGrammarDoesAroundADeclinedDeclaration) {
  for (const fs::path& file : files_below("demos/cuda_zoo", ".cu")) {
    SCOPED_TRACE(shown(file));
    const std::string text = "int a = offsetof(S, a);\n" + ingest::cuda::preprocess(content(file)).text + "\nint b = offsetof(S, a);\n";
    ingest::cuda::Grammar grammar(text);
    Syntax ours, grammars;
    std::uint32_t errors = 0;
    EXPECT_TRUE(ingest::cuda::Parser(text, &grammar).read(0, ours));
    EXPECT_TRUE(ingest::cuda::add_syntax_of_grammar(text, 0, grammars, errors));
    EXPECT_TRUE(std::ranges::equal(ours.nodes, grammars.nodes, is_same));
  }
}

}  // namespace
}  // namespace frx::testing
