// The finished answer about the ranks of a distributed run, as plain values that point into their analyst.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "derive/ranks/fleet.h"
#include "derive/ranks/lateness.h"
#include "derive/ranks/match.h"
#include "report/run_scope.h"
#include "report/trace_report.h"

namespace frx::report {

enum class RankSource {
  distributed_info,  // of the header, as PyTorch writes it
  events,            // of the events of a file merged from several ranks
  file_name,
  device,  // the number of the GPU, where there is no other source
};
std::string_view name_of(RankSource source);

struct RankOfRun {
  std::int64_t rank = 0;
  RankSource from = RankSource::distributed_info;
  std::shared_ptr<TraceReport> trace;
  derive::ranks::Sequence collectives;
  std::string node;  // the machine; "": not known
};

// A label, and the ranks whose own traces have it.
struct Opinion {
  std::string label;
  std::vector<std::int64_t> ranks;
};

struct RanksReport {
  std::string source;            // folder, or the first of several files
  std::vector<RankOfRun> ranks;  // by rank
  std::optional<std::int64_t> world_size;
  std::vector<std::pair<std::int64_t, std::int64_t>> missing;  // first and last of each gap
  Interner words;                                              // of the collectives
  derive::ranks::Matching matching;
  derive::ranks::Lateness lateness;  // by the order of `ranks`
  derive::ranks::Fleet fleet;        // of several ranks, by the order of `ranks`
  std::vector<Opinion> opinions;     // the most common first

  // The rank that represents the run, and its answer. If it is a late one, without the time it waits for others itself.
  std::size_t answering = 0;
  RunScope scope;
  double left_out = 0;  // share of its steps

  std::vector<std::string> notes;

  bool has_late_rank() const { return lateness.verdict == derive::ranks::LateVerdict::late; }
};

}  // namespace frx::report
