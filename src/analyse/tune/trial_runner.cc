#include "analyse/tune/trial_runner.h"

#include <cstring>

#include "base/files.h"
#include "base/text.h"
#include "capture/gpu/gpu_meter.h"
#include "capture/gpu/gpu_sample.h"
#include "capture/gpu/gpu_sampler.h"
#include "capture/step_tail.h"
#include "model/bundle_paths.h"

namespace frx::analyse {
namespace {

namespace bundle = model::bundle;
using Clock = std::chrono::steady_clock;

// Why frx ended a run with which nothing was wrong, as run.json says it.
constexpr std::string_view window_is_full = "its window is full", is_hopeless = "hopeless", loss_is_not_finite = "its loss is not finite";

// Looks at the events of a run while it goes on.
class Watcher {
 public:
  Watcher(const TrialPlan& plan, const std::string& folder, const FateOf& fate_of)
      : plan_(plan), fate_of_(fate_of), tail_(folder + "/" + std::string(bundle::raw_trace)) {}

  // "" while it may go on.
  std::string reason_to_stop() {
    const std::vector<capture::LiveStep>& steps = tail_.read();
    if (steps.size() == seen_) return is_overdue() ? std::string(window_is_full) : std::string();
    seen_ = steps.size();
    const capture::LiveStep& last = steps.back();
    if (plan_.settings.limits.finite_loss && last.loss && !std::isfinite(*last.loss)) return std::string(loss_is_not_finite);
    if (seen_ >= plan_.window.max_steps()) {
      if (!full_at_) full_at_ = Clock::now();
      return is_overdue() ? std::string(window_is_full) : std::string();
    }
    return judge(steps);
  }

 private:
  // A program that goes on after FRX_TUNE_MAX_STEPS has the time of a few steps to write its last events and checkpoints.
  bool is_overdue() const {
    return full_at_ && Clock::now() - *full_at_ > std::max<Clock::duration>(std::chrono::seconds(5), (*full_at_ - begun_) / 4);
  }

  std::string judge(const std::vector<capture::LiveStep>& steps) const {
    if (!fate_of_ || steps.size() < plan_.window.warmup_steps + 2) return {};
    const std::vector<double> times = capture::step_times_ms(steps, plan_.window.warmup_steps);
    return fate_of_(times) == derive::tune::Fate::hopeless ? std::string(is_hopeless) : std::string();
  }

