// Two recordings side by side, for frx compare and frx analyze --before --after.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/io.h"
#include "report/analyse.h"

namespace frx::cli {

struct ComparisonOptions {
  std::string first, second;                        // paths
  std::string first_label, second_label;            // "" for the names of the files,
  std::string first_name = "A", second_name = "B";  // or, where these are the same, for these
  std::string format = "text";                      // text, markdown, json
  std::string first_kernel, second_kernel;          // of profiles: this kernel alone, or ""
  std::vector<std::string> baselines;               // further recordings of what the first one records
  std::string ledger;                               // of profiles: where to keep what became of the predictions, or ""
  double noise_floor_pct = 2;                       // of runs
  bool fail_on_regression = false;
};

// 0, or 1 when the second is slower and --fail-on-regression was given.
Result<int> compare_runs(const ComparisonOptions& options, const report::AnalysisOptions& analysis, Io& io);
// The same of two Nsight Compute profiles.
Result<int> compare_profiles(const ComparisonOptions& options, const report::AnalysisOptions& analysis, Io& io);

// What a ledger of predictions holds.
Result<int> show_ledger(const std::string& path, const std::string& format, Io& io);

}  // namespace frx::cli
