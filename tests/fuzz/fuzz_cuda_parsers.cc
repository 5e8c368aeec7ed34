// Our parser of CUDA beside the grammar: where ours does not give up, and the grammar finds no error, both give one tree.
#include <algorithm>

#include "fuzz/input.h"
#include "ingest/cuda/parser.h"
#include "ingest/cuda/preprocessor.h"
#include "ingest/cuda/syntax_tree.h"

namespace {

using frx::fuzz::require;
using frx::model::cuda::Node;
using frx::model::cuda::Syntax;

bool is_same(const Node& a, const Node& b) {
  return a.kind == b.kind && a.role == b.role && a.begin == b.begin && a.end == b.end && a.parent == b.parent && a.last == b.last;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const frx::fuzz::ExactInput input(data, size);
  const std::string text = frx::ingest::cuda::preprocess(std::string(input.text())).text;
  Syntax ours, grammars;
  std::uint32_t errors = 0;
  if (!frx::ingest::cuda::Parser(text).read(0, ours)) return 0;
  if (!frx::ingest::cuda::add_syntax_of_grammar(text, 0, grammars, errors) || errors > 0) return 0;
  require(std::ranges::equal(ours.nodes, grammars.nodes, is_same));
  return 0;
}
