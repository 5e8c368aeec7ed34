// How alike two configurations are: what is known about one of them says so much about the other.
//
// Each variable adds its own effect, and each pair of variables one that neither of them has alone. A variable whose values are all numbers
// is ordered: on a scale of log2, with 0 as far from 1 as 1 is from 2, near values are alike. Other values have most of their effect in
// common. That a variable is not set is a value like none of these.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "derive/tune/search.h"

namespace frx::derive::tune {

class SettingsKernel {
 public:
  explicit SettingsKernel(std::span<const Settings> points);

  // Both 1 for a point and itself. Several lengths are prepared: `scale` is a position in `length_scales`.
  struct Likeness {
    double single = 0, paired = 0;  // means over the variables, and over their pairs
  };
  Likeness of(std::size_t a, std::size_t b, std::size_t scale) const;

  std::size_t variables() const { return variables_.size(); }
  static constexpr double length_scales[] = {0.7, 2};  // in doublings

 private:
  struct Variable {
    std::vector<std::size_t> value_of;       // of each point
    std::vector<std::vector<double>> alike;  // of two values, a square, for each length
    std::size_t values = 0;
  };
  static Variable variable_of(const std::string& name, std::span<const Settings> points);
  std::vector<Variable> variables_;
};

}  // namespace frx::derive::tune
