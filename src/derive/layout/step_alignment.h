// Which operators of several steps are the same place of the program.
//
// A place is an operator with the operators around it (its path) at a position in the sequence of operators of its thread. Steps that call
// the same operators in the same order are joined position by position, others are aligned with the usual step
// (derive/compare/align_sequences.h).
#pragma once

#include <cstdint>
#include <vector>

#include "derive/layout/layout_trace.h"

namespace frx::derive::layout {

class StepAlignment {
 public:
  // O(n log n) in the operators of the steady steps.
  static StepAlignment of(const LayoutTrace& trace);

  std::size_t steps() const { return steps_; }
  // The step whose sequence of operators most steps have; its operators are the sites, in their order.
  std::uint32_t usual_step() const { return usual_; }
  std::size_t sites() const { return steps_ == 0 ? 0 : nodes_.size() / steps_; }
  // The node of a site in a step; none: that step does not have it.
  std::uint32_t node(std::size_t site, std::size_t step) const { return nodes_[site * steps_ + step]; }
  // False where the step could be aligned another way: of a loop that runs once less it is unknown which time is missing.
  bool is_certain(std::size_t site, std::size_t step) const { return certain_[site * steps_ + step]; }
  // The site of an operator of any step; none: the usual step has no such operator.
  std::uint32_t site_of(std::uint32_t node) const { return site_of_[node]; }
  // Equal for operators of one path: of names, where numbers that differ from step to step are left out.
  std::uint32_t path(std::uint32_t node) const { return path_[node]; }

 private:
  std::uint32_t usual_ = 0;
  std::size_t steps_ = 0;
  std::vector<std::uint32_t> nodes_;  // by site, then step
  std::vector<bool> certain_;         // the same
  std::vector<std::uint32_t> site_of_;
  std::vector<std::uint32_t> path_;
};

}  // namespace frx::derive::layout
