// The values for the conditions of rules and cards: of a diagnosed kernel, a run of steps, or a PTX file.
//
// A value that was not measured is unknown. A condition that needs it is inconclusive, and neither enables nor disables a rule.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "knowledge/expression.h"
#include "model/finding.h"

namespace frx::advise {

enum class Domain : std::uint8_t { kernel, run, ptx };
inline constexpr std::size_t domain_count = 3;
inline constexpr std::string_view domain_names[domain_count] = {"kernel", "run", "ptx"};

// What a label is to a condition: 1, or its score, where it holds; 0 where it does not hold or holds unproven; absent where it is
// inconclusive. `firing` are the findings that hold, `others` the rest.
std::optional<double> label_state(std::span<const model::Finding> firing, std::span<const model::Finding> others, std::string_view id,
                                  bool wants_score);

class Circumstances {
 public:
  virtual ~Circumstances() = default;
  virtual Domain domain() const = 0;
  // By the numbers that Names gives to names, in the unit of the name; a truth value is 1 or 0.
  virtual std::optional<double> value(std::uint32_t slot) const = 0;

  // True when the condition certainly holds. An empty condition never holds.
  bool meet(const knowledge::Expression& condition) const {
    return !condition.empty() && condition.truth([this](std::uint32_t slot) { return value(slot); }).value_or(false);
  }
  // The value in base units.
  std::optional<double> number(const knowledge::Expression& of) const {
    return of.empty() ? std::nullopt : of.number([this](std::uint32_t slot) { return value(slot); });
  }
};

// All values are unknown.
class UnknownCircumstances : public Circumstances {
 public:
  explicit UnknownCircumstances(Domain domain) : domain_(domain) {}
  Domain domain() const override { return domain_; }
  std::optional<double> value(std::uint32_t) const override { return std::nullopt; }

 private:
  Domain domain_;
};

}  // namespace frx::advise
