#include "support/satisfy.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace frx::testing {
namespace {

using knowledge::Expression;
using Op = Expression::Op;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr int most_ranges = 200'000;  // ranges looked at before it is left undecided

// What a value on the stack may be. A truth is a number from 0 to 1.
struct Range {
  double low = 0, high = 0;
  bool known = true, unknown = false;  // may it be

  bool may_hold() const { return known && high > 0; }
  bool may_fail() const { return known && low <= 0; }
};

Range nothing() { return {0, 0, false, true}; }

Range truth_of(bool may_hold, bool may_fail, bool unknown) {
  return {may_fail ? 0.0 : 1.0, may_hold ? 1.0 : 0.0, may_hold || may_fail, unknown};
}

// From the corners of two ranges.
template <typename Combine>
Range corners(const Range& a, const Range& b, Combine combine) {
  if (!a.known || !b.known) return nothing();
  Range result{infinity, -infinity, true, a.unknown || b.unknown};
  for (const double x : {a.low, a.high}) {
    for (const double y : {b.low, b.high}) {
      const double value = combine(x, y);
      if (std::isnan(value)) return {-infinity, infinity, true, true};
      result.low = std::min(result.low, value);
      result.high = std::max(result.high, value);
    }
  }
  return result;
}

Range divided(const Range& a, const Range& b) {
  if (!a.known || !b.known) return nothing();
  if (b.low <= 0 && b.high >= 0) {
    const bool is_zero = b.low == 0 && b.high == 0;
    return is_zero ? nothing() : Range{-infinity, infinity, true, true};
  }
  return corners(a, b, [](double x, double y) { return x / y; });
}

// `a` is less than `b`; `or_equal` too.
Range less(const Range& a, const Range& b, bool or_equal) {
  if (!a.known || !b.known) return nothing();
  const bool may_hold = or_equal ? a.low <= b.high : a.low < b.high;
  const bool may_fail = or_equal ? a.high > b.low : a.high >= b.low;
  return truth_of(may_hold, may_fail, a.unknown || b.unknown);
}

Range both(const Range& a, const Range& b) {
  const bool unknown = (a.unknown && (b.unknown || b.may_hold())) || (b.unknown && a.may_hold());
  return truth_of(a.may_hold() && b.may_hold(), a.may_fail() || b.may_fail(), unknown);
}

Range inverse(const Range& a) { return truth_of(a.may_fail(), a.may_hold(), a.unknown); }

Range hull(const Range& a, const Range& b) {
  if (!a.known) return {b.low, b.high, b.known, a.unknown || b.unknown};
  if (!b.known) return {a.low, a.high, a.known, a.unknown || b.unknown};
  return {std::min(a.low, b.low), std::max(a.high, b.high), true, a.unknown || b.unknown};
}

Range first(std::span<const Range> operands) {
  Range result = nothing();
  for (const Range& operand : operands) {
    result = hull({result.low, result.high, result.known, false}, operand);
    if (!operand.unknown) break;
  }
  return result;
}

// The largest of those that are known.
Range largest(std::span<const Range> operands) {
  Range result{infinity, -infinity, false, true};
  bool is_sure = false;
  for (const Range& operand : operands) {
    if (!operand.known) continue;
    result.known = true;
    result.high = std::max(result.high, operand.high);
    if (!operand.unknown) {
      result.low = is_sure ? std::max(result.low, operand.low) : operand.low;
      is_sure = true;
    } else if (!is_sure) {
      result.low = std::min(result.low, operand.low);
    }
  }
  result.unknown = !is_sure;
  return result.known ? result : nothing();
}

Range negated(const Range& a) { return {-a.high, -a.low, a.known, a.unknown}; }

Range smallest(std::span<const Range> operands) {
  std::vector<Range> all;
  for (const Range& operand : operands) all.push_back(negated(operand));
  return negated(largest(all));
}

Range sum(std::span<const Range> operands, bool of_present) {
  Range result{0, 0, false, of_present};
  bool any_sure = false, all_known = true;
  for (const Range& operand : operands) {
    all_known = all_known && operand.known;
    any_sure = any_sure || !operand.unknown;
    if (!operand.known) continue;
    result.known = true;
    result.low += operand.unknown ? std::min(0.0, operand.low) : operand.low;
    result.high += operand.unknown ? std::max(0.0, operand.high) : operand.high;
    if (!of_present) result.unknown = result.unknown || operand.unknown;
  }
  if (of_present) result.unknown = !any_sure;
  if (!of_present && !all_known) return nothing();
  return result.known ? result : nothing();
}

template <typename Function>
Range monotone(const Range& a, Function function) {
  return a.known ? Range{function(a.low), function(a.high), true, a.unknown} : nothing();
}

Range chosen(std::span<const Range> o) {
  Range result = nothing();
  if (o[0].may_hold()) result = hull({result.low, result.high, result.known, false}, o[1]);
  if (o[0].may_fail()) result = o[0].may_hold() ? hull(result, o[2]) : o[2];
  result.unknown = result.unknown || o[0].unknown;
  return result;
}

Range clamped(std::span<const Range> o) {
  if (!o[0].known || !o[1].known || !o[2].known) return nothing();
  const auto clamp = [](double x, double low, double high) { return std::max(low, std::min(x, high)); };
  return {clamp(o[0].low, o[1].low, o[2].low), clamp(o[0].high, o[1].high, o[2].high), true, o[0].unknown || o[1].unknown || o[2].unknown};
}

Range ramp(std::span<const Range> o) {
  if (!o[0].known || !o[1].known || !o[2].known) return nothing();
  const bool unknown = o[0].unknown || o[1].unknown || o[2].unknown;
  const bool is_plain = o[1].low == o[1].high && o[2].low == o[2].high && o[1].low < o[2].low;
  if (!is_plain) return {0, 1, true, true};
  const auto at = [&](double x) { return std::clamp((x - o[1].low) / (o[2].low - o[1].low), 0.0, 1.0); };
  return {at(o[0].low), at(o[0].high), true, unknown};
}

Range called(Op op, std::span<const Range> o) {
  switch (op) {
    case Op::known: return truth_of(o[0].known, o[0].unknown, false);
    case Op::first: return first(o);
    case Op::max: return largest(o);
    case Op::min: return smallest(o);
    case Op::sum: return sum(o, false);
    case Op::total: return sum(o, true);
    case Op::ceil: return monotone(o[0], [](double x) { return std::ceil(x); });
    case Op::abs: return o[0].known ? Range{0, std::max(std::abs(o[0].low), std::abs(o[0].high)), true, o[0].unknown} : nothing();
    case Op::log2: return o[0].known ? Range{-infinity, infinity, true, true} : nothing();
    case Op::clamp: return clamped(o);
    case Op::choose: return chosen(o);
    case Op::ramp: return ramp(o);
    default: return {-infinity, infinity, true, true};
  }
}

using Box = std::map<std::uint32_t, SlotRange>;

Range loaded(const SlotRange& slot, double scale) { return {slot.low * scale, slot.high * scale, slot.may_be_known, slot.may_be_unknown}; }

Range range_of(const Expression& expression, const Box& box) {
  std::vector<Range> stack;
  const auto binary = [&](auto&& combine) {
    const Range right = stack.back();
    stack.pop_back();
    stack.back() = combine(stack.back(), right);
  };
  for (const Expression::Step& step : expression.steps()) {
    switch (step.op) {
      case Op::literal: stack.push_back({step.value, step.value, true, false}); break;
      case Op::nothing: stack.push_back(nothing()); break;
      case Op::load: stack.push_back(loaded(box.at(step.argument), step.value)); break;
      case Op::unless_false:
      case Op::unless_true: break;
      case Op::negate: stack.back() = negated(stack.back()); break;
      case Op::inverse: stack.back() = inverse(stack.back()); break;
      case Op::add: binary([](const Range& x, const Range& y) { return corners(x, y, std::plus{}); }); break;
      case Op::subtract: binary([](const Range& x, const Range& y) { return corners(x, y, std::minus{}); }); break;
      case Op::multiply: binary([](const Range& x, const Range& y) { return corners(x, y, std::multiplies{}); }); break;
      case Op::divide: binary(divided); break;
      case Op::less: binary([](const Range& x, const Range& y) { return less(x, y, false); }); break;
      case Op::less_equal: binary([](const Range& x, const Range& y) { return less(x, y, true); }); break;
      case Op::greater: binary([](const Range& x, const Range& y) { return less(y, x, false); }); break;
      case Op::greater_equal: binary([](const Range& x, const Range& y) { return less(y, x, true); }); break;
      case Op::both: binary(both); break;
      case Op::either: binary([](const Range& x, const Range& y) { return inverse(both(inverse(x), inverse(y))); }); break;
      default: {
        const std::size_t operands = step.argument;
        const Range result = called(step.op, std::span(stack).last(operands));
        stack.resize(stack.size() - operands);
        stack.push_back(result);
      }
    }
  }
  return stack.back();
}

bool may_be_met(const Constraint& constraint, const Box& box) {
  const Range range = range_of(*constraint.expression, box);
  switch (constraint.kind) {
    case Constraint::holds: return range.may_hold();
    case Constraint::does_not_surely_hold: return range.may_fail() || range.unknown;
    case Constraint::at_least: return range.known && range.high >= constraint.least;
  }
  return false;
}

// Asked as the program asks.
bool is_met(const Constraint& constraint, const knowledge::Lookup& lookup) {
  if (constraint.kind == Constraint::at_least) return constraint.expression->number(lookup).value_or(-infinity) >= constraint.least;
  return constraint.expression->truth(lookup).value_or(false) == (constraint.kind == Constraint::holds);
}

class Search {
 public:
  Search(const std::vector<Constraint>& constraints, const std::function<SlotRange(std::uint32_t)>& range_of) : constraints_(constraints) {
    for (const Constraint& constraint : constraints) {
      for (const std::uint32_t slot : constraint.expression->slots()) {
        if (all_.emplace(slot, range_of(slot)).second) order_.push_back(slot);
      }
      add_numbers(*constraint.expression);
    }
  }

