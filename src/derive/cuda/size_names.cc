#include "derive/cuda/size_names.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string>

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

bool is_count(std::string_view name) {
  // c_nx and d_nx are in constant memory and of the device, m_nx is a member.
  if (name.size() > 2 && name[1] == '_' && std::string_view("cdmgsk").find(name[0]) != std::string_view::npos) name.remove_prefix(2);
  while (name.starts_with('_')) name.remove_prefix(1);
  const std::string letters = to_lower(name);
  constexpr std::size_t longest = 3;  // n, nx, nxy
  if (letters.starts_with('n') && letters.size() <= longest && letters != "new") return true;
  return letters.starts_with("num") || letters.starts_with("n_") || letters.ends_with("count") || is_extent(name);
}

namespace {

// Underscores aside: block_size as blocksize.
bool holds_any(std::string_view name, std::initializer_list<std::string_view> words) {
  std::string letters(name);
  std::erase(letters, '_');
  return std::ranges::any_of(words, [&](std::string_view word) { return contains_ignoring_case(letters, word); });
}

bool mentions_count(std::string_view name) { return holds_any(name, {"grid", "numblock", "nblock", "blocknum", "blockcount"}); }

bool mentions_shape(std::string_view name) { return holds_any(name, {"thread", "blocksize", "blockdim", "dimblock", "tpb"}); }

}  // namespace

bool is_block_count(std::string_view name) {
  return equals_ignoring_case(name, "blocks") || (mentions_count(name) && !mentions_shape(name));
}

bool is_block_shape(std::string_view name) {
  return equals_ignoring_case(name, "block") || (mentions_shape(name) && !mentions_count(name));
}

bool sounds_like_number(std::string_view type) {
  constexpr std::array<std::string_view, 20> words{"real", "scalar", "float", "flt",   "double", "int",  "idx", "index", "half",    "num",
                                                   "data", "dtype",  "type",  "value", "elem",   "bf16", "_t",  "byte",  "complex", "cplx"};
  if (type.size() <= 2 || type.ends_with('T')) return true;
  return std::ranges::any_of(words, [&](std::string_view word) { return contains_ignoring_case(type, word); });
}

bool is_size_method(std::string_view name) {
  constexpr std::array<std::string_view, 10> names{"size", "stride", "numel", "dim", "extent", "width", "height", "rows", "cols", "length"};
  return std::ranges::find(names, name) != names.end();
}

namespace {

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }

// Does a name have such a part: ceil_div, iDivUp, ROUND_UP? Parts end at underscores and before capitals behind small letters.
bool has_part(std::string_view name, std::string_view part) {
  const auto ends_before = [name](std::size_t at) {
    if (at == 0 || at == name.size() || name[at] == '_' || name[at - 1] == '_') return true;
    return is_upper(name[at]) && !is_upper(name[at - 1]);
  };
  for (std::size_t at = 0; at + part.size() <= name.size(); ++at) {
    if (equals_ignoring_case(name.substr(at, part.size()), part) && ends_before(at) && ends_before(at + part.size())) return true;
  }
  return false;
}

}  // namespace

bool makes_size(std::string_view function) {
  constexpr std::array<std::string_view, 12> parts{"div",     "cdiv",  "divide", "divup", "ceil", "ceildiv",
                                                   "roundup", "round", "align",  "up",    "pow2", "log2"};
  return std::ranges::any_of(parts, [&](std::string_view part) { return has_part(function, part); });
}

}  // namespace frx::derive::cuda
