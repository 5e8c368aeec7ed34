#include "derive/cuda/constant_powers.h"

#include <algorithm>
#include <array>

namespace frx::derive::cuda {

bool computes_power(std::string_view function) { return function == "pow" || function == "powf"; }

std::string_view way_of_power(const Program& program, const Source& source, const ValueTypes& types, std::uint32_t node) {
  if (!source.syntax.is(node, NodeKind::call)) return {};
  const std::uint32_t callee = source.syntax.child(node, Role::function);
  std::string_view name = callee == none ? std::string_view() : source.text_of(callee);
  if (name.starts_with("std::")) name.remove_prefix(std::string_view("std::").size());
  if (name.starts_with("::")) name.remove_prefix(2);
  // A function of the program may be of that name.
  if (!computes_power(name) || program.first_device_function(name) != none) return {};
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
  if (count != arguments.size()) return {};
  const ValueType& base = types.of(arguments[0]);
  const bool is_floating = base.is(Arithmetic::float32) || base.is(Arithmetic::float64) || (name == "powf" && base.is(Arithmetic::unknown));
  if (base.literal || !is_floating) return {};
  const std::optional<double>& exponent = types.of(arguments[1]).literal;
  const auto* const way = exponent ? std::ranges::find(ways, *exponent, &Way::exponent) : ways.end();
  return way == ways.end() ? std::string_view() : way->text;
}

}  // namespace frx::derive::cuda
