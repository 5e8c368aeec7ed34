// The changes between two training runs, and which is faster, if that can be determined.
//
// Time decides. The parts of the time and the kernels that changed explain the answer; they never decide. A row without a value on one side
// was not recorded there or did not run; it is absent, not zero.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "derive/compare/noise_floor.h"
#include "derive/compare/two_samples.h"
#include "report/operator_comparison.h"
#include "report/run_report.h"
#include "report/trace_report.h"

namespace frx::report {

struct LayoutDiff;

// One run: a bare trace, or a bundle with the trace in it.
struct ComparedRun {
  std::string label, source;
  std::string evidence;  // "profiler trace", "event stream", "derived summary"
  std::string gpus;      // "NVIDIA A100", "" when the recording does not name them
  RunMachine machine;
  std::optional<int> world_size;
  std::string primary;      // id of the leading label, "" without one
  std::size_t skipped = 0;  // steps left out as warm-up
  bool has_steps = false;   // the recording marks where steps begin
  std::string_view how_to_mark_steps = "call prof.step() after each one";
  std::vector<double> step_ns;              // of the counted steps, in their order; with the wait for the loader before them
  std::optional<double> batch;              // samples in a step, when all steps say the same
  std::optional<double> layout_copy_share;  // of kernel time: kernels that only bring tensors into another layout
};
ComparedRun compared(const TraceReport& trace, std::string label);
ComparedRun compared(const RunReport& run, std::string label);

// Nanoseconds of a mean step. The rows of one table sum to the mean step of each side.
struct ComparedPart {
  std::string name;
  std::optional<double> first_ns, second_ns;
  derive::compare::Judgement effect;  // on the time of a step, if the rest of it were the same on both sides
  double change_ns() const { return second_ns.value_or(0) - first_ns.value_or(0); }
};

// Mean per recorded step, warm-up included.
struct ComparedKernel {
  std::string name;
  std::optional<double> first_ns, second_ns;        // GPU time; concurrent work counts twice
  std::optional<double> first_count, second_count;  // launches
  double change_ns() const { return second_ns.value_or(0) - first_ns.value_or(0); }
};

struct RunComparison {
  ComparedRun first, second;
  derive::compare::Judgement judgement;
  double noise_floor = derive::compare::default_noise_floor;  // raised to the differences of the baselines
  std::optional<derive::compare::BaselineSpread> baselines;   // of further runs of the first configuration
  bool per_sample = false;                                    // batches differ, so times were divided by them
  std::vector<std::string> not_comparable;  // reasons why the times must not be compared; the answer is then "cannot tell"
  std::optional<double> steps_needed;       // on each side, to detect a difference of the observed size
  std::vector<ComparedPart> parts;          // empty when one side has no such times
  std::vector<ComparedKernel> kernels;      // largest change first; empty when one side has none
  OperatorComparison operators;
  std::shared_ptr<const LayoutDiff> layouts;  // null where one side was not asked for its layouts, or no side has a finding about them
  std::vector<std::string> notes;

  // The part whose change explains most of the answer; when the times of whole steps are inconclusive, the one that is not by itself.
  // nullptr when there is none.
  const ComparedPart* carrier() const;
};

// Why the times of the two must not be compared.
std::vector<std::string> differences(const ComparedRun& a, const ComparedRun& b);

// `first` and `second` are of the same two runs as the traces, which may be null.
RunComparison compare(ComparedRun first, const TraceReport* first_trace, ComparedRun second, const TraceReport* second_trace,
                      double noise_floor, std::optional<derive::compare::BaselineSpread> baselines = {});

}  // namespace frx::report
