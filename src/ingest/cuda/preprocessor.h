// Removes the preprocessor's lines from a text and expands its macros.
//
// Every byte keeps its place until macros are expanded (expand_macros.h); where none are, it keeps it for good. Directives, and regions
// that `#if 0` or `#if __CUDA_ARCH__ < 300` disables, become spaces. Of `#ifdef A ... #else ... #endif` both branches stay, unless they are
// within a function or a branch is not a whole number of statements: then the branch stays for which unknown names are defined.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/name_filter.h"
#include "ingest/cuda/condition.h"
#include "ingest/cuda/macro_table.h"
#include "model/cuda_source.h"

namespace frx::ingest::cuda {

struct Preprocessed {
  std::string text;                          // as long as the input, unless macros were expanded
  std::vector<model::cuda::Origin> origins;  // where each byte of it comes from, when they were
  std::vector<model::cuda::Macro> macros;    // by first definition; `value` not yet known
  std::vector<model::cuda::Unroll> unrolls;  // in order, by bytes of the input
  std::vector<model::cuda::Suppression> suppressions;
};

// What is known of macros that the text does not define: those of headers, and "N=4" of -D.
struct Surroundings {
  std::function<const MacroDefinition*(std::string_view name)> macro;
  const NameFilter<>* names = nullptr;  // of all macros of headers, where they are known
  std::span<const std::string> definitions;
  Compiler compiler = Compiler::nvcc;
};

Preprocessed preprocess(std::string_view text, const Surroundings& around = {});

// The macros alone, of a header.
MacroTable macros_in(std::string_view text, const Surroundings& around = {});

}  // namespace frx::ingest::cuda
