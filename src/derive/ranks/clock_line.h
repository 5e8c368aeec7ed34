// How far the clock of a rank is from those of others, and how it drifts, from the ends of collectives.
#pragma once

#include <cstddef>
#include <cstdint>

namespace frx::derive::ranks {

// How the clock of a rank goes beside the middle one of its largest group: a straight line through what was seen step by step.
class ClockLine {
 public:
  // Of groups of equal size, the first.
  void add(std::uint32_t group, std::size_t size, double time, double distance) {
    if (size > size_) *this = ClockLine(group, size, time);
    if (group != group_) return;
    const double at = (time - first_) / 1e9;
    ++count_;
    times_ += at;
    distances_ += distance;
    products_ += at * distance;
    squares_ += at * at;
  }
  bool known() const { return count_ > 0; }
  double middle_ns() const { return distances_ / count_; }
  // Parts per million; 0 of fewer than three steps.
  double drift_ppm() const {
    const double spread = squares_ - times_ * times_ / count_;
    return count_ >= 3 && spread > 0 ? (products_ - times_ * distances_ / count_) / spread / 1e3 : 0;
  }

  ClockLine() = default;

 private:
  ClockLine(std::uint32_t group, std::size_t size, double time) : group_(group), size_(size), first_(time) {}

  std::uint32_t group_ = 0;
  std::size_t size_ = 0;
  double first_ = 0, count_ = 0, times_ = 0, distances_ = 0, products_ = 0, squares_ = 0;
};

}  // namespace frx::derive::ranks
