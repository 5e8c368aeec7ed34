#include "ingest/cuda/syntax_tree.h"

#include "ingest/cuda/grammar.h"
#include "ingest/cuda/parser.h"

namespace frx::ingest::cuda {

using model::cuda::Syntax;

Result<> add_syntax_of_grammar(std::string_view text, std::uint32_t offset, Syntax& into, std::uint32_t& errors) {
  return Grammar(text).read(offset, into, errors);
}

Result<> add_syntax(std::string_view text, std::uint32_t offset, Syntax& into, std::uint32_t& errors) {
  {
    Grammar grammar(text);
    Parser parser(text, &grammar);
    if (parser.read(offset, into)) {
      errors += parser.errors();
      return {};
    }
  }
  return add_syntax_of_grammar(text, offset, into, errors);
}

}  // namespace frx::ingest::cuda