  const TrialPlan& plan_;
  const FateOf& fate_of_;
  capture::StepTail tail_;
  std::size_t seen_ = 0;
  Clock::time_point begun_ = Clock::now();
  std::optional<Clock::time_point> full_at_;
};

// The last line that it wrote to its standard error.
std::string last_error(const std::string& path) {
  const Result<std::string> text = read_file(path, std::uint64_t{32} << 20);
  if (!text) return {};
  const std::string_view said = trim(*text);
  return clip(printable(said.substr(said.rfind('\n') + 1)), 200);  // npos + 1 is 0
}

std::string failure_of_trial(const capture::TrialEnd& end, const TrialPlan& plan, const std::string& error_file) {
  if (!end.contained.empty()) return "ended by frx: " + end.contained;
  if (end.timed_out) return fmt::format("no end within {:g} s; --time-budget-s gives it more time", plan.window.timeout_s);
  if (!end.stopped.empty() || end.code() == 0) return {};
  const std::string said = last_error(error_file);
  const std::string how = end.signal != 0 ? fmt::format("killed by signal {} ({})", end.signal, ::strsignal(end.signal))
                                          : fmt::format("exit code {}", end.status);
  return said.empty() ? how : how + ": " + said;
}

void note_end(const capture::TrialEnd& end, const TrialPlan& plan, const std::string& folder, report::TuneRun& run) {
  run.seconds = std::chrono::duration<double>(end.took).count();
  run.stopped = end.stopped;
  run.failure = failure_of_trial(end, plan, folder + "/stderr.log");
  // A program that frx ended for no fault of its own ended well as far as it is known.
  run.exit_code = end.timed_out ? report::timed_out_exit : !end.stopped.empty() && end.contained.empty() ? 0 : end.code();
}

}  // namespace

capture::TrialProcess TrialRunner::process_of(const TrialPlan& plan, const std::string& folder) const {
  capture::TrialProcess process;
  process.argv = request_.command;
  process.argv.front() = request_.program;
  const report::TuneWindow& window = plan.window;
  process.environment = {{"FRX_TUNE_WARMUP_STEPS", fmt::to_string(window.warmup_steps)},
                         {"FRX_TUNE_MEASURE_STEPS", fmt::to_string(window.measurement_steps)},
                         {"FRX_TUNE_MAX_STEPS", fmt::to_string(window.max_steps())},
                         {"FRX_TUNE_REPEAT_COUNT", fmt::to_string(window.repeat_count)},
                         {"FRX_TUNE_BASELINE_DIR", plan.candidate.actions.empty() ? std::string() : folder_ + "/baseline"},
                         {"FRX_RUN_ID", plan.candidate.id},
                         {"FRX_JOB_NAME", request_.job_name},
                         {"FRX_OUTPUT_DIR", folder},
                         {"FRX_RAW_TRACE_PATH", folder + "/" + std::string(bundle::raw_trace)},
                         {"FRX_DERIVED_SUMMARY_PATH", folder + "/" + std::string(bundle::derived_summary)},
                         {"FRX_AUTO_PERSIST", "1"},
                         {"FRX_SAMPLE_INTERVAL_MS", fmt::to_string(request_.settings.sample_interval_ms)}};
  for (const auto& variable : plan.candidate.variables()) process.environment.push_back(variable);
  process.out_path = folder + "/stdout.log";
  process.err_path = folder + "/stderr.log";
  process.time_limit = std::chrono::milliseconds(static_cast<std::int64_t>(window.timeout_s * 1000));
  process.folder = folder;
  return process;
}

Result<RanTrial> TrialRunner::run_anew(const TrialPlan& plan, const std::string& name, const FateOf& fate_of) {
  RanTrial ran;
  const std::string folder = folder_ + "/" + name;
  TRY(prepare_trial_folder(folder, plan));
  ran.run.number = plan.number;
  ran.run.started_at = capture::utc_now();
  const std::chrono::milliseconds interval(std::max<std::size_t>(request_.settings.sample_interval_ms, capture::shortest_interval.count()));
  TRY_ASSIGN(capture::GpuSampler sampler,
             capture::GpuSampler::start({interval, folder + "/" + std::string(bundle::gpu_metrics)}, tools_.host));
  capture::GpuMeter meter =
      capture::GpuMeter::start({.interval = std::chrono::milliseconds(100), .idle = std::chrono::milliseconds(0)}, tools_.host);
  Watcher watcher(plan, folder, fate_of);
  capture::TrialProcess process = process_of(plan, folder);
  process.reason_to_stop = [&] { return watcher.reason_to_stop(); };
  const Result<capture::TrialEnd> end = tools_.run(process);
  ran.run.gpus = meter.stop().gpus;
  ran.gpus = sampler.stop();
  if (!end) {
    if (end.error().kind == ErrorKind::unreadable) return Failure{end.error()};
    ran.run.exit_code = report::not_started_exit;
    ran.run.failure = in_one_line(end.error());
    return ran;
  }
  ran.was_interrupted = end->interrupted_by != 0;
  if (!ran.was_interrupted) note_end(*end, plan, folder, ran.run);
  return ran;
}

Result<RanTrial> TrialRunner::run(const TrialPlan& plan, const std::string& name, const FateOf& fate_of) {
  const std::string folder = folder_ + "/" + name;
  RanTrial ran;
  if (std::optional<report::TuneRun> before = finished_run(folder, plan)) {
    ran.run = std::move(*before);
    ran.was_reused = true;
  } else {
    TRY_ASSIGN(ran, run_anew(plan, name, fate_of));
    if (ran.was_interrupted) return ran;
  }
  ran.run.folder = name;
  const std::string failure = ran.run.failure;  // without what reading adds: it is read again when the run is reused
  if (ran.run.exit_code != report::not_started_exit) {
    TRY_ASSIGN(ran.reading, read_trial_folder(folder, plan.window, ran.run, context_));
  }
  if (!ran.was_reused) {
    report::TuneRun record = ran.run;
    record.failure = failure;
    TRY(write_file(folder + "/run.json", run_record_text(record), Access::owner_only));
  }
  return ran;
}

}  // namespace frx::analyse
