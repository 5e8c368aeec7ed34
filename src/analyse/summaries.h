// Traces into summaries of their ranks, and summaries beside traces as the ranks of one run.
#pragma once

#include <string>
#include <vector>

#include "analyse/analyse.h"
#include "ingest/rank_summary/summary_file.h"
#include "model/rank_summary.h"
#include "report/fleet_report.h"

namespace frx::analyse {

// The ranks of a trace of any format: one, or several where a tool has merged their traces. `node`: the machine on which they ran; "": what
// the name of the file says of it. Errors: it is no trace; it says no steps and no work.
Result<std::vector<model::RankSummary>> summarise(Input input, Context& context, const std::string& node);

// The same as a file in memory.
Result<ingest::rank_summary::SummaryFile> summaries_of(Input input, Context& context, const std::string& node);

// A file of summaries, which is read as far as it is asked. Many may be open at the same time: each opens its file again for what it reads.
Result<ingest::rank_summary::SummaryFile> open_summaries(Input& input);

// The ranks that the inputs are: of traces and of summaries, whose files are opened once, when this is made. Of several recordings of a
// process the last one counts, as its name says. An input that cannot be opened or read is one rank, which fails when it is read.
class RankInputs {
 public:
  RankInputs(std::vector<Input>& inputs, Context& context);

  // As far as that is known without reading traces, each of which is one.
  std::size_t count() const;
  // For report::analyse_ranks(), which reads each when it is needed; valid as long as this.
  std::vector<report::TraceFile> files();
  // All of them as summaries; a trace is summarised in memory. What cannot be read is left out with a note. Errors: nothing can be read.
  Result<std::vector<report::FleetEntry>> fleet(std::vector<std::string>& notes);

 private:
  using Summaries = std::shared_ptr<const ingest::rank_summary::SummaryFile>;

  std::vector<Input>& inputs_;
  Context& context_;
  std::vector<Result<Summaries>> opened_;        // by input; null for a trace
  std::vector<std::vector<std::string>> names_;  // by input: of the traces of its ranks
};

}  // namespace frx::analyse
