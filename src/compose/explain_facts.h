// What the three explain files have in common: metrics with their documented status words, the missing
// evidence, and how sure and how severe a diagnosis is.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compose/explain.h"

namespace frx::compose {

struct KeyMetric {
  std::string_view key;  // as documented: "avg_dram_throughput_pct"
  std::string_view label;
  std::optional<double> value;
  std::string text;       // "92.0 %" or "n/a"
  std::string_view word;  // OK, LOW, POOR, ELEVATED, SATURATED, HIGH or n/a
  std::string caveat;     // why a bad word is harmless here, or ""
};

// In the documented order: DRAM, L1, L2, sectors, tensor, issue, occupancy, memory stalls.
std::vector<KeyMetric> key_metrics(const report::NcuReport& report);

struct MissingData {
  std::string_view layer;  // source, ptx, ncu_metrics
  std::string description;
  std::string how_to_collect;  // a command that runs as it stands
  std::vector<std::string> warnings;
};

std::vector<MissingData> missing_data(const ExplainInput& input);

std::vector<std::string_view> layers_available(const ExplainInput& input);

// What several layers say of a label of the profile; null when nothing but the profile speaks of it.
const diagnose::Reconciled* reconciled_with(const ExplainInput& input, std::string_view label);
// Of findings about the kernels of the profile, the gravest first: those of other kernels are left out.
std::vector<const model::Finding*> source_findings(const ExplainInput& input, std::size_t limit);

}  // namespace frx::compose
