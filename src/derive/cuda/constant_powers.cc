#include "derive/cuda/constant_powers.h"

#include <algorithm>
#include <array>

#include "derive/cuda/declarations.h"

namespace frx::derive::cuda {

bool computes_power(std::string_view function) { return function == "pow" || function == "powf"; }

std::string_view way_of_power(const Source& source, const ValueTypes& types, std::uint32_t node) {
  if (!source.syntax.is(node, NodeKind::call)) return {};
  const std::uint32_t callee = source.syntax.child(node, Role::function);
  const bool is_method = callee != none && source.syntax.is(callee, NodeKind::field_expression);
  if (is_method || !computes_power(source.text_of(name_in(source, callee)))) return {};
  struct Way {
    double exponent;
    std::string_view text;
  };
  constexpr std::array<Way, 9> ways{{{2, "x * x"},
                                     {3, "x * x * x"},
                                     {4, "the square of x * x"},
                                     {0.5, "a square root"},
                                     {1.5, "x times its square root"},
                                     {-0.5, "rsqrt"},
                                     {-1, "1 / x"},
                                     {-2, "1 / (x * x)"},
                                     {-3, "1 / (x * x * x)"}}};
  std::array<std::uint32_t, 2> arguments{none, none};
  std::size_t count = 0;
  const std::uint32_t list = source.syntax.child(node, Role::arguments);
  for (std::uint32_t c = list == none ? none : source.syntax.first_child(list); c != none; c = source.syntax.next_sibling(c)) {
    if (source.syntax.is(c, NodeKind::token)) continue;
    if (count == arguments.size()) return {};
    arguments[count++] = c;
  }
  if (count != arguments.size() || types.of(arguments[0]).literal) return {};
  const std::optional<double>& exponent = types.of(arguments[1]).literal;
  const auto* const way = exponent ? std::ranges::find(ways, *exponent, &Way::exponent) : ways.end();
  return way == ways.end() ? std::string_view() : way->text;
}

}  // namespace frx::derive::cuda