  Satisfied run() {
    Satisfied result;
    if (descend(all_, 0)) {
      result.answer = Satisfied::yes;
      for (const auto& [slot, range] : witness_) result.facts[slot] = range.may_be_known ? std::optional(range.low) : std::nullopt;
    } else {
      result.answer = is_exhaustive_ ? Satisfied::no : Satisfied::undecided;
    }
    return result;
  }

 private:
  // The numbers that stand in the conditions are where answers change.
  void add_numbers(const Expression& expression) {
    std::set<double> literals{0, 1};
    for (const Expression::Step& step : expression.steps()) {
      if (step.op == Op::literal) literals.insert(step.value);
    }
    for (const Expression::Step& step : expression.steps()) {
      if (step.op != Op::load || step.value == 0) continue;
      for (const double value : literals) {
        numbers_[step.argument].insert(value / step.value);
        numbers_[step.argument].insert(100 - value / step.value);
      }
    }
  }

  bool is_point(const SlotRange& range) const { return !range.may_be_known || (!range.may_be_unknown && range.low == range.high); }

  bool descend(const Box& box, int depth) {
    if (++steps_ > most_ranges) {
      is_exhaustive_ = false;
      return false;
    }
    for (const Constraint& constraint : constraints_) {
      if (!may_be_met(constraint, box)) return false;
    }
    const auto open = std::ranges::find_if(order_, [&](std::uint32_t slot) { return !is_point(box.at(slot)); });
    if (open == order_.end()) {
      const bool met = std::ranges::all_of(constraints_, [&](const Constraint& c) {
        return is_met(c, [&](std::uint32_t slot) { return box.at(slot).may_be_known ? std::optional(box.at(slot).low) : std::nullopt; });
      });
      if (met) witness_ = box;
      return met;
    }
    for (const SlotRange& part : parts_of(*open, box.at(*open))) {
      Box narrower = box;
      narrower[*open] = part;
      if (descend(narrower, depth + 1)) return true;
    }
    return false;
  }

