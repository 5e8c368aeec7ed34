// The MEASURED METRICS table: the documented rows, judged in context.
//
// The documented thresholds alone would condemn healthy kernels: a stream has no L1 hits to make, wide
// loads need 8 or 16 sectors, a kernel at the DRAM limit needs few issue slots. A value counts as bad
// where a finding says that it matters; where none does, the hint says why it is normal.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compose/parts.h"
#include "report/report.h"

namespace frx::compose {

struct MetricRow {
  std::string_view id;  // of the metric, "dominant_stall" for the last row
  std::string_view name;
  Status status = Status::missing;
  std::string value;        // "92.0 %", "n/a"
  std::string hint;         // what the value means, with its threshold
  bool excused = false;     // past a threshold, but normal here
  std::string source = {};  // where it was read or how it was computed
};

std::vector<MetricRow> metric_rows(const report::NcuReport& report);

void add_metric_table(Document& page, const std::vector<MetricRow>& rows);

}  // namespace frx::compose
