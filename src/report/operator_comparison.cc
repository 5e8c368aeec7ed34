#include "report/operator_comparison.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "derive/compare/operator_names.h"

namespace frx::report {
namespace {

using derive::compare::canonical_name;
using derive::compare::is_fused_of;

bool has_shapes(const TraceReport& trace) {
  return std::ranges::any_of(trace.operator_times, [](const OperatorTime& one) { return !one.shapes.empty(); });
}

bool is_comparable(const TraceReport* trace) {
  return trace != nullptr &&
         std::ranges::any_of(trace->operator_times, [](const OperatorTime& one) { return one.name != work_without_operator; });
}

using Rows = std::map<std::pair<std::string, std::string>, ComparedOperator>;

double add_side(Rows& rows, const TraceReport& trace, bool by_shapes, std::optional<double> ComparedOperator::*ns,
                std::optional<double> ComparedOperator::*count) {
  const double steps = static_cast<double>(std::max<std::size_t>(1, trace.step_count()));
  double sum = 0;
  for (const OperatorTime& one : trace.operator_times) {
    const std::string name(canonical_name(one.name));
    const std::string shapes = by_shapes ? one.shapes : "";
    ComparedOperator& row = rows.try_emplace({name, shapes}, ComparedOperator{name, shapes, {}, {}, {}, {}, {}}).first->second;
    const double time = static_cast<double>(one.gpu_ns) / steps;
    row.*ns = (row.*ns).value_or(0) + time;
    row.*count = (row.*count).value_or(0) + static_cast<double>(one.count) / steps;
    sum += time;
  }
  return sum;
}

// The parts of a fused row of one side, among the rows that the other side has and this one has less of.
void find_fused(std::vector<ComparedOperator>& rows) {
  std::size_t found = 0;
  for (ComparedOperator& fused : rows) {
    if (fused.first_ns.has_value() == fused.second_ns.has_value() || !canonical_name(fused.name).starts_with("triton_")) continue;
    if (++found > derive::compare::most_fused_operators) return;
    const bool is_new = fused.second_ns.has_value();
    for (const ComparedOperator& other : rows) {
      const bool shrinks = is_new ? other.change_ns() < 0 : other.change_ns() > 0;
      if (shrinks && is_fused_of(fused.name, other.name) && std::ranges::find(fused.fused_of, other.name) == fused.fused_of.end())
        fused.fused_of.push_back(other.name);
    }
  }
}

}  // namespace

OperatorComparison compare_operators(const TraceReport* first, const TraceReport* second) {
  OperatorComparison result;
  if (!is_comparable(first) || !is_comparable(second)) return result;
  result.by_shapes = has_shapes(*first) && has_shapes(*second);
  result.is_cut = first->operator_times_cut || second->operator_times_cut;
  Rows rows;
  result.first_ns = add_side(rows, *first, result.by_shapes, &ComparedOperator::first_ns, &ComparedOperator::first_count);
  result.second_ns = add_side(rows, *second, result.by_shapes, &ComparedOperator::second_ns, &ComparedOperator::second_count);
  result.rows.reserve(rows.size());
  for (auto& [key, row] : rows) result.rows.push_back(std::move(row));
  std::ranges::stable_sort(result.rows, std::ranges::greater{}, [](const ComparedOperator& row) { return std::abs(row.change_ns()); });
  find_fused(result.rows);
  return result;
}

}  // namespace frx::report
