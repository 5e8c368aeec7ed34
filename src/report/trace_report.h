// The finished answer about a trace, as plain values that point into their analyst.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "derive/trace/counts.h"
#include "derive/trace/self_times.h"
#include "derive/trace/work_times.h"
#include "model/run_facts.h"
#include "model/step_table.h"
#include "model/timeline.h"
#include "model/timeline_picture.h"
#include "report/run_scope.h"
#include "report/trace_gpu_use.h"

namespace frx::report {

struct LayoutReport;

using derive::trace::CpuTimes;
using derive::trace::OperatorTime;
using derive::trace::TimeOf;
using derive::trace::TraceCounts;
using derive::trace::work_without_operator;
using derive::trace::WorkTimes;

struct GpuVerdict {
  std::string pid;  // of the process, "" when there is only one
  std::int32_t device = -1;
  model::RunFacts facts;
  std::string primary;  // id of a label, "" without one
};

// Counts, times and the diagnosis.
struct TraceReport : RunScopes, TraceCounts, WorkTimes {
  std::string source;
  model::TraceFacts facts;
  bool clock_broken = false;  // times between events are invalid
  model::ProgramTraits program;
  bool is_part_of_file = false;             // of a file merged from several ranks, only the events of `facts.rank`
  std::vector<model::StepTable> processes;  // their steps
  std::vector<GpuVerdict> gpus;
  std::optional<GpuUse> use;                              // of the GPUs, where any work of them was recorded
  std::vector<model::GpuMetric> gpu_metrics;              // sampled; of a file with several ranks none
  std::optional<CpuTimes> cpu;                            // of a recording without anything of a GPU
  std::vector<std::string> notes;                         // for the reader of the report
  std::shared_ptr<const model::TimelinePicture> picture;  // where figures are wanted; of a file with several ranks, of all of them
  std::shared_ptr<const LayoutReport> layouts;  // where they are wanted and the trace of one rank tells anything of them; else null

  std::size_t step_count() const;
  bool has_step_boundaries() const;
  // Mean over the steps from `skipped` on, of the first process; absent without one.
  std::optional<double> step_time_ns(std::size_t skipped) const;
  // The same over the steps that count.
  std::optional<double> step_time_ns() const { return step_time_ns(scope().skipped); }
  // Where the program runs ahead of the GPU: the mean time of those steps in the program.
  std::optional<std::int64_t> step_time_in_program_ns() const;
  // "NVIDIA A100, NVIDIA A100" as "2 x NVIDIA A100"; "" when the trace names none of those used.
  std::string gpu_names() const;
};

}  // namespace frx::report
