// From the bytes of a trace to its report.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/files.h"
#include "derive/ranks/sequence.h"
#include "knowledge/layout_detectors.h"
#include "model/gpu_sample.h"
#include "model/rank_summary.h"
#include "report/run_judge.h"
#include "report/trace_report.h"

namespace frx::report {

// Is it analysed, too, what the layouts of tensors cost? That takes the inputs of every operator.
enum class Layouts : std::uint8_t { left_out, included };

// The events of a trace of the PyTorch profiler, packed or not. Fails, naming it, where it cannot be read.
Result<model::Timeline> read_trace(const std::string& name, ByteSource& source, const std::function<void(std::uint64_t)>& progress = {},
                                   Layouts layouts = Layouts::left_out);

// One rank of a distributed run, according to its trace.
struct RankRecording {
  std::unique_ptr<TraceReport> report;
  derive::ranks::Sequence collectives;
  std::vector<model::GpuSample> memory;  // of the GPUs at their peaks, as far as recorded
  bool cut_short = false;                // the recording ended early
  std::string node = {};                 // the machine; "": not known
};

class TraceAnalyst {
 public:
  // `data_directory`: YAML merged over the built-in labels and advice, or "". `with_figures`: reports hold what a timeline is drawn from.
  static Result<std::unique_ptr<TraceAnalyst>> create(const std::string& data_directory, const ThresholdOptions& thresholds = {},
                                                      bool with_figures = false);

  // The report points into this analyst. `layouts`: the timeline was read for them.
  std::unique_ptr<TraceReport> analyse(model::Timeline timeline, Layouts layouts = Layouts::left_out) const;
  // The same for a trace of the PyTorch profiler, packed or not. Fails where it cannot be read.
  Result<std::unique_ptr<TraceReport>> analyse(std::string name, ByteSource& source,
                                               const std::function<void(std::uint64_t)>& progress = {},
                                               Layouts layouts = Layouts::left_out) const;

  // The ranks in a file: one, or several when a tool has merged their traces. `words`: the texts of their collectives, shared by all ranks
  // that are compared. `layouts`: as above; they are left out of a file of several ranks.
  std::vector<RankRecording> analyse_ranks(model::Timeline timeline, Interner& words, Layouts layouts = Layouts::left_out) const;
  // The same of a rank that was summarised. Errors: the summary was not written by frx; it is the caller who knows the file.
  Result<RankRecording> analyse_rank(const model::RankSummary& summary, Interner& words) const;
  // The scope that represents the trace, evaluated again with other facts; `ranks_compared`: as in RunScope.
  RunScope judged_with(const TraceReport& report, const model::RunFacts& facts, bool ranks_compared) const;

  // For the other content of a run bundle.
  const RunJudge& judge() const { return *judge_; }

 private:
  TraceAnalyst() = default;

  struct Studied;
  Studied study(model::Timeline timeline) const;
  RankRecording report_on(const Studied& studied, std::vector<model::StepTable> processes, std::int64_t rank) const;
  void judge(RankRecording& recording) const;
  std::shared_ptr<const LayoutReport> layouts_of(model::Timeline timeline) const;

  std::unique_ptr<RunJudge> judge_;
  knowledge::LayoutKnowledge layout_detectors_;
  std::string gpu_model_;
  bool gpu_is_fallback_ = false;
  bool with_figures_ = false;
};

}  // namespace frx::report
