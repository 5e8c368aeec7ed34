// A report about layouts as it was written before (layout.v1), for comparisons with a later one.
//
// Every number that a file may leave open is absent here, and never 0.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "report/layout/layout_report.h"

namespace frx::report {

struct LayoutRecordSite {
  std::string module, file, function, op_path, beside, shapes, text;
  std::uint64_t line = 0;
  bool backward = false;
};

struct LayoutRecordFinding {
  std::string id, detector, pattern, title, fix, risk;
  LayoutSeverity severity = LayoutSeverity::low;
  LayoutRecordSite site;
  // Per step.
  std::optional<double> freq, bytes, time_us;
  std::optional<double> best_bytes_pct, best_time_pct;  // of its saving
  std::optional<double> confidence;
};

// Of a step.
struct LayoutRecordTotals {
  std::optional<double> contiguous_calls, copies, layout_bytes, bytes, layout_time_us, gpu_time_us, bw_overhead_pct, time_overhead_pct,
      coverage_pct;
};

struct LayoutRecord {
  std::string file;  // its own name
  std::string model, trace, sha256, gpu, level;
  std::optional<std::uint64_t> steps;
  bool is_cpu_only = false;
  LayoutRecordTotals totals;
  std::vector<LayoutRecordFinding> findings;
  std::vector<std::string> not_assessed;  // ids of detectors whose question the trace did not answer, or in part
};

// Reads what frx layout analyze --json writes, also within {"result": ...}. Errors are malformed and name the file and the member:
// "findings[3].freq_per_step: expected a number from 0 on, found a text". Linear in the bytes.
Result<LayoutRecord> read_layout_record(std::string_view name, std::string_view json);

// The same of a report that was made just now.
LayoutRecord record_of(const LayoutReport& report);

}  // namespace frx::report
