#include "report/tune/window.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "derive/steps/facts.h"
#include "derive/steps/samples.h"
#include "derive/steps/selection.h"
#include "derive/steps/shapes.h"
#include "derive/steps/stalls.h"

namespace frx::report {
namespace {

namespace steps = derive::steps;
using model::HostTime;
using model::StepTable;

constexpr double ns_per_ms = 1e6;

struct WindowSlice {
  std::string_view scope;
  std::size_t begin = 0, end = 0;  // of the completed steps
};

WindowSlice slice_of(std::size_t completed, const TuneWindow& window) {
  if (completed > window.warmup_steps)
    return {"measurement_window", window.warmup_steps, std::min(completed, window.warmup_steps + window.measurement_steps)};
  if (completed >= steps::steps_of_warm_up + steps::least_steady_steps) return {"steady_state", steps::steps_of_warm_up, completed};
  return {completed > 0 ? "run" : "", 0, completed};
}

std::vector<std::size_t> rows_by_id(const StepTable& table) {
  std::vector<std::size_t> rows(table.size());
  for (std::size_t row = 0; row < rows.size(); ++row) rows[row] = row;
  std::ranges::stable_sort(rows, {}, [&](std::size_t row) { return table.ids[row]; });
  return rows;
}

std::vector<std::size_t> completed_by_id(const StepTable& table) {
  std::vector<std::size_t> rows = rows_by_id(table);
  std::erase_if(rows, [&](std::size_t row) { return !table.completed(row); });
  return rows;
}

// Everything since the step before ended counts: the loader, and what the program does between steps.
std::int64_t time_since_last_end(const StepTable& table, std::size_t row, std::optional<std::size_t> before) {
  const std::optional<std::int64_t> end = table.end_ns[row], last = before ? table.end_ns[*before] : std::nullopt;
  return end && last && *end > *last ? *end - *last : table.total_ns(row);
}

std::optional<double> batch_of(const StepTable& table, std::size_t row) {
  const std::optional<std::int64_t> batch = table.batch_size[row];
  return batch && *batch > 0 ? std::optional(static_cast<double>(*batch)) : std::nullopt;
}

std::vector<TuneStep> steps_of(const StepTable& table) {
  std::vector<TuneStep> all;
  std::optional<std::size_t> before;
  for (const std::size_t row : rows_by_id(table)) {
    if (table.completed(row)) {
      const double ms = static_cast<double>(time_since_last_end(table, row, before)) / ns_per_ms;
      all.push_back({ms, batch_of(table, row), table.loss[row]});
    }
    before = row;
  }
  return all;
}

// Change of `values` from one step to the next, by least squares; the places of values are their numbers.
std::optional<double> slope_of(const std::vector<std::pair<double, double>>& values) {
  if (values.size() < 2) return std::nullopt;
  double x = 0, y = 0, xx = 0, xy = 0;
  for (const auto& [place, value] : values) {
    x += place / static_cast<double>(values.size());
    y += value / static_cast<double>(values.size());
  }
  for (const auto& [place, value] : values) {
    xx += (place - x) * (place - x);
    xy += (place - x) * (value - y);
  }
  return xy / xx;
}

void measure_losses(std::span<const TuneStep> window, TuneQuality& quality) {
  quality.nan_count = quality.inf_count = 0;
  quality.initial_loss = quality.final_loss = quality.loss_slope = std::nullopt;
  std::vector<std::pair<double, double>> finite;
  std::optional<double> last;
  for (std::size_t i = 0; i < window.size(); ++i) {
    const std::optional<double>& loss = window[i].loss;
    if (!loss) continue;
    last = loss;
    quality.nan_count += std::isnan(*loss);
    quality.inf_count += std::isinf(*loss);
    if (std::isfinite(*loss)) finite.emplace_back(static_cast<double>(i), *loss);
  }
  if (finite.empty()) return;
  quality.initial_loss = finite.front().second;
  // An earlier one is no measure for the end, where losses are smaller.
  if (std::isfinite(*last)) quality.final_loss = last;
  quality.loss_slope = slope_of(finite);
}

void measure_times(std::span<const TuneStep> window, TuneRun& run) {
  run.step_times_ms.clear();
  run.batch_size = run.throughput_steps_per_s = run.throughput_samples_per_s = std::nullopt;
  double ms = 0, samples = 0;
  bool all_have_batch = true, all_equal = true;
  for (const TuneStep& step : window) {
    if (step.ms <= 0) continue;
    run.step_times_ms.push_back(step.ms);
    ms += step.ms;
    samples += step.batch_size.value_or(0);
    all_have_batch = all_have_batch && step.batch_size;
    all_equal = all_equal && step.batch_size == window.front().batch_size;
  }
  if (run.step_times_ms.empty()) return;
  run.throughput_steps_per_s = 1000 * static_cast<double>(run.step_times_ms.size()) / ms;
  if (all_have_batch) run.throughput_samples_per_s = 1000 * samples / ms;
  if (all_have_batch && all_equal) run.batch_size = window.front().batch_size;
}

// "unknown" is no stall that was seen: "none" where stalls would have been recorded, else "".
std::string window_stall(const StepTable& table, std::span<const std::size_t> rows) {
  StepTable cut = table;
  cut.status.assign(table.size(), "cancelled");
  for (const std::size_t row : rows) cut.status[row] = "ok";
  const std::span<const StepTable> tables(&cut, 1);
  const std::string stall = steps::dominant_stall(tables, steps::facts_of(tables, {}, 0), 0);
  if (stall != "unknown" && stall != "compute_bound") return stall;
  const bool is_recorded = !table.gpus.empty() || table.recorded(HostTime::loader) || table.recorded(HostTime::loader_before) ||
                           table.recorded(HostTime::host_to_device) || table.recorded(HostTime::sync);
  return is_recorded ? "none" : "";
}

std::span<const std::size_t> rows_in(const std::vector<std::size_t>& rows, const TuneWindow& window) {
  const WindowSlice slice = slice_of(rows.size(), window);
  return std::span(rows).subspan(slice.begin, slice.end - slice.begin);
}

}  // namespace

void measure_steps(const TuneWindow& window, TuneRun& run) {
  const WindowSlice slice = slice_of(run.steps.size(), window);
  const std::span<const TuneStep> inside = std::span(run.steps).subspan(slice.begin, slice.end - slice.begin);
  run.scope = slice.scope;
  run.step_count = run.steps.size();
  measure_times(inside, run);
  measure_losses(inside, run.quality);
}

void measure_window(const StepTable& table, const TuneWindow& window, TuneRun& run) {
  run.steps = steps_of(table);
  measure_steps(window, run);
  const std::vector<std::size_t> rows = completed_by_id(table);
  run.dominant_stall = rows.empty() ? "" : window_stall(table, rows_in(rows, window));
}

void measure_gpus(std::span<const model::GpuSample> samples, const StepTable& table, TuneRun& run) {
  model::RunFacts facts;
  steps::add_samples(samples, steps::time_frame({&table, 1}, 0), facts);
  if (const auto& utilization = facts[model::RunFact::gpu_utilization_pct]) run.gpu_utilization_pct = utilization;
  if (const auto& memory = facts[model::RunFact::memory_peak_ratio]) run.peak_memory_ratio = memory;
}

std::optional<double> usual_batch_size(const StepTable& table) {
  std::map<double, std::size_t> counts;
  for (std::size_t row = 0; row < table.size(); ++row) {
    if (const std::optional<double> batch = batch_of(table, row)) ++counts[*batch];
  }
  std::optional<double> usual;
  std::size_t most = 0;
  for (const auto& [batch, count] : counts) {
    if (count >= most) usual = batch;
    most = std::max(most, count);
  }
  return usual;
}

std::optional<bool> has_dynamic_shapes(const StepTable& table, const TuneWindow& window, const knowledge::Tuning& tuning) {
  const std::vector<std::size_t> rows = completed_by_id(table);
  const std::optional<steps::ShapeVolatility> shapes = steps::volatility_of(table, rows_in(rows, window));
  if (!shapes || shapes->pairs == 0) return std::nullopt;
  const knowledge::TuningLimits& limits = tuning.limits();
  return shapes->ratio >= limits.dynamic_shapes_share && shapes->changes >= limits.dynamic_shapes_changes;
}

}  // namespace frx::report
