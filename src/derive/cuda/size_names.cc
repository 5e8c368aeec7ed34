#include "derive/cuda/size_names.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace frx::derive::cuda {

bool is_increment(std::string_view name) { return name.size() <= 8 && to_lower(name).starts_with("inc"); }

bool is_extent(std::string_view name) {
  constexpr std::array<std::string_view, 11> words{"width", "height", "row",  "col",  "pitch", "length",
                                                   "block", "tile",   "grid", "size", "cta"};
  constexpr std::array<std::string_view, 13> of_elements{"per",  "elem", "item", "vec",   "type", "comp",  "channel",
                                                         "step", "pack", "pad",  "stage", "dim",  "unroll"};
  constexpr std::array<std::string_view, 7> letters{"N", "M", "K", "NX", "NY", "NZ", "LDA"};
  const auto holds = [&](std::string_view word) { return contains_ignoring_case(name, word); };
  if (std::ranges::find(letters, name) != letters.end()) return true;
  return std::ranges::any_of(words, holds) && std::ranges::none_of(of_elements, holds);
}

bool sounds_like_number(std::string_view type) {
  constexpr std::array<std::string_view, 20> words{"real", "scalar", "float", "flt",   "double", "int",  "idx", "index", "half",    "num",
                                                   "data", "dtype",  "type",  "value", "elem",   "bf16", "_t",  "byte",  "complex", "cplx"};
  if (type.size() <= 2 || type.ends_with('T')) return true;
  return std::ranges::any_of(words, [&](std::string_view word) { return contains_ignoring_case(type, word); });
}

bool makes_size(std::string_view function) {
  constexpr std::array<std::string_view, 6> words{"div", "ceil", "round", "align", "pow2", "log2"};
  return std::ranges::any_of(words, [&](std::string_view word) { return contains_ignoring_case(function, word); });
}

}  // namespace frx::derive::cuda
