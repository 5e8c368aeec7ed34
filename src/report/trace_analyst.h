// From the bytes of a trace to its report.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/files.h"
#include "derive/ranks/sequence.h"
#include "report/run_judge.h"
#include "report/trace_report.h"

namespace frx::report {

// One rank of a distributed run, as its trace shows it.
struct RankRecording {
  std::unique_ptr<TraceReport> report;
  derive::ranks::Sequence collectives;
};

class TraceAnalyst {
 public:
  // `data_directory`: YAML laid over the built-in labels and advice, or "".
  static Result<std::unique_ptr<TraceAnalyst>> create(const std::string& data_directory, const ThresholdOptions& thresholds = {});

  // The report points into this analyst.
  Result<std::unique_ptr<TraceReport>> analyse(std::string name, ByteSource& source,
                                               const std::function<void(std::uint64_t)>& progress = {}) const;

  // The ranks in a file: one, or several when a tool has merged their traces. `words`: of their collectives, shared by all ranks
  // that are to be compared.
  Result<std::vector<RankRecording>> analyse_ranks(std::string name, ByteSource& source, Interner& words,
                                                   const std::function<void(std::uint64_t)>& progress = {}) const;
  // The scope that answers for the trace, judged anew with other facts; `ranks_compared`: as in RunScope.
  RunScope judged_with(const TraceReport& report, const model::RunFacts& facts, bool ranks_compared) const;

  // For what else a run bundle holds.
  const RunJudge& judge() const { return *judge_; }

 private:
  TraceAnalyst() = default;

  struct Studied;
  static Result<Studied> study(const std::string& name, ByteSource& source, const std::function<void(std::uint64_t)>& progress);
  std::unique_ptr<TraceReport> report_on(const Studied& studied, std::vector<model::StepTable> processes, std::int64_t rank) const;

  std::unique_ptr<RunJudge> judge_;
};

}  // namespace frx::report
