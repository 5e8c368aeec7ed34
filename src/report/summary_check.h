// Does the summary of a bundle (derived/summary.json) belong to the other files in it?
//
// The evidence of an answer is the raw data wherever there is any; a summary is only used where there is none.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ingest/run_bundle/open_bundle.h"
#include "ingest/run_events/read_summary.h"

namespace frx::report {

enum class SummaryState {
  fits,          // made from exactly these files
  unverifiable,  // it does not list its input, or that is missing
  stale,         // the files have changed since
  foreign,       // of another run
  unreadable,    // an unknown summary
};
std::string_view name_of(SummaryState state);

struct SummaryCheck {
  SummaryState state = SummaryState::unreadable;
  std::string reason;  // "raw/trace.jsonl has changed since"
};

// The files of a bundle that an analysis is made from, with their fingerprints.
Result<std::vector<ingest::SummaryInput>> inputs_of(const ingest::RunBundle& bundle);

// `run_id`: of the bundle, "" when it has none. `events`: of its stream, 0 without one.
SummaryCheck check_summary(const Result<ingest::RunSummary>& summary, const ingest::RunBundle& bundle, std::string_view run_id,
                           std::uint64_t events);

}  // namespace frx::report
