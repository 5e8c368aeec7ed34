#include "analyse/tune/tune_progress.h"

#include <algorithm>

#include "base/shell_words.h"
#include "base/text.h"

namespace frx::analyse {
namespace {

using report::TuneRun;
using report::TuneStage;
using report::TuneTrial;

std::string command_words(const std::vector<std::string>& command) {
  std::string words;
  for (const std::string& word : command) words += (words.empty() ? "" : " ") + shell_quote(word);
  return printable(words);
}

std::string rate_words(const std::optional<double>& steps_per_s) {
  return steps_per_s ? fmt::format("{:.2f} steps/sec", *steps_per_s) : std::string("no steps");
}

// "[PASS]", "[RACE]", "[FAIL]"; six blanks where it neither failed nor is fast enough.
std::string_view tag_of(const TuneTrial& trial, double min_speedup) {
  if (!trial.passed_guards()) return "[FAIL]";
  if (trial.stage == TuneStage::race) return "[RACE]";
  return trial.throughput_delta.value_or(0) >= min_speedup ? "[PASS]" : "      ";
}

}  // namespace

template <typename... Values>
void TuneProgress::line(fmt::format_string<Values...> words, Values&&... values) const {
  if (say_) say_(fmt::format(words, std::forward<Values>(values)...));
}

void TuneProgress::begin() const {
  line("frx autopilot — starting tune run {}", report_.id);
  line("  Workload : {}", command_words(report_.command));
  line("  Max trials: {} | Time budget: {:g}s/trial", report_.settings.max_trials, report_.settings.window.timeout_s);
  line("Running baseline...");
}

void TuneProgress::baseline_done() const {
  const TuneTrial& baseline = report_.baseline;
  line("  Baseline: {} (exit={}, steps={})", rate_words(baseline.throughput), baseline.exit_code, baseline.step_count);
}

void TuneProgress::candidates_made(std::size_t count) const {
  if (!report_.focus.empty()) line("Focus: {} (from {})", report_.focus, report_.focus_from);
  line("Generated {} candidates", count);
}

void TuneProgress::introduce(TuneStage stage, std::size_t expected) {
  if (stage == TuneStage::race) {
    const report::TuneWindow& window = report_.settings.race_window;
    line("Running quick race stage ({} warmup + {} measure steps)...", window.warmup_steps, window.measurement_steps);
  } else if (races_ > 0) {
    line("Quick race promoted {} of {} candidates", std::min(std::max<std::size_t>(1, expected), races_), races_);
  }
}

void TuneProgress::run_begins(const report::TuneCandidate& candidate, TuneStage stage, std::size_t expected) {
  std::size_t& count = stage == TuneStage::race ? races_ : full_;
  if (count == 0) introduce(stage, expected);
  ++count;
  line("  [{}/{}] {}: {} ...", count, std::max(count, expected), stage == TuneStage::race ? "race" : "full", candidate.label);
}

void TuneProgress::run_ended(const TuneTrial& trial, const TuneRun& run, bool was_reused) const {
  const std::string reused = was_reused ? ", reused" : "";
  if (trial.candidate.actions.empty()) {
    line("  [BASE] {} {} (exit={}, steps={}{})", trial.candidate.label, rate_words(run.throughput_steps_per_s), run.exit_code,
         run.step_count, reused);
    return;
  }
  const std::string delta = trial.throughput_delta ? fmt::format("{:+.1f}%", *trial.throughput_delta * 100) : "no rate";
  line("  {} {} {} (exit={}, steps={}{})", tag_of(trial, report_.settings.limits.min_speedup), trial.candidate.label, delta, run.exit_code,
       run.step_count, reused);
  for (const std::string& failure : trial.guard_failures) line("    ! {}", printable(failure));
}

void TuneProgress::skipped(const TuneTrial& trial) const {
  line("  [SKIP] {}", trial.candidate.label);
  for (const std::string& reason : trial.guard_failures) line("    ! {}", printable(reason));
}

void TuneProgress::throttled(const TuneRun& run) const {
  line("    ! the GPU was slowed down during {}: the run is repeated", printable(run.folder));
}

}  // namespace frx::analyse
