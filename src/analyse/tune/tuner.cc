#include "analyse/tune/tuner.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>

#include "analyse/tune/trial_runner.h"
#include "analyse/tune/tune_progress.h"
#include "analyse/tune/tune_trials.h"
#include "base/files.h"
#include "base/text.h"
#include "capture/gpu/gpu_sample.h"
#include "compose/tune.h"
#include "knowledge/tuning.h"
#include "report/tune/candidates.h"
#include "report/tune/window.h"

namespace frx::analyse {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using derive::tune::RunRequest;
using derive::tune::Search;
using derive::tune::Stage;
using report::TuneCandidate;
using report::TuneReport;
using report::TuneStage;

// "race/dl_nw2_pin1", "baseline/repeat_002"
std::string folder_name(const TuneCandidate& candidate, TuneStage stage, std::size_t number, std::size_t repeat_count) {
  const std::string name = (stage == TuneStage::race ? "race/" : "") + candidate.id;
  return number == 1 && repeat_count <= 1 ? name : name + fmt::format("/repeat_{:03}", number);
}

derive::tune::SearchRules rules_of(const report::TuneSettings& settings) {
  derive::tune::SearchRules rules;
  rules.max_trials = settings.max_trials;
  rules.promote_count = settings.race_promote_count;
  rules.repeat_count = settings.window.repeat_count;
  rules.race = settings.race && settings.race_promote_count > 0 && settings.window.repeat_count <= 1 &&
               settings.window.measurement_steps > std::max<std::size_t>(1, settings.race_window.measurement_steps);
  rules.race_steps = settings.race_window.measurement_steps;
  rules.full_steps = settings.window.measurement_steps;
  rules.min_speedup = settings.limits.min_speedup;
  rules.max_memory_ratio = settings.limits.max_memory_ratio;
  rules.adaptive = settings.search != "grid";
  return rules;
}

class Tuner {
 public:
  Tuner(const TuneRequest& request, std::string folder, const knowledge::Tuning& tuning, Context& context, const TuneTools& tools)
      : request_(request),
        tuning_(tuning),
        tools_(tools),
        report_(std::make_shared<TuneReport>()),
        trials_(*report_),
        progress_(tools.say, *report_),
        runner_(request, std::move(folder), context, tools) {}

  Result<> run();
  std::shared_ptr<const TuneReport> report() const { return report_; }

 private:
  void begin();
  Result<bool> run_baseline();
  void learn_from_baseline(const RanTrial& ran);
  void find_focus(const std::string& bottleneck);
  Result<> make_pool();
  Result<> skip(const TuneCandidate& candidate, std::vector<std::string> reasons);
  Result<> search();
  Result<RanTrial> perform(const RunRequest& request, const FateOf& fate_of);
  Result<bool> perform_for(Search& search, const RunRequest& request);
  Result<> keep();
  Result<> write_metrics(const report::TuneTrial& trial) const;
  TrialPlan plan_of(const RunRequest& request) const;

