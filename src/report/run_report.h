// The finished answer about a run bundle, as plain values that point into their analyst.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/run_record.h"
#include "report/ranks_report.h"
#include "report/run_scope.h"
#include "report/summary_check.h"
#include "report/trace_report.h"

namespace frx::report {

// The recording of the SDK on one rank, and its own diagnosis.
struct StreamOfRank : RunScopes {
  std::int64_t rank = 0;
  model::RunRecord record;
};

// The machine and its software according to metadata.json; "" when not given.
struct RunMachine {
  std::string host, gpu, driver, pytorch, python;
};

struct RunReport : RunScopes {
  std::string source;       // folder or archive
  std::string name;         // of the folder or archive
  std::string run_id;       // of metadata.json, "" when not given
  std::string job, status;  // of metadata.json, "" when not given
  RunMachine machine;
  std::string evidence;                      // source of the answer: "event stream", "profiler trace", "derived summary"
  model::RunRecord record;                   // of the rank that represents the run; of a summary: its steps, without events
  std::shared_ptr<const TraceReport> trace;  // of the profiler, null without one; of several ranks, of the one that represents the run
  std::unique_ptr<RanksReport> ranks;        // when the profiler recorded several ranks
  std::vector<StreamOfRank> streams;         // of the SDK, when several ranks have one; by rank
  std::size_t answering = 0;                 // of `streams`
  std::optional<SummaryCheck> summary;       // of the summary in the bundle
  std::vector<std::string> notes;

  // Facts of the evidence of the answer.
  const model::StepTable& steps() const;
};

// A note for the reader on the summary in the bundle; "" without one.
std::string summary_note(const RunReport& report);

}  // namespace frx::report
