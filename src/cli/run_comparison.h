// Two training runs side by side, for frx compare and frx analyze --before --after.
#pragma once

#include <string>

#include "base/result.h"
#include "cli/io.h"
#include "report/analyse.h"

namespace frx::cli {

// A trace of the PyTorch profiler or a run bundle.
bool is_run(const std::string& path);

struct RunComparisonOptions {
  std::string first, second;              // paths
  std::string first_label, second_label;  // "" for the names of the files
  std::string format = "text";            // text, markdown, json
  double noise_floor_pct = 2;
  bool fail_on_regression = false;
};

// 0, or 1 when the second is slower and --fail-on-regression was given.
Result<int> compare_runs(const RunComparisonOptions& options, const report::AnalysisOptions& analysis, Io& io);

// Two labels to tell the sides apart: those given, or the names of the files, or `fallback` when these are the same.
std::pair<std::string, std::string> labels_of(const std::string& first_label, const std::string& first_path,
                                              const std::string& second_label, const std::string& second_path,
                                              std::pair<std::string, std::string> fallback);

}  // namespace frx::cli
