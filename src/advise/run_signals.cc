#include "advise/run_signals.h"

namespace frx::advise {

using model::RunFact;

// The documented thresholds. What was not measured is absent: it neither opens nor closes a rule.
SignalMap signals_of(const model::RunFacts& facts) {
  SignalMap signals;
  signals.set("framework_pytorch", true);
  if (!facts[RunFact::gpu_utilization_pct]) signals.set("gpu_activity_unknown", true);
  if (const auto& utilization = facts[RunFact::gpu_utilization_pct]) {
    signals.set("gpu_util_pct", *utilization);
    signals.set("low_gpu_activity", *utilization < 50);
    signals.set("very_low_gpu_activity", *utilization < 35);
  }
  if (const auto& instability = facts[RunFact::utilization_instability_pct]) signals.set("unstable_gpu_util", *instability > 20);
  if (const auto& input = facts[RunFact::input_fraction]) {
    signals.set("input_frac", *input);
    signals.set("input_pipeline_stalled", *input >= 0.20);
    signals.set("input_pipeline_severe", *input >= 0.40);
  }
  if (const auto& copy = facts[RunFact::copy_fraction]) {
    signals.set("h2d_frac", *copy);
    signals.set("h2d_copy_low", *copy < 0.05);
    signals.set("h2d_copy_stalled", *copy >= 0.15);
    signals.set("h2d_copy_severe", *copy >= 0.30);
  }
  if (const auto& sync = facts[RunFact::sync_fraction]) {
    signals.set("sync_frac", *sync);
    signals.set("sync_heavy", *sync >= 0.10);
    signals.set("sync_severe", *sync >= 0.25);
  }
  if (const auto& peak = facts[RunFact::memory_peak_ratio]) {
    signals.set("memory_peak_ratio", *peak);
    signals.set("memory_near_capacity", *peak >= 0.90);
    signals.set("memory_pressure_moderate", *peak >= 0.75 && *peak < 0.90);
  }
  if (const auto& volatility = facts[RunFact::shape_volatility]) {
    signals.set("shape_volatility", *volatility);
    signals.set("shapes_unstable", *volatility >= 0.30);
    signals.set("shapes_highly_unstable", *volatility >= 0.60);
  }
  if (const auto& busy = facts[RunFact::gpu_busy_fraction]) signals.set("gpu_kept_busy", *busy >= 0.85);
  const double windows = facts[RunFact::profiler_windows].value_or(0);
  signals.set("has_profiler_data", windows > 0);
  signals.set("profiler_windows", windows);
  return signals;
}

}  // namespace frx::advise
