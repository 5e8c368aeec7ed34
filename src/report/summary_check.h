// Does the summary that a bundle brought along (derived/summary.json) belong to what else is in it?
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
  fits,          // made of exactly these files
  unverifiable,  // it does not say what it was made of, or that is not here
  stale,         // the files have changed since
  foreign,       // of another run
  unreadable,    // no summary that we know
};
std::string_view name_of(SummaryState state);

struct SummaryCheck {
  SummaryState state = SummaryState::unreadable;
  std::string reason;  // "raw/trace.jsonl has changed since"
};

// The files of a bundle that an analysis is made of, with their fingerprints.
Result<std::vector<ingest::SummaryInput>> inputs_of(const ingest::RunBundle& bundle);

// `run_id`: of the bundle, "" when it does not say. `events`: of its stream, 0 without one.
SummaryCheck check_summary(const Result<ingest::RunSummary>& summary, const ingest::RunBundle& bundle, std::string_view run_id,
                           std::uint64_t events);

}  // namespace frx::report
