// The summary of a run that somebody made of its events, derived/summary.json:
//
//   {"event_count": 40, "step_count": 6, "run": {"per_step": [{"step_id": 0, "step_wall_time_ns": 100250, ...}],
//    "run_summary": {"average_gpu_utilization_pct": 41.5, ...}}, "steady_state": {...}}
//
// or one scope of it alone. Ours (run_analysis_v1) also says of which files it was made.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/run_record.h"

namespace frx::ingest {

// A file that a summary was made of.
struct SummaryInput {
  std::string path;  // in the bundle
  std::uint64_t bytes = 0;
  std::string sha256;  // "" for a file too large to be read twice
};

struct RunSummary {
  std::string run_id;                       // "" when it does not say
  std::optional<std::int64_t> event_count;  // of the stream it was made of
  std::vector<SummaryInput> inputs;         // none: it does not say
  // Its steps, and what it says of the GPU as samples. In the documented form 0 also stands for what was not recorded, so
  // it is not taken for a measurement.
  model::RunRecord record;
};

// Fails for what is no summary of a run, or of a schema we do not know.
Result<RunSummary> read_run_summary(std::string_view text);

}  // namespace frx::ingest
