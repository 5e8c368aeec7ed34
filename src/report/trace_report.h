// The finished answer about a trace, as plain values that point into their analyst.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/run_facts.h"
#include "model/step_table.h"
#include "model/timeline.h"
#include "report/run_scope.h"

namespace frx::report {

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

struct GpuVerdict {
  std::string pid;  // of the process, "" when there is only one
  std::int32_t device = -1;
  model::RunFacts facts;
  std::string primary;  // id of a label, "" without one
};

struct TraceReport : RunScopes {
  std::string source;
  model::TraceFacts facts;
  std::uint64_t events = 0, kernels = 0, kernels_with_launch = 0, kernels_with_op = 0, copies = 0, calls = 0, operators = 0;
  std::uint64_t foreign_events = 0;  // of accelerators that are no GPU of CUDA or ROCm
  bool clock_broken = false;         // nothing could be measured between events
  bool is_part_of_file = false;      // of a file merged from several ranks, only what is of `facts.rank`
  std::vector<model::StepTable> processes;
  std::vector<GpuVerdict> gpus;
  std::vector<TimeOf> top_operators, top_kernels;  // by time; the first of them
  std::vector<OperatorTime> operator_times;        // by time; adds up to all GPU work
  bool operator_times_cut = false;                 // the last of them are one
  std::vector<TimeOf> top_backward;                // work of the backward pass, by the forward operator it belongs to
  std::uint64_t backward_kernels = 0, backward_kernels_joined = 0;
  std::uint64_t kernel_names = 0;  // how many different kernels ran
  std::vector<std::string> notes;  // what the reader of the report should know

  std::size_t step_count() const;
  bool has_step_boundaries() const;
  // Mean over the steps from `skipped` on, of the first process; none without one.
  std::optional<double> step_time_ns(std::size_t skipped) const;
  // The same over the steps that count.
  std::optional<double> step_time_ns() const { return step_time_ns(scope().skipped); }
  // "NVIDIA A100, NVIDIA A100" as "2 x NVIDIA A100"; "" when the trace names none of those used.
  std::string gpu_names() const;
};

}  // namespace frx::report
