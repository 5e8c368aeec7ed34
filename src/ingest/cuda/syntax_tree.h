// From text to the flat tree: by our parser, and by the grammar of tree-sitter where the parser declines.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "model/cuda_syntax.h"

namespace frx::ingest::cuda {

// Appends the nodes of `text` to `into`, with `offset` added to their bytes, and adds the number of places that the grammar could not parse
// to `errors`. Fails when reading would take more than a multiple of its size.
Result<> add_syntax(std::string_view text, std::uint32_t offset, model::cuda::Syntax& into, std::uint32_t& errors);

// The same by the grammar alone, which parses any text.
Result<> add_syntax_of_grammar(std::string_view text, std::uint32_t offset, model::cuda::Syntax& into, std::uint32_t& errors);

}  // namespace frx::ingest::cuda
