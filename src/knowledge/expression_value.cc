// The value of an expression that was read.
#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <vector>

#include "knowledge/expression.h"

namespace frx::knowledge {
namespace {

using Maybe = std::optional<double>;

constexpr std::size_t usual_depth = 16;  // values on the stack; nothing in data/ needs more

// Kleene's three-valued logic over {1, 0, unknown}.
Maybe kleene_and(Maybe a, Maybe b) {
  if ((a && *a == 0) || (b && *b == 0)) return 0.0;
  return a && b ? Maybe(1.0) : std::nullopt;
}
Maybe kleene_or(Maybe a, Maybe b) {
  if ((a && *a != 0) || (b && *b != 0)) return 1.0;
  return a && b ? Maybe(0.0) : std::nullopt;
}
Maybe finite(double value) { return std::isfinite(value) ? Maybe(value) : std::nullopt; }

Maybe first_present(std::span<const Maybe> operands) {
  const auto at = std::ranges::find_if(operands, &Maybe::has_value);
  return at == operands.end() ? std::nullopt : *at;
}

Maybe total(std::span<const Maybe> operands) {
  double sum = 0;
  for (const Maybe& operand : operands) {
    if (!operand) return std::nullopt;
    sum += *operand;
  }
  return sum;
}

Maybe total_of_present(std::span<const Maybe> operands) {
  Maybe sum;
  for (const Maybe& operand : operands) {
    if (operand) sum = sum.value_or(0) + *operand;
  }
  return sum;
}

Maybe clamped(std::span<const Maybe> o) { return o[0] && o[1] && o[2] ? Maybe(std::max(*o[1], std::min(*o[0], *o[2]))) : std::nullopt; }

Maybe chosen(std::span<const Maybe> o) { return !o[0] ? std::nullopt : *o[0] != 0 ? o[1] : o[2]; }

Maybe ramp(std::span<const Maybe> o) {
  if (!o[0] || !o[1] || !o[2] || *o[1] == *o[2]) return std::nullopt;
  return std::clamp((*o[0] - *o[1]) / (*o[2] - *o[1]), 0.0, 1.0);
}

Maybe fold_present(std::span<const Maybe> operands, bool largest) {
  Maybe best;
  for (const Maybe& operand : operands) {
    if (operand && (!best || (largest ? *operand > *best : *operand < *best))) best = operand;
  }
  return best;
}

}  // namespace

// Evaluated a million times in a long run: the stack is as deep as the text needs and is not reallocated.
std::optional<double> Expression::number(const Lookup& lookup) const {
  const std::span<const Step> code = parts_.code;
  if (code.empty()) return std::nullopt;
  std::array<Maybe, usual_depth> usual;
  std::vector<Maybe> deep(parts_.depth > usual_depth ? parts_.depth : 0);
  Maybe* top = (deep.empty() ? usual.data() : deep.data()) - 1;  // the last value that was pushed
  const auto operands = [&](std::size_t n) { return std::span<const Maybe>(top + 1 - n, n); };
  const auto replace = [&](std::size_t n, Maybe value) {
    top -= n - 1;
    *top = value;
  };
  const auto binary = [&](auto&& combine) {
    const Maybe right = *top--;
    *top = *top && right ? finite(combine(**top, *right)) : std::nullopt;
  };
  for (const Step *at = code.data(), *const end = at + code.size(); at != end; ++at) {
    const Step& step = *at;
    // clang-format off
    switch (step.op) {
      case Op::literal: *++top = step.value; break;
      case Op::nothing: *++top = std::nullopt; break;
      case Op::load: {
        Maybe value = lookup(step.argument);
        if (value) *value *= step.value;
        *++top = value;
        break;
      }
      case Op::negate: if (*top) **top *= -1; break;
      case Op::add: binary([](double a, double b) { return a + b; }); break;
      case Op::subtract: binary([](double a, double b) { return a - b; }); break;
      case Op::multiply: binary([](double a, double b) { return a * b; }); break;
      case Op::divide: binary([](double a, double b) { return b == 0 ? std::nan("") : a / b; }); break;
      case Op::less: binary([](double a, double b) { return a < b ? 1.0 : 0.0; }); break;
      case Op::less_equal: binary([](double a, double b) { return a <= b ? 1.0 : 0.0; }); break;
      case Op::greater: binary([](double a, double b) { return a > b ? 1.0 : 0.0; }); break;
      case Op::greater_equal: binary([](double a, double b) { return a >= b ? 1.0 : 0.0; }); break;
      case Op::unless_false: if (*top && **top == 0) at += step.argument; break;
      case Op::unless_true: if (*top && **top != 0) at += step.argument; break;
      case Op::both: replace(2, kleene_and(operands(2)[0], operands(2)[1])); break;
      case Op::either: replace(2, kleene_or(operands(2)[0], operands(2)[1])); break;
      case Op::inverse: if (*top) *top = **top == 0 ? 1.0 : 0.0; break;
      case Op::known: *top = *top ? 1.0 : 0.0; break;
      case Op::first: replace(step.argument, first_present(operands(step.argument))); break;
      case Op::min: replace(step.argument, fold_present(operands(step.argument), false)); break;
      case Op::max: replace(step.argument, fold_present(operands(step.argument), true)); break;
      case Op::sum: replace(step.argument, total(operands(step.argument))); break;
      case Op::total: replace(step.argument, total_of_present(operands(step.argument))); break;
      case Op::abs: if (*top) **top = std::abs(**top); break;
      case Op::ceil: if (*top) **top = std::ceil(**top); break;
      case Op::clamp: replace(3, clamped(operands(3))); break;
      case Op::log2: if (*top) *top = finite(std::log2(**top)); break;
      case Op::choose: replace(3, chosen(operands(3))); break;
      case Op::ramp: replace(3, ramp(operands(3))); break;
    }
    // clang-format on
  }
  return *top;
}

std::optional<bool> Expression::truth(const Lookup& lookup) const {
  const std::optional<double> value = number(lookup);
  if (!value) return std::nullopt;
  return *value != 0;
}

}  // namespace frx::knowledge
