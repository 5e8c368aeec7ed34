// Two recordings of one program - traces, run bundles, profiles - as one comparison.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analyse/analyse.h"
#include "report/ncu_comparison.h"
#include "report/run_analyst.h"
#include "report/run_comparison.h"

namespace frx::analyse {

struct RecordingSources {
  ingest::Source first, second;
  std::string first_label = {}, second_label = {};    // "" for the names of the files,
  std::string first_name = "A", second_name = "B";    // or, where these are the same, for these
  std::string first_kernel = {}, second_kernel = {};  // of profiles: this kernel alone, or ""
  std::vector<ingest::Source> baselines = {};         // further recordings of what the first one records
  double noise_floor_pct = 2;                         // of runs
};

// A trace or a run bundle.
struct ReadRecording {
  std::unique_ptr<report::TraceReport> trace;
  std::shared_ptr<const report::RunReport> run;

  const report::TraceReport* trace_report() const { return run ? run->trace.get() : trace.get(); }
};

struct ComparedRuns {
  ReadRecording first, second;  // the comparison points into them
  report::RunComparison comparison;
};
struct ComparedProfiles {
  report::NcuReport first, second;
  report::NcuComparison comparison;
};

// Errors: one of them cannot be read or is of another kind; too few baselines.
Result<std::unique_ptr<ComparedRuns>> compare_runs(RecordingSources sources, Context& context);
Result<std::unique_ptr<ComparedProfiles>> compare_profiles(RecordingSources sources, Context& context);

}  // namespace frx::analyse
