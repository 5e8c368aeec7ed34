// GPU time by name: of kernels, of the operators that launched the work, of the operators of the forward pass that caused it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "derive/trace/attribution.h"
#include "derive/trace/backward.h"
#include "model/timeline.h"

namespace frx::derive::trace {

struct TimeOf {
  std::string name;
  std::int64_t gpu_ns = 0;  // summed over kernels, copies and fills; overlaps count twice
  std::int64_t shortest_ns = INT64_MAX, longest_ns = 0;
  std::uint64_t count = 0;  // pieces of work; at least one
};

// The GPU work of an operator with inputs of the same shapes.
struct OperatorTime {
  std::string name;    // or one of the two below
  std::string shapes;  // of its inputs, as the file has them: "[[8, 128], []]"; "" when none were recorded
  std::int64_t gpu_ns = 0;
  std::uint64_t count = 0;  // pieces of work
};
inline constexpr std::string_view work_without_operator = "(no operator)";
inline constexpr std::string_view work_of_other_operators = "(all others)";

struct WorkTimes {
  std::int64_t all_work_ns = 0;                    // of all kernels, copies and fills
  std::vector<TimeOf> top_operators, top_kernels;  // by time; the first of them
  std::vector<TimeOf> top_backward;                // work of the backward pass, by the forward operator it belongs to
  std::uint64_t kernel_names = 0;                  // how many different kernels ran
  std::vector<OperatorTime> operator_times;        // by time; adds up to all GPU work
  bool operator_times_cut = false;                 // the last row is all operators that are not listed
};

// `rank`: of a file that a tool merged from several ranks, the selected one; -1: all work. O(n + k log k) in the pieces of work and their
// names.
WorkTimes work_times(const model::Timeline& timeline, const Attribution& attribution, const BackwardWork& backward, std::int64_t rank);

// "[[8, 128], []]", without the blanks of different writers.
std::string uniform_shapes(std::string_view shapes);
// The same of the inputs of an operator (its row); "" where they were not recorded, "shapes #0badcafe" where they are too long to be kept.
std::string input_shapes(const model::Timeline& timeline, std::uint32_t row);

}  // namespace frx::derive::trace
