#include "derive/steps/facts.h"

#include <algorithm>
#include <vector>

#include "derive/steps/mean.h"
#include "derive/steps/parts.h"
#include "derive/steps/samples.h"
#include "derive/steps/selection.h"
#include "derive/steps/shapes.h"

namespace frx::derive::steps {
namespace {

using model::RunFact;
using model::RunFacts;
using model::StepTable;

constexpr RunFact shares[] = {RunFact::input_wait_fraction, RunFact::input_fraction,         RunFact::copy_fraction,
                              RunFact::sync_fraction,       RunFact::communication_fraction, RunFact::allocator_fraction,
                              RunFact::first_use_fraction,  RunFact::host_fraction,          RunFact::device_fraction,
                              RunFact::unknown_fraction,    RunFact::compute_fraction,       RunFact::gpu_busy_fraction};

using Rows = std::span<const std::size_t>;

// Of a trace: of all time of the steps, so that a short one counts little, and without idle gaps that happen once.
std::optional<double> share_of_time(const StepTable& table, const model::GpuSteps& gpu, RunFact fraction, Rows rows) {
  std::int64_t parts = 0, all = 0;
  for (const std::size_t row : rows) {
    const std::optional<std::int64_t> part = part_of(table, &gpu, fraction, row);
    if (!part || table.total_ns(row) <= 0) continue;
    parts += *part;
    all += table.total_ns(row) - (gpu.steps[row].span - gpu.usual_time(row).span);
  }
  return all > 0 ? std::optional(share(parts, all)) : std::nullopt;
}

std::optional<double> mean_share(const StepTable& table, const model::GpuSteps* gpu, RunFact fraction, Rows rows) {
  if (gpu && table.source != model::StepSource::program) return share_of_time(table, *gpu, fraction, rows);
  Mean mean;
  for (const std::size_t row : rows) {
    const std::optional<std::int64_t> part = part_of(table, gpu, fraction, row);
    if (part && table.total_ns(row) > 0) mean.add(share(*part, table.total_ns(row)));
  }
  return mean.value();
}

void set_kernels(const StepTable& table, Rows rows, RunFacts& facts) {
  Mean kernels, median, small;
  for (const std::size_t row : rows) {
    if (table.total_ns(row) <= 0) continue;
    if (table.kernels[row].value_or(0) > 0) kernels.add(table.kernels[row]);
    if (table.median_kernel_ns[row]) median.add(*table.median_kernel_ns[row] / 1000);
    // As in docs/contract.md: steps of a stream without small kernels are left out.
    if (table.small_kernels[row].value_or(0) > 0 || table.source != model::StepSource::program) small.add(table.small_kernels[row]);
  }
  facts.set(RunFact::kernels_per_step, kernels.value());
  facts.set(RunFact::median_kernel_us, median.value());
  facts.set(RunFact::small_kernel_fraction, small.value());
}

void set_shapes(const StepTable& table, Rows rows, RunFacts& facts) {
  const std::optional<ShapeVolatility> volatility = volatility_of(table, rows);
  if (!volatility) return;
  facts.set(RunFact::shape_volatility, volatility->ratio);
  facts.set(RunFact::shape_changes, static_cast<double>(volatility->changes));
  facts.set(RunFact::shape_pairs, static_cast<double>(volatility->pairs));
}

// A trace is one recording of kernels; the program says how many of them ended in its steps.
std::optional<double> windows_of(const StepTable& table, const model::GpuSteps* gpu, Rows rows) {
  if (gpu) return 1;
  double windows = 0;
  for (const std::size_t row : rows) windows += table.windows[row].value_or(0);
  return windows > 0 ? std::optional(windows) : std::nullopt;
}

}  // namespace

RunFacts facts_of(const StepTable& table, const model::GpuSteps* gpu, std::size_t skipped) {
  RunFacts facts;
  const std::vector<std::size_t> rows = completed_rows(table, skipped);
  if (std::ranges::any_of(rows, [&](std::size_t row) { return table.total_ns(row) > 0; }))
    facts.set(RunFact::steps, static_cast<double>(rows.size()));
  for (const RunFact fraction : shares) facts.set(fraction, mean_share(table, gpu, fraction, rows));
  if (const auto& busy = facts[RunFact::gpu_busy_fraction]) facts.set(RunFact::gpu_utilization_pct, 100 * *busy);
  facts.set(RunFact::profiler_windows, windows_of(table, gpu, rows));
  set_kernels(table, rows, facts);
  set_shapes(table, rows, facts);
  return facts;
}

RunFacts facts_of(std::span<const StepTable> tables, std::span<const model::GpuSample> samples, std::size_t skipped) {
  std::vector<RunFacts> each;
  for (const StepTable& table : tables) {
    for (const model::GpuSteps& gpu : table.gpus) each.push_back(facts_of(table, &gpu, skipped));
    if (table.gpus.empty()) each.push_back(facts_of(table, nullptr, skipped));
  }
  // A process without a GPU does not describe those that have one.
  const auto has_gpu = [](const RunFacts& facts) { return facts[RunFact::gpu_busy_fraction].has_value(); };
  if (std::ranges::any_of(each, has_gpu)) std::erase_if(each, [&](const RunFacts& facts) { return !has_gpu(facts); });
  RunFacts all;
  for (std::size_t i = 0; i < model::run_fact_count; ++i) {
    Mean mean;
    for (const RunFacts& facts : each) mean.add(facts[static_cast<RunFact>(i)]);
    all.set(static_cast<RunFact>(i), mean.value());
  }
  if (all[RunFact::steps]) add_samples(samples, time_frame(tables, skipped), all);
  return all;
}

}  // namespace frx::derive::steps
