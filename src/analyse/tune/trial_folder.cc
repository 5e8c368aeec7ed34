#include "analyse/tune/trial_folder.h"

#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>

#include "analyse/analyse.h"
#include "analyse/run_summary.h"
#include "answer/json.h"
#include "base/files.h"
#include "capture/program_run.h"
#include "capture/run_bundle/secrets.h"
#include "capture/run_bundle/yaml_text.h"
#include "model/bundle_paths.h"
#include "report/tune/window.h"

namespace frx::analyse {
namespace {

namespace fs = std::filesystem;
using answer::Json;
using report::TuneSettings;

constexpr std::uint64_t largest_config = 1 << 20, largest_log = std::uint64_t{32} << 20;

Json variables_json(const report::Variables& variables) {
  Json object = Json::object();
  for (const auto& [name, value] : variables) object[name] = value;
  return object;
}

Json patch_json(const report::TuneCandidate& candidate) {
  Json patch = Json::array();
  for (const report::TuneAction& action : candidate.actions)
    patch.push_back({{"action_id", action.id}, {"type", action.type}, {"tier", static_cast<int>(action.tier)}});
  return patch;
}

Json thresholds_json(const report::TuneLimits& limits) {
  return {{"min_speedup", limits.min_speedup},
          {"max_memory_ratio", limits.max_memory_ratio},
          {"max_step_time_regression", limits.max_step_time_regression},
          {"fewest_steps", limits.fewest_steps}};
}

Json quality_json(const report::TuneLimits& limits) {
  return {{"required", limits.quality_checks},
          {"finite_loss", limits.finite_loss},
          {"max_final_loss_regression", limits.max_final_loss_regression},
          {"max_loss_divergence", limits.max_loss_divergence},
          {"output_abs_tolerance", limits.output_abs_tolerance}};
}

bool has_text(const std::string& path, const std::string& expected) {
  const Result<std::string> text = read_file(path, largest_config);
  return text && *text == expected;
}

// quality.json, which the program may write. NaN and infinities are texts there.
void read_quality_file(const std::string& path, report::TuneQuality& quality) {
  std::error_code ignored;
  if (!fs::exists(path, ignored)) return;
  const Result<std::string> text = read_file(path, largest_config);
  if (!text) return;
  const Json all = Json::parse(*text, nullptr, false);
  if (!all.is_object()) return;
  for (const auto& [name, value] : all.items()) {
    if (value.is_number()) quality.reported[name] = value.get<double>();
    if (value == "nan") quality.reported[name] = std::numeric_limits<double>::quiet_NaN();
    if (value == "inf") quality.reported[name] = std::numeric_limits<double>::infinity();
    if (value == "-inf") quality.reported[name] = -std::numeric_limits<double>::infinity();
  }
}

Json measurement_json(const report::TuneRun& run) {
  return {{"scope", run.scope},
          {"steps", run.step_times_ms.size()},
          {"throughput_steps_per_sec", answer::json_or_null(run.throughput_steps_per_s)},
          {"throughput_samples_per_sec", answer::json_or_null(run.throughput_samples_per_s)},
          {"batch_size", answer::json_or_null(run.batch_size)},
          {"dominant_stall", run.dominant_stall},
          {"nan_count", run.quality.nan_count},
          {"inf_count", run.quality.inf_count},
          {"initial_loss", answer::json_or_null(run.quality.initial_loss)},
          {"final_loss", answer::json_or_null(run.quality.final_loss)},
          {"loss_slope", answer::json_or_null(run.quality.loss_slope)}};
}

}  // namespace

Json window_json(const report::TuneWindow& window) {
  return {{"warmup_steps", window.warmup_steps},
          {"measurement_steps", window.measurement_steps},
          {"repeat_count", window.repeat_count},
          {"timeout_s", window.timeout_s}};
}

std::string window_text(const report::TuneWindow& window) { return answer::json_text(window_json(window)); }

std::string trial_config_text(const TrialPlan& plan) {
  const TuneSettings& settings = plan.settings;
  return capture::yaml_text({{"name", plan.candidate.id},
                             {"label", plan.candidate.label},
                             {"stage", plan.stage == report::TuneStage::race ? "race" : "full"},
                             {"run", plan.number},
                             {"risk", report::name_of(plan.candidate.risk())},
                             {"tier", static_cast<int>(plan.candidate.tier())},
                             {"patch", patch_json(plan.candidate)},
                             {"env", variables_json(plan.candidate.variables())},
                             {"workload", capture::without_secrets(plan.command)},
                             {"benchmark_window", window_json(plan.window)},
                             {"sample_interval_ms", settings.sample_interval_ms},
                             {"thresholds", thresholds_json(settings.limits)},
                             {"quality_policy", quality_json(settings.limits)},
                             {"environment", {{"cpus", plan.environment.cpus}, {"gpu", plan.environment.gpu_name}}}});
}

Result<> prepare_trial_folder(const std::string& folder, const TrialPlan& plan) {
  std::error_code error;
  fs::remove_all(folder, error);
  for (const char* below : {"/raw", "/derived"}) {
    if (!error) fs::create_directories(folder + below, error);
  }
  if (error) return fail(ErrorKind::unreadable, "the folder of the trial cannot be made: {}", error.message()).at(folder);
  TRY(write_file(folder + "/config.yaml", trial_config_text(plan), Access::owner_only));
  return write_file(folder + "/benchmark_window.json", window_text(plan.window), Access::owner_only);
}

std::optional<report::TuneRun> finished_run(const std::string& folder, const TrialPlan& plan) {
  if (!has_text(folder + "/config.yaml", trial_config_text(plan))) return std::nullopt;
  if (!has_text(folder + "/benchmark_window.json", window_text(plan.window))) return std::nullopt;
  Result<report::TuneRun> run = read_run_record(folder + "/run.json");
  if (!run || run->exit_code == report::skipped_exit || run->exit_code == report::not_started_exit) return std::nullopt;
  return std::move(*run);
}

Result<TrialReading> read_trial_folder(const std::string& folder, const report::TuneWindow& window, report::TuneRun& run,
                                       Context& context) {
  TrialReading reading;
  if (const Result<std::string> errors = read_file(folder + "/stderr.log", largest_log)) {
    reading.ran_out_of_memory = run.exit_code != 0 && capture::says_out_of_memory(*errors);
  }
  Result<std::shared_ptr<const report::RunReport>> read = analyse_run(folder, context);
  if (!read) {
    if (read.error().kind == ErrorKind::stopped) return Failure{read.error()};
    if (run.failure.empty()) run.failure = "no trace data: " + in_one_line(read.error());
    return reading;
  }
  reading.report = std::move(*read);
  const report::RunReport& report = *reading.report;
  report::measure_window(report.steps(), window, run);
  reading.batch_size = report::usual_batch_size(report.steps());
  const model::RunFacts& facts = report.scope().facts;
  run.gpu_utilization_pct = facts[model::RunFact::gpu_utilization_pct];
  run.peak_memory_ratio = facts[model::RunFact::memory_peak_ratio];
  report::measure_gpus(report.record.samples, report.steps(), run);
  const diagnose::TrainingDiagnosis& diagnosis = report.scope().diagnosis;
  reading.bottleneck = diagnosis.user_facing.empty() ? diagnosis.primary : diagnosis.user_facing;
  read_quality_file(folder + "/quality.json", run.quality);
  TRY(write_run_summary(report, folder, {{"benchmark_window", window_json(window)}, {"measurement_window", measurement_json(run)}}));
  return reading;
}

}  // namespace frx::analyse