  const TuneRequest& request_;
  const knowledge::Tuning& tuning_;
  const TuneTools& tools_;
  std::shared_ptr<TuneReport> report_;
  TuneTrials trials_;
  TuneProgress progress_;
  TrialRunner runner_;
  std::optional<double> batch_size_;
  Clock::time_point begun_ = Clock::now();
};

void Tuner::begin() {
  report_->job_name = request_.job_name;
  report_->folder = request_.folder;
  report_->id = fs::path(runner_.folder()).filename().string();
  report_->command = request_.command;
  report_->settings = request_.settings;
  report_->started_at = capture::utc_now();
  report_->environment.cpus = std::max(1U, std::thread::hardware_concurrency());
  report_->baseline.candidate.id = report_->baseline.candidate.label = "baseline";
  report_->baseline.window = request_.settings.window;
  progress_.begin();
}

TrialPlan Tuner::plan_of(const RunRequest& request) const {
  const bool is_race = request.stage == Stage::race;
  return {trials_.candidate_of(request),
          is_race ? TuneStage::race : TuneStage::full,
          request.number,
          is_race ? request_.settings.race_window : request_.settings.window,
          request_.command,
          request_.settings,
          report_->environment};
}

// A run during which a GPU was slowed down is made once more, and the second one counts.
Result<RanTrial> Tuner::perform(const RunRequest& request, const FateOf& fate_of) {
  const TrialPlan plan = plan_of(request);
  const std::string name = folder_name(plan.candidate, plan.stage, plan.number, request_.settings.window.repeat_count);
  TRY_ASSIGN(RanTrial ran, runner_.run(plan, name, fate_of));
  if (!ran.was_interrupted && ran.run.was_throttled()) {
    progress_.throttled(ran.run);
    report_->reused_runs += ran.was_reused ? 1 : 0;
    trials_.add_repeated(request, std::move(ran.run));
    TRY_ASSIGN(ran, runner_.run(plan, name + "/after_throttling", fate_of));
  }
  if (ran.was_interrupted) report_->unfinished = "interrupted";
  report_->reused_runs += ran.was_reused ? 1 : 0;
  return ran;
}

Result<bool> Tuner::run_baseline() {
  TRY_ASSIGN(RanTrial ran, perform({std::nullopt, Stage::baseline, 1}, {}));
  if (ran.was_interrupted) return false;
  learn_from_baseline(ran);
  const report::TuneRun run = trials_.add({std::nullopt, Stage::baseline, 1}, std::move(ran.run)).runs.front();
  trials_.set_race_view();
  progress_.baseline_done();
  if (run.exit_code != 0 || !run.failure.empty())
    return fail(ErrorKind::negative, "the baseline failed, so there is nothing to compare with: {}",
                run.failure.empty() ? fmt::format("exit code {}", run.exit_code) : run.failure)
        .at(report_->folder + "/" + run.folder)
        .hint(run.exit_code != 0 ? "see stderr.log there" : "the program has to record its steps with the fournex SDK: frx init shows how");
  if (run.step_times_ms.empty())
    return fail(ErrorKind::negative, "the baseline recorded no steps, so there is nothing to compare with")
        .at(report_->folder + "/" + run.folder)
        .hint("the program has to record its steps with the fournex SDK (frx init shows how), and more of them than --warmup-steps");
  return true;
}

void Tuner::learn_from_baseline(const RanTrial& ran) {
  report::TuneEnvironment& environment = report_->environment;
  if (!ran.run.gpus.empty()) {
    environment.gpu_name = ran.run.gpus.front().name;
    environment.has_cuda = true;
  } else if (!tools_.host.exists("/dev/nvidiactl") && !tools_.host.exists("/dev/dxg")) {
    environment.has_cuda = false;
  }
  if (ran.run.peak_memory_ratio && *ran.run.peak_memory_ratio > 0) environment.memory_headroom = 1 - *ran.run.peak_memory_ratio;
  if (ran.reading.report)
    environment.dynamic_shapes = report::has_dynamic_shapes(ran.reading.report->steps(), request_.settings.window, tuning_);
  batch_size_ = ran.reading.batch_size;
  find_focus(ran.reading.bottleneck);
}

void Tuner::find_focus(const std::string& bottleneck) {
  const std::string& asked = request_.settings.bottleneck;
  report_->focus = report::focus_of(asked.empty() ? bottleneck : asked, tuning_);
  report_->focus_from = report_->focus.empty() ? "" : asked.empty() ? "baseline" : "--bottleneck";
}

Result<> Tuner::skip(const TuneCandidate& candidate, std::vector<std::string> reasons) {
  const TrialPlan plan{candidate, TuneStage::full, 1, request_.settings.window, request_.command, request_.settings, report_->environment};
  const std::string folder = runner_.folder() + "/" + candidate.id;
  TRY(prepare_trial_folder(folder, plan));
  TRY(write_file(folder + "/stdout.log", "", Access::owner_only));
  std::string lines;
  for (const std::string& reason : reasons) lines += reason + "\n";
  TRY(write_file(folder + "/stderr.log", lines, Access::owner_only));
  trials_.add_skipped(candidate, std::move(reasons));
  progress_.skipped(report_->trials.back());
  return write_metrics(report_->trials.back());
}

// Candidates that may be run. Documented ones that may not are told, with the reason, as far as they would have been tried.
Result<> Tuner::make_pool() {
  const report::TuneQuestion question{report_->focus, batch_size_, report_->environment, request_.settings};
  report::TuneCandidates made = report::candidates_for(question, tuning_);
  for (std::string& note : made.notes) report_->notes.push_back(std::move(note));
  const auto is_documented = [](const TuneCandidate& one) { return one.is_documented; };
  report_->generated = static_cast<std::size_t>(std::ranges::count_if(made.candidates, is_documented));
  progress_.candidates_made(std::min(*report_->generated, request_.settings.max_trials));
  const bool is_grid = request_.settings.search == "grid";
  std::vector<TuneCandidate> pool;
  std::size_t documented = 0;
  for (TuneCandidate& candidate : made.candidates) {
    documented += candidate.is_documented ? 1 : 0;
    if (is_grid && (!candidate.is_documented || documented > request_.settings.max_trials)) continue;
    std::vector<std::string> reasons = report::rejected_by_safety(candidate, question, tuning_);
    if (reasons.empty()) {
      pool.push_back(std::move(candidate));
    } else if (candidate.is_documented && documented <= request_.settings.max_trials) {
      TRY(skip(candidate, std::move(reasons)));
    }
  }
  trials_.set_pool(std::move(pool));
  return {};
}

Result<bool> Tuner::perform_for(Search& search, const RunRequest& request) {
  const TuneStage stage = request.stage == Stage::race ? TuneStage::race : TuneStage::full;
  const bool is_first_baseline = !request.configuration && request.number == 1;  // which has been run before the search began
  if (is_first_baseline) {
    search.record(request, trials_.outcome_of(request, report_->baseline.runs.front(), false));
    return true;
  }
  progress_.run_begins(trials_.candidate_of(request), stage, search.expected_runs(request.stage));
  const double scale = trials_.scale_of(request);
  TRY_ASSIGN(RanTrial ran, perform(request, [&](std::span<const double> times) {
               std::vector<double> scaled(times.begin(), times.end());
               for (double& time : scaled) time *= scale;
               return search.fate_of(request, scaled);
             }));
  if (ran.was_interrupted) return false;
  search.record(request, trials_.outcome_of(request, ran.run, ran.reading.ran_out_of_memory));
  const report::TuneRun run = ran.run;
  const report::TuneTrial& trial = trials_.add(request, std::move(ran.run));
  progress_.run_ended(trial, run, ran.was_reused);
  trials_.conclude(search.result());
  TRY(keep());
  return true;
}

Result<> Tuner::search() {
  std::vector<derive::tune::Configuration> configurations;
  std::vector<std::string> labels;
  for (const TuneCandidate& candidate : trials_.pool()) {
    configurations.push_back({candidate.variables(), candidate.is_documented});
    labels.push_back(candidate.id);
  }
  derive::tune::SearchRules rules = rules_of(request_.settings);
  if (batch_size_) rules.baseline = {{"FRX_BATCH_SIZE", fmt::format("{:g}", *batch_size_)}};
  Search search(std::move(configurations), std::move(labels), rules);
  report_->unfinished = "interrupted";  // as it is kept until the search is over
  while (const std::optional<RunRequest> request = search.next()) {
    TRY_ASSIGN(const bool goes_on, perform_for(search, *request));
    if (!goes_on) return keep();
  }
  report_->unfinished.clear();
  const derive::tune::SearchResult result = search.result();
  trials_.conclude(result);
  report_->notes.insert(report_->notes.end(), result.notes.begin(), result.notes.end());
  return keep();
}

// metrics.json, where the runs of the trial are.
Result<> Tuner::write_metrics(const report::TuneTrial& trial) const {
  const std::string name = (trial.stage == TuneStage::race ? "race/" : "") + trial.candidate.id;
  return write_file(runner_.folder() + "/" + name + "/metrics.json", compose::metrics_json(trial), Access::owner_only);
}

Result<> Tuner::keep() {
  report_->seconds = std::chrono::duration<double>(Clock::now() - begun_).count();
  TRY(write_metrics(report_->baseline));
  for (const report::TuneTrial& trial : report_->trials) TRY(write_metrics(trial));
  return tools_.save ? tools_.save(*report_) : Result<>();
}

Result<> Tuner::run() {
  begin();
  TRY_ASSIGN(const bool has_baseline, run_baseline());
  if (!has_baseline) return {};
  TRY(make_pool());
  return search();
}

}  // namespace

Result<std::shared_ptr<const report::TuneReport>> tune(const TuneRequest& request, Context& context, const TuneTools& tools) {
  TRY_ASSIGN(const knowledge::Knowledge* known, context.knowledge());
  TRY_ASSIGN(const knowledge::Tuning tuning, knowledge::Tuning::load(known->library));
  std::error_code error;
  std::string folder = fs::absolute(request.folder, error).lexically_normal().string();
  if (error) return fail(ErrorKind::unreadable, "{}", error.message()).at(request.folder);
  while (folder.size() > 1 && folder.ends_with('/')) folder.pop_back();
  Tuner tuner(request, std::move(folder), tuning, context, tools);
  TRY(tuner.run());
  return tuner.report();
}

}  // namespace frx::analyse
