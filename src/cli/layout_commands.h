// What the commands about memory layout share.
#pragma once

#include <string>

#include "cli/io.h"
#include "cli/syntax.h"
#include "report/code_analyst.h"
#include "report/layout/layout_report.h"

namespace frx::cli {

struct LayoutOptions {
  std::string trace, trace_option;  // the argument, and --trace
  std::string model, steps, fail_on, sites_in;
  std::string counters, log, execution;  // --ncu, --log, --et
  std::string plan;                      // --plan: the file to write
  Syntax::Number finding;                // --finding: which one is planned
  double least_saving_pct = 0;
  Syntax::Number top;
  report::AnalysisOptions analysis;
};

// --model, --gpu-model, --steps, --min-saving, --top, --fail-on.
void describe_layout(Syntax& syntax, LayoutOptions& options);
void describe_layout_exit_codes(Syntax& syntax);

// Analyses, prints, and writes the plan of a finding where one is asked for. Exit codes of their own: 3 where the trace cannot be read, 4
// where it has too little for any detector.
Result<int> analyze_layout(std::string_view command, const LayoutOptions& options, std::string_view format, Io& io);

}  // namespace frx::cli
