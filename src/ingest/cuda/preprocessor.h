// Takes the preprocessor's lines out of a text and keeps every byte where it was.
//
// Directives, and regions that `#if 0` or `#if __CUDA_ARCH__ < 300` switches off, become spaces. Of
// `#ifdef A ... #else ... #endif` both sides stay, unless they stand within a function or a side is no whole number
// of statements: then the one stays for which what is unknown is defined.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/cuda_source.h"

namespace frx::ingest::cuda {

struct Preprocessed {
  std::string text;                        // as long as what was read
  std::vector<model::cuda::Macro> macros;  // by first definition; `value` not yet known
  std::vector<model::cuda::Unroll> unrolls;
  std::vector<model::cuda::Suppression> suppressions;
};

Preprocessed preprocess(std::string_view text);

}  // namespace frx::ingest::cuda