  // Known before unknown; then the numbers of the conditions and what lies between them.
  std::vector<SlotRange> parts_of(std::uint32_t slot, const SlotRange& range) {
    if (range.may_be_unknown) {
      SlotRange known = range, unknown = range;
      known.may_be_unknown = false;
      unknown.may_be_known = false;
      return {known, unknown};
    }
    std::vector<double> cuts;
    for (const double number : numbers_[slot]) {
      if (number >= range.low && number <= range.high) cuts.push_back(number);
    }
    std::vector<SlotRange> parts;
    const auto point = [&](double value) { parts.push_back({value, value, range.is_whole, false, true}); };
    if (cuts.empty() || (cuts.size() == 1 && range.low == range.high)) {
      sample(range, point);
      return parts;
    }
    const double cut = cuts[cuts.size() / 2];
    const double below = range.is_whole ? std::ceil(cut) - 1 : std::nextafter(cut, -infinity);
    const double above = range.is_whole ? std::floor(cut) + 1 : std::nextafter(cut, infinity);
    if (above <= range.high) parts.push_back({above, range.high, range.is_whole, false, true});
    if (below >= range.low) parts.push_back({range.low, below, range.is_whole, false, true});
    if (!range.is_whole || cut == std::floor(cut)) point(cut);
    return parts;
  }

  // No number of the conditions lies inside: where only single facts are compared with numbers, all values are alike.
  template <typename Point>
  void sample(const SlotRange& range, Point point) {
    const double middle = range.low + (range.high - range.low) / 2;
    point(range.high);
    if (range.low == range.high) return;
    point(range.low);
    point(range.is_whole ? std::floor(middle) : middle);
    is_exhaustive_ = false;
  }

  const std::vector<Constraint>& constraints_;
  Box all_, witness_;
  std::vector<std::uint32_t> order_;  // of appearance: what is asked first decides most
  std::map<std::uint32_t, std::set<double>> numbers_;
  int steps_ = 0;
  bool is_exhaustive_ = true;
};

}  // namespace

Satisfied satisfy(const std::vector<Constraint>& constraints, const std::function<SlotRange(std::uint32_t)>& range_of) {
  return Search(constraints, range_of).run();
}

}  // namespace frx::testing
