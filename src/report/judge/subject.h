// The kernel that is judged, as a prompt states it and as an answer about it is checked: its counters in their order, and the GPU.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "knowledge/judge.h"
#include "model/session.h"
#include "report/report.h"

namespace frx::report {

// One counter, of one launch: where there were several, what they have in common or their mean. Values are in base units: percent, bytes,
// ns, Hz, counts, and per second.
struct JudgedFact {
  std::string_view section;                         // "" under "Other Metrics"
  std::string label;                                // "DRAM Throughput"; the name of the counter where it has no label
  std::string key;                                  // "dram__throughput.avg.pct_of_peak_sustained_elapsed"
  std::string_view id;                              // of the catalogue; "" where it does not know the counter
  std::optional<double> value;                      // absent: not measured
  std::string unit;                                 // behind the value, with its blank: "%", " bytes/sec", ""
  std::string source;                               // "report.csv:12"
  bool in_finding = false;                          // evidence of a finding that fires
  const knowledge::JudgedMetric* metric = nullptr;  // of data/judge; nullptr where it is not asked for
};

// "6.25%", "4297126400 bytes": two decimals where it is no whole number, four digits where it is small; "N/A" without its unit.
std::string fact_text(const JudgedFact& fact);
std::string fact_number(double value);
// The same for prose: "4.30 GB", "1.45 TB/s".
std::string fact_words(const JudgedFact& fact);

// Which kernel of a profile is judged.
struct KernelChoice {
  enum class Pick : std::uint8_t { max_time, max_cycles, first, last };
  std::string name;  // exact, or a regular expression; "": by `pick`
  Pick pick = Pick::max_time;
};

struct JudgeSubject {
  const NcuReport* report = nullptr;
  const Kernel* kernel = nullptr;
  std::string selected_by;                         // "max_time", "max_cycles", "first", "last", "name", "only"
  std::vector<JudgedFact> facts;                   // those of sections, of all profiles alike; then what else was measured, by key
  model::Readings readings;                        // of the kernel, with what was derived
  const knowledge::GpuProduct* product = nullptr;  // nullptr: not known
  const knowledge::SmLimits* limits = nullptr;     // the same
  // The least that the problem needs in one launch, where the caller knows it: bytes to and from DRAM, and operations.
  std::optional<double> least_bytes, least_operations;

  // By the name of a counter, in any spelling of the catalogue; nullptr: not in the profile.
  const JudgedFact* fact(std::string_view key, const knowledge::MetricCatalogue& metrics) const;
  const JudgedFact* fact_with_id(std::string_view id) const;
};

// Points into `report` and `knowledge`. `in_order`: the names of the kernels as the file has them. `others`: may be null. Usage errors: no
// kernel, or several different ones, are called so; the regular expression cannot be read.
Result<JudgeSubject> judge_subject(const NcuReport& report, const std::vector<std::string>& in_order, const model::OtherCounters* others,
                                   const KernelChoice& choice, const knowledge::Knowledge& knowledge,
                                   const knowledge::JudgeKnowledge& judge);

// The speed-of-light verdict. Percent.
struct SpeedOfLight {
  std::optional<double> compute_pct, memory_pct;
  std::optional<double> efficiency_pct;   // the larger of both; absent unless both are known
  std::string_view bound;                 // underutilized, memory, compute, balanced, insufficient_metrics, unknown
  std::string_view limiter;               // dram, l2, l1, sm, or ""
  bool at_roofline = false;               // efficiency >= 95 %
  std::optional<bool> uses_tensor_cores;  // any spelling of tensor activity above 5 %; absent: not measured
  // Percent: what the problem needs of what was done. A kernel that reads everything twice is at its roof and at 50 % here.
  std::optional<double> useful_bytes_pct, useful_operations_pct;
  std::vector<std::string> warnings;

  std::optional<double> headroom_pct() const { return efficiency_pct ? std::optional(std::max(0.0, 100 - *efficiency_pct)) : std::nullopt; }
};

SpeedOfLight speed_of_light(const JudgeSubject& subject);

}  // namespace frx::report
