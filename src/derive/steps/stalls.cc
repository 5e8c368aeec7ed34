#include "derive/steps/stalls.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "derive/steps/parts.h"
#include "derive/steps/selection.h"

namespace frx::derive::steps {
namespace {

using model::RunFact;
using model::StepTable;

// In the order in which the first of equal ones counts.
constexpr std::pair<std::string_view, RunFact> stalls[] = {{"input_bound", RunFact::input_fraction},
                                                           {"copy_bound", RunFact::copy_fraction},
                                                           {"sync_bound", RunFact::sync_fraction},
                                                           {"communication_bound", RunFact::communication_fraction}};
// Idle time that is no dominant stall of docs/contract.md.
constexpr std::pair<std::string_view, RunFact> other_idle_time[] = {{"host_bound", RunFact::host_fraction},
                                                                    {"allocator_bound", RunFact::allocator_fraction},
                                                                    {"device_wait", RunFact::device_fraction},
                                                                    {"cold_start", RunFact::first_use_fraction}};

std::string dominant_stall_of_sums(const StepTable& table, std::size_t skipped) {
  std::string best = "unknown";
  double most = 0, phases = 0;
  const std::vector<std::size_t> rows = completed_rows(table, skipped);
  for (const auto& [name, fraction] : stalls) {
    double sum = 0;
    for (const std::size_t row : rows) sum += static_cast<double>(part_of(table, nullptr, fraction, row).value_or(0));
    if (sum > most) best = name;
    most = std::max(most, sum);
  }
  for (const std::size_t row : rows) phases += static_cast<double>(table.phases_ns(row));
  return best == "unknown" && phases > 0 ? "compute_bound" : best;
}

std::optional<double> idle_share(const StepTable& table, const model::GpuSteps* gpu, std::size_t row) {
  if (gpu) return 1 - share(gpu->steps[row].busy(), table.total_ns(row));
  // The phases of a trace are the time of the CPU in them; a program that measures its own phases times the GPU.
  const std::int64_t phases = table.source == model::StepSource::program ? table.phases_ns(row) : 0;
  return phases > 0 ? std::optional(1 - share(phases, table.total_ns(row))) : std::nullopt;
}

std::optional<double> value_of(const StepTable& table, std::size_t row, std::string_view label) {
  const model::GpuSteps* gpu = table.gpus.empty() ? nullptr : &table.gpus.front();
  if (label == "underutilized_gpu" || label == "launch_bound") return idle_share(table, gpu, row);
  if (label == "shape_instability") return table.shape_changed(row).value_or(false) ? 1 : 0;
  std::optional<std::int64_t> part;
  for (const auto& [name, fraction] : stalls) {
    if (label == name) part = part_of(table, gpu, fraction, row);
  }
  for (const auto& [name, fraction] : other_idle_time) {
    if (label == name) part = part_of(table, gpu, fraction, row);
  }
  return part ? std::optional(share(*part, table.total_ns(row))) : std::nullopt;
}

}  // namespace

std::string dominant_stall(const model::RunFacts& facts) {
  // A small part of the step dominates nothing.
  constexpr double worth_naming = 0.05;
  std::string best = "unknown";
  double most = 0;
  for (const auto& [name, fraction] : stalls) {
    const double value = facts[fraction].value_or(0);
    if (value > most) best = name;
    most = std::max(most, value);
  }
  if (most >= worth_naming) return best;
  return facts[RunFact::compute_fraction].value_or(0) > 0 ? "compute_bound" : "unknown";
}

std::string dominant_stall(std::span<const StepTable> tables, const model::RunFacts& facts, std::size_t skipped) {
  const bool of_program = tables.size() == 1 && tables.front().source == model::StepSource::program;
  return of_program ? dominant_stall_of_sums(tables.front(), skipped) : dominant_stall(facts);
}

std::vector<model::StepValue> worst_steps(std::span<const StepTable> tables, std::size_t skipped, std::string_view label) {
  std::vector<model::StepValue> values;
  const bool of_shapes = label == "shape_instability";
  for (const StepTable& table : tables) {
    const std::vector<std::size_t> rows = completed_rows(table, skipped);
    for (const std::size_t row : rows) {
      // The first one changed against a step that is left out.
      if (of_shapes && row == rows.front() && table.source != model::StepSource::program) continue;
      if (table.total_ns(row) <= 0) continue;
      if (const auto value = value_of(table, row, label); value && *value > 0) values.push_back({table.ids[row], *value});
    }
  }
  std::ranges::stable_sort(values, std::ranges::greater{}, &model::StepValue::value);
  constexpr std::size_t most = 3;
  if (!of_shapes) values.resize(std::min(most, values.size()));
  return values;
}

}  // namespace frx::derive::steps
