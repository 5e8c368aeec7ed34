#include "report/tune/summary_figures.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "ingest/run_events/json_fields.h"

namespace frx::report {
namespace {

using ingest::Json;

// "": the file itself.
constexpr std::array<const char*, 4> summary_scopes = {"measurement_window", "steady_state", "run", ""};
constexpr std::array<const char*, 7> quality_numbers = {
    "validation_loss", "accuracy", "perplexity", "gradient_norm", "parameter_norm", "max_output_abs_diff", "max_output_rel_diff"};

const Json& member(const Json& object, const char* key) {
  static const Json nothing = Json::object();
  const auto found = object.find(key);
  return found != object.end() && found->is_object() ? *found : nothing;
}

std::optional<double> positive(const Json& object, const char* key) {
  const std::optional<double> value = ingest::number(object, key);
  return value && *value > 0 && std::isfinite(*value) ? value : std::nullopt;
}

// Of the scope's `quality`, else of its `run_summary`.
std::optional<double> quality_number(const Json& scope, const char* key) {
  const std::optional<double> value = ingest::number(member(scope, "quality"), key);
  return value ? value : ingest::number(member(scope, "run_summary"), key);
}

void take_quality(const Json& scope, TuneQuality& quality) {
  for (const char* key : quality_numbers) {
    if (quality.reported.contains(key)) continue;
    if (const std::optional<double> value = quality_number(scope, key)) quality.reported[key] = *value;
  }
}

void take_losses(const Json& scope, TuneQuality& quality) {
  const auto count = [&](const char* key) {
    return static_cast<std::size_t>(std::clamp(quality_number(scope, key).value_or(0), 0.0, 1e9));
  };
  quality.nan_count = count("nan_count");
  quality.inf_count = count("inf_count");
  quality.initial_loss = quality_number(scope, "initial_loss");
  quality.final_loss = quality_number(scope, "final_loss");
  quality.loss_slope = quality_number(scope, "loss_slope");
}

void take_throughput(const Json& scope, std::string_view name, TuneRun& run) {
  const std::optional<double> throughput = positive(member(scope, "run_summary"), "throughput_steps_per_sec");
  if (!run.scope.empty() || !throughput) return;
  run.scope = name;
  run.throughput_steps_per_s = throughput;
  run.step_count = static_cast<std::size_t>(std::min(positive(scope, "step_count").value_or(0), 1e12));
  take_losses(scope, run.quality);
}

void take_figures(const Json& scope, TuneRun& run) {
  const Json& figures = member(scope, "run_summary");
  if (!run.gpu_utilization_pct) run.gpu_utilization_pct = positive(figures, "average_gpu_utilization_pct");
  if (!run.peak_memory_ratio) run.peak_memory_ratio = positive(figures, "memory_pressure_peak_ratio");
  const std::string stall = ingest::text(figures, "dominant_stall_type");
  if (run.dominant_stall.empty() && stall != "unknown") run.dominant_stall = stall == "compute_bound" ? "none" : stall;
}

}  // namespace

Result<> take_summary(std::string_view content, TuneRun& run) {
  const Json json = Json::parse(content, nullptr, false);
  if (!json.is_object()) return fail(ErrorKind::malformed, "expected an object of JSON");
  for (const char* name : summary_scopes) {
    const bool is_bare = *name == '\0';
    const Json& scope = is_bare ? json : member(json, name);
    take_quality(scope, run.quality);
    take_throughput(scope, is_bare ? "bare" : name, run);
    take_figures(scope, run);
  }
  return {};
}

}  // namespace frx::report
