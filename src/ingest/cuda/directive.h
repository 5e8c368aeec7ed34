// One line of the preprocessor, parsed.
//
//   #define TILE (16 * 2)  // wide      word "define", rest "TILE (16 * 2)"
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/cuda_source.h"

namespace frx::ingest::cuda {

struct Directive {
  std::string word;  // "define"; "" for a lone #
  std::string rest;  // without comments and continued lines, trimmed
};

Directive directive_of(std::string_view text);

// The macro that `#define` defines, absent when it names none.
std::optional<model::cuda::Macro> macro_of(std::string_view rest);

// Can the body of a macro be used as an expression?
bool may_be_expression(std::string_view body);

}  // namespace frx::ingest::cuda
