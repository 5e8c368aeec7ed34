// Text in, our flat tree out: by our parser, or by tree-sitter, of which nothing is seen behind this door.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "model/cuda_syntax.h"

namespace frx::ingest::cuda {

// Appends the nodes of `text` to `into`, with `offset` added to their bytes, and how many places of the text
// the grammar could not make sense of to `errors`. Fails when reading would take more than a multiple of its size.
Result<> add_syntax(std::string_view text, std::uint32_t offset, model::cuda::Syntax& into, std::uint32_t& errors);

// The same by the grammar alone, which reads anything.
Result<> add_syntax_of_grammar(std::string_view text, std::uint32_t offset, model::cuda::Syntax& into, std::uint32_t& errors);

}  // namespace frx::ingest::cuda
