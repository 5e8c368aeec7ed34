// The language of conditions and formulas, over all metrics: parsed, and evaluated with nothing known,
// with everything zero and with a different number everywhere.
#include "fuzz/input.h"
#include "knowledge/expression.h"

namespace {

using frx::knowledge::Expression;

frx::Result<Expression> parse(std::string_view text) {
  // Stands in the place of a name.
  static const Expression busy = Expression::parse(
                                     "x > 80% or not known(x)",
                                     [](std::string_view) {
                                       return frx::knowledge::Operand{1, *frx::parse_unit("%")};
                                     },
                                     "busy")
                                     .value();
  const frx::knowledge::Scope scope = [](std::string_view name) -> std::optional<frx::knowledge::Operand> {
    if (name == "kernel.matrix") return frx::knowledge::Operand{0, {}, true};
    if (name == "busy") return frx::knowledge::Operand{.meaning = &busy};
    if (name.starts_with("stalls.")) return frx::fuzz::knowledge().metrics.operand_called(name);
    const auto metric = frx::fuzz::knowledge().metrics.with_id(name);
    if (!metric) return std::nullopt;
    return frx::knowledge::Operand{metric->index + 1u, frx::fuzz::knowledge().metrics[*metric].unit, false};
  };
  return Expression::parse(text, scope, "fuzz:1");
}

void evaluate(const Expression& expression, const frx::knowledge::Lookup& lookup) {
  if (expression.is_truth()) {
    (void)expression.truth(lookup);
  } else {
    (void)expression.number(lookup);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const frx::fuzz::ExactInput input(data, size);
  const frx::Result<Expression> expression = parse(input.text());
  if (!expression) {
    frx::fuzz::require(!expression.error().message.empty());
    return 0;
  }
  if (expression->empty()) return 0;
  evaluate(*expression, [](std::uint32_t) { return std::nullopt; });
  evaluate(*expression, [](std::uint32_t) { return 0.0; });
  evaluate(*expression, [](std::uint32_t slot) { return 1.0 + slot; });
  return 0;
}
