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

// What the SDK recorded on one rank, and what that alone says.
struct StreamOfRank : RunScopes {
  std::int64_t rank = 0;
  model::RunRecord record;
};

// What metadata.json says of the machine and its software; "" when not said.
struct RunMachine {
  std::string host, gpu, driver, pytorch, python;
};

struct RunReport : RunScopes {
  std::string source;       // folder or archive
  std::string name;         // of the folder or archive
  std::string run_id;       // of metadata.json, "" when not said
  std::string job, status;  // of metadata.json, "" when not said
  RunMachine machine;
  std::string evidence;                      // what the answer is made of: "event stream", "profiler trace", "derived summary"
  model::RunRecord record;                   // of the rank that answers; of a summary: its steps, without events
  std::shared_ptr<const TraceReport> trace;  // of the profiler, when the bundle has one; of several, the rank that answers
  std::unique_ptr<RanksReport> ranks;        // when the profiler recorded several ranks
  std::vector<StreamOfRank> streams;         // of the SDK, when several ranks have one; by rank
  std::size_t answering = 0;                 // of `streams`
  std::optional<SummaryCheck> summary;       // of the one that the bundle brought along
  std::vector<std::string> notes;

  // Of what the answer is made of.
  const model::StepTable& steps() const;
};

// What the reader should know of the summary that the bundle brought along; "" when there is nothing to say.
std::string summary_note(const RunReport& report);

}  // namespace frx::report
