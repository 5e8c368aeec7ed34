// Is there any set of facts for which conditions hold? Answered with such facts, which the conditions themselves were
// asked about, or with a proof that there are none.
//
// Ranges of facts are narrowed until the conditions surely hold or surely do not (interval arithmetic over the three
// truths, split at the numbers that stand in the conditions). Facts are taken to be independent of each other, so "none"
// is certain, and "some" is certain but for facts that cannot come together.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "knowledge/expression.h"

namespace frx::testing {

// Values a slot may have, in its own unit; it may also be unknown.
struct SlotRange {
  double low = 0, high = 1;
  bool is_whole = false;
  bool may_be_unknown = true, may_be_known = true;
};

struct Constraint {
  enum Kind { holds, does_not_surely_hold, at_least };
  const knowledge::Expression* expression = nullptr;
  Kind kind = holds;
  double least = 0;  // at_least: of a number
};

struct Satisfied {
  enum Answer { yes, no, undecided } answer = undecided;
  std::map<std::uint32_t, std::optional<double>> facts;  // for which they hold: by slot, in its unit
};

Satisfied satisfy(const std::vector<Constraint>& constraints, const std::function<SlotRange(std::uint32_t)>& range_of);

}  // namespace frx::testing
