// A mean that is absent when there are no values.
#pragma once

#include <optional>

namespace frx::derive::steps {

class Mean {
 public:
  void add(double value) {
    sum_ += value;
    ++count_;
  }
  void add(const std::optional<double>& value) {
    if (value) add(*value);
  }
  std::optional<double> value() const { return count_ > 0 ? std::optional(sum_ / count_) : std::nullopt; }

 private:
  double sum_ = 0, count_ = 0;
};

}  // namespace frx::derive::steps
