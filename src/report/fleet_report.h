// The finished answer about more ranks than are analysed one by one: what is known of each is its summary.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "derive/ranks/fleet.h"
#include "ingest/rank_summary/summary_file.h"
#include "report/trace_analyst.h"

namespace frx::report {

// So many ranks are analysed one by one, with the answer of each; of more, as a fleet.
inline constexpr std::size_t most_ranks_one_by_one = 64;

struct FleetReport {
  std::string source;                  // folder, or the first of several files
  std::vector<model::RankHead> heads;  // by rank, which all of them have; without their steps
  std::optional<std::int64_t> world_size;
  std::vector<std::pair<std::int64_t, std::int64_t>> missing;  // first and last of each gap
  Interner words;                                              // of the collectives
  derive::ranks::Fleet fleet;                                  // by the order of `heads`
  std::vector<std::pair<std::string, std::uint64_t>> labels;   // what their own recordings say, and how many ranks; the most common first

  // The rank that represents the run: the costliest late one, else the one with the middle step time.
  std::size_t answering = 0;
  std::shared_ptr<const TraceReport> trace;
  RunScope scope;

  std::vector<std::string> notes;
};

// A rank of a file of summaries.
struct FleetEntry {
  std::shared_ptr<const ingest::rank_summary::SummaryFile> file;
  std::size_t rank = 0;
};

// Reads the summaries step by step. Errors: a summary is damaged; ranks cannot be distinguished or are not of one run. The report points
// into the analyst.
Result<std::shared_ptr<FleetReport>> analyse_fleet(const TraceAnalyst& analyst, std::string source, const std::vector<FleetEntry>& entries,
                                                   std::vector<std::string> notes);

// Of ranks that were read one by one, for their report.
struct RanksReport;
Result<derive::ranks::Fleet> fleet_of(const TraceAnalyst& analyst, const RanksReport& report);

// Which of the ranks costs the others most: late by itself, or with its node. None: no rank is late.
std::optional<std::size_t> costliest(const derive::ranks::Fleet& fleet);

}  // namespace frx::report
