// The door to tree-sitter: text in, our flat tree out. Nothing of tree-sitter is seen behind it.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "model/cuda_syntax.h"

namespace frx::ingest::cuda {

// Appends the nodes of `text` to `into`, with `offset` added to their bytes, and how many places of the text
// the grammar could not make sense of to `errors`. Fails when reading would take more than a multiple of its size.
Result<> add_syntax(std::string_view text, std::uint32_t offset, model::cuda::Syntax& into, std::uint32_t& errors);

}  // namespace frx::ingest::cuda
