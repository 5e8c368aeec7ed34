// Removes the preprocessor's lines from a text and keeps every byte in its place.
//
// Directives, and regions that `#if 0` or `#if __CUDA_ARCH__ < 300` disables, become spaces. Of `#ifdef A ... #else ... #endif` both
// branches stay, unless they are within a function or a branch is not a whole number of statements: then the branch stays for which unknown
// names are defined.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/cuda_source.h"

namespace frx::ingest::cuda {

struct Preprocessed {
  std::string text;                        // as long as the input
  std::vector<model::cuda::Macro> macros;  // by first definition; `value` not yet known
  std::vector<model::cuda::Unroll> unrolls;
  std::vector<model::cuda::Suppression> suppressions;
};

Preprocessed preprocess(std::string_view text);

}  // namespace frx::ingest::cuda
