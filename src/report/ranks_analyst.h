// From the traces of several ranks to one answer.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/files.h"
#include "report/ranks_report.h"
#include "report/trace_analyst.h"

namespace frx::report {

// Called for every file that is opened; returns the callback for its progress, or none.
using OpenEach = std::function<std::function<void(std::uint64_t)>(const std::string& name, std::uint64_t bytes)>;

// A trace that is read when it is needed.
struct TraceFile {
  std::string name;
  std::function<Result<model::Timeline>(const OpenEach& open_each)> read;
  // Instead, of a rank that was summarised: its recording, judged; `words` as of TraceAnalyst::analyse_ranks().
  std::function<Result<std::vector<RankRecording>>(const TraceAnalyst& analyst, Interner& words)> recordings = {};
};
// One of the PyTorch profiler.
TraceFile trace_file(std::string name, std::function<Result<std::unique_ptr<ByteSource>>()> open, Layouts layouts = Layouts::left_out);

// Reads the traces one after another: of each, its report and its collectives are kept, not its events. A file that is no trace is left out
// with a note; it is a failure when none is left, or when they are not of one run. The report points into the analyst.
// `layouts`: as of TraceAnalyst; they are left out of several ranks.
Result<std::unique_ptr<RanksReport>> analyse_ranks(const TraceAnalyst& analyst, std::string source, const std::vector<TraceFile>& files,
                                                   const OpenEach& open_each = {}, Layouts layouts = Layouts::left_out);

}  // namespace frx::report
