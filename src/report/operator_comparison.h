// The operators of two traces with different GPU time. The rows of each side add up to all of its GPU work.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/trace_report.h"

namespace frx::report {

// Nanoseconds and pieces of GPU work of a mean recorded step, warm-up included. Absent on a side without such work.
struct ComparedOperator {
  std::string name, shapes;  // shapes: "" when they are not compared, or none were recorded for it
  std::optional<double> first_ns, second_ns;
  std::optional<double> first_count, second_count;
  // Other rows: of a fused operator that is on one side only, those of the other side that its name contains ("aten::add"); they need not
  // be gone altogether.
  std::vector<std::string> fused_of;
  double change_ns() const { return second_ns.value_or(0) - first_ns.value_or(0); }
};

struct OperatorComparison {
  std::vector<ComparedOperator> rows;  // largest change first; empty when one side has no GPU work with an operator
  bool by_shapes = false;              // both sides recorded shapes
  bool is_cut = false;                 // a side has more operators than are kept; the smallest are one row
  double first_ns = 0, second_ns = 0;  // sums of the rows: all GPU work of a mean step
};

// Either may be null. O(n log n) in the number of operators, but for the fused ones: their number times that of the others.
OperatorComparison compare_operators(const TraceReport* first, const TraceReport* second);

}  // namespace frx::report
