// The summary of the events of a run, derived/summary.json:
//
//   {"event_count": 40, "step_count": 6, "run": {"per_step": [{"step_id": 0, "step_wall_time_ns": 100250, ...}],
//    "run_summary": {"average_gpu_utilization_pct": 41.5, ...}}, "steady_state": {...}}
//
// or one scope of it alone. Our own (run_analysis_v1) also lists the files it was made from.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/run_record.h"

namespace frx::ingest {

// A file that a summary was made from.
struct SummaryInput {
  std::string path;  // in the bundle
  std::uint64_t bytes = 0;
  std::string sha256;  // "" for a file too large to be read twice
};

struct RunSummary {
  std::string run_id;                       // "" when it is not given
  std::optional<std::int64_t> event_count;  // of the stream it was made from
  std::vector<SummaryInput> inputs;         // empty: not given
  // Its steps, and its GPU values as samples. In the form of the reference implementation 0 also means that a value was not recorded, so 0
  // is not taken for a measurement.
  model::RunRecord record;
};

// Fails for text that is no summary of a run, or has an unknown schema.
Result<RunSummary> read_run_summary(std::string_view text);

}  // namespace frx::ingest
