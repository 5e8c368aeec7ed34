#include "compose/tune_text.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "base/units.h"
#include "compose/figures_tune.h"
#include "compose/parts.h"
#include "compose/tune_measured.h"
#include "compose/tune_words.h"

namespace frx::compose {
namespace {

using answer::Part;
using report::TuneReport;
using report::TuneStage;
using report::TuneTrial;

constexpr std::size_t tune_fact_width = 14;

void add_tuning_fact(Document& page, std::string_view name, answer::Text value) { page.fact(name, std::move(value), tune_fact_width); }

std::string trials_text(const TuneReport& report) {
  const std::size_t raced = static_cast<std::size_t>(std::ranges::count(report.trials, TuneStage::race, &TuneTrial::stage));
  std::string text = fmt::format("{} + baseline", count_text(count_of_candidates(report), "candidate"));
  if (raced > 0) text += fmt::format(", {} raced", raced);
  return text;
}

// "412 s; 7 runs of them are from before --resume"
std::string took_text(const TuneReport& report) {
  std::string text = fmt::format("{:.0f} s", report.seconds);
  if (report.reused_runs > 0) text += fmt::format(", with {} reused by --resume", count_text(report.reused_runs, "run"));
  return text;
}

void add_tuning_top(Document& page, const TuneReport& report) {
  page.title("frx autopilot \u2014 Tune report");
  add_tuning_fact(page, "Job", as_name(report.job_name));
  add_tuning_fact(page, "Trials", trials_text(report));
  add_tuning_fact(page, "Command", as_name(command_with({}, report.command)));
  add_tuning_fact(page, "Folder", as_name(report.folder));
  add_tuning_fact(page, "Took", took_text(report));
}

// "3 runs, 4.71 to 4.90 steps/sec"
std::string repeats_text(const TuneTrial& trial) {
  std::optional<double> low, high;
  for (const report::TuneRun& run : trial.runs) {
    if (!run.throughput_steps_per_s) continue;
    low = std::min(low.value_or(*run.throughput_steps_per_s), *run.throughput_steps_per_s);
    high = std::max(high.value_or(*run.throughput_steps_per_s), *run.throughput_steps_per_s);
  }
  const std::string runs = count_text(trial.runs.size(), "run");
  return low ? fmt::format("{}, {:.2f} to {:.2f} steps/sec", runs, *low, *high) : runs;
}

void add_gpu_facts(Document& page, const TuneTrial& trial, const TuneReport& report) {
  if (report.environment.gpu_name.empty() && !trial.peak_memory_ratio) return;  // there is no GPU of which more could be said
  add_tuning_fact(page, "GPU memory", tuned_memory(trial));
  add_tuning_fact(page, "GPU state", tuned_gpu_state(trial));
}

void add_tuning_baseline(Document& page, const TuneReport& report) {
  const TuneTrial& baseline = report.baseline;
  page.section("Baseline");
  if (const std::string reasons = short_reasons(baseline); !reasons.empty()) add_tuning_fact(page, "Failed", reasons);
  add_tuning_fact(page, "Throughput", tuned_throughput(baseline));
  add_tuning_fact(page, "Avg step", tuned_step_time(baseline));
  add_tuning_fact(page, "GPU util", tuned_gpu_use(baseline));
  add_tuning_fact(page, "Dominant stall", baseline.dominant_stall.empty() ? "not known" : baseline.dominant_stall);
  add_gpu_facts(page, baseline, report);
  if (baseline.runs.size() > 1) add_tuning_fact(page, "Repeats", repeats_text(baseline));
}

Tone tone_of_outcome(TuneOutcome outcome) {
  switch (outcome) {
    case TuneOutcome::winner:
    case TuneOutcome::better: return Tone::green;
    case TuneOutcome::rejected: return Tone::red;
    case TuneOutcome::screened:
    case TuneOutcome::not_run: return Tone::dim;
    default: return Tone::plain;
  }
}

void add_tuning_results(Document& page, const TuneReport& report) {
  page.section("Trial results");
  if (report.trials.empty()) return page.paragraph("No candidate was tried.");
  const TuneTrial* winner = winner_of(report);
  std::size_t widest = 13;
  const auto name = [](const TuneTrial& trial) { return trial.candidate.label + (trial.stage == TuneStage::race ? " [RACE]" : ""); };
  for (const TuneTrial& trial : report.trials) widest = std::max(widest, display_width(name(trial)));
  constexpr std::size_t most = 40;
  Table table{{{"Configuration", std::min(widest, most)},
               number_column("Change", 8, 1),
               {"", 1, false, 1},
               number_column(confidence_text() + " interval", 17, 1),
               words_column("Outcome", Fit::wrap)}};
  for (const std::size_t i : in_order_of_display(report)) {
    const TuneTrial& trial = report.trials[i];
    const TuneOutcome outcome = tuned_outcome(trial, winner);
    const bool is_promoted = outcome == TuneOutcome::winner || outcome == TuneOutcome::better;
    const TuneChange change = tuned_change(trial);
    table.add({name(trial), trial.runs.empty() ? "" : tuned_change_text(change.value), is_promoted ? "\u2713" : "", interval_text(change),
               outcome_text(trial, report)},
              tone_of_outcome(outcome));
  }
  page.add(std::move(table));
  page.paragraph(
      fmt::format("Change: of the throughput against the baseline. \u2713: at least {} faster, and all of the interval is above 0. A "
                  "race is a short run that only decides what is measured in full.",
                  share_words(report.settings.limits.min_speedup)));
}

std::optional<double> batch_of(const TuneTrial& trial) { return trial.runs.empty() ? std::nullopt : trial.runs.front().batch_size; }

// "5.73 steps/sec (+19.3 % vs baseline)"; samples/sec where a step of the two has not the same work.
std::string winning_throughput(const TuneTrial& trial, const TuneTrial& baseline) {
  const std::string change = fmt::format("({} vs baseline)", tuned_change_text(tuned_change(trial).value));
  const std::optional<double> batch = batch_of(trial), before = batch_of(baseline);
  if (trial.by_samples && trial.samples_per_s && batch && before && *batch != *before)
    return fmt::format("{:.1f} samples/sec {}, {:.0f} samples a step rather than {:.0f}", *trial.samples_per_s, change, *batch, *before);
  return trial.throughput ? fmt::format("{:.2f} steps/sec {}", *trial.throughput, change) : change;
}

std::string winning_interval(const TuneTrial& trial) {
  const std::string interval = interval_text(tuned_change(trial));
  return interval.empty() ? "not known: too few steps" : fmt::format("{} at {} confidence", interval, confidence_text());
}

std::string tuned_confidence(const TuneTrial& trial) {
  std::string text = trial.confidence_label;
  if (trial.noise_band)
    text += fmt::format("{}noise of the throughput {:.1f} % over {}", text.empty() ? "" : ", ", 100 * *trial.noise_band,
                        count_text(trial.runs.size(), "run"));
  return text;
}

void add_tuning_winner(Document& page, const TuneReport& report, const TuneTrial& winner) {
  page.section("Winner", Part::verdict);
  page.fact("Config", answer::Text(winner.candidate.label), tune_fact_width);
  add_tuning_fact(page, "Throughput", winning_throughput(winner, report.baseline));
  add_tuning_fact(page, "Gain", winning_interval(winner));
  add_tuning_fact(page, "Avg step", tuned_step_time(winner));
  add_tuning_fact(page, "GPU util", tuned_gpu_use(winner));
  add_gpu_facts(page, winner, report);
  add_tuning_fact(page, "Quality", tuned_quality(winner, report.baseline));
  if (winner.runs.size() > 1) add_tuning_fact(page, "Confidence", tuned_confidence(winner));
  add_tuning_fact(page, "Risk", std::string(report::name_of(winner.candidate.risk())));
  std::string details;
  for (const report::TuneAction& action : winner.candidate.actions) details += (details.empty() ? "" : " ") + action.detail;
  if (!details.empty()) add_tuning_fact(page, "What it does", details);
}

void add_tuning_variables(Document& page, const TuneReport& report, const TuneTrial& winner) {
  page.section("Env vars to apply", Part::advice);
  const report::Variables variables = winner.candidate.variables();
  for (const auto& [name, value] : variables) page.paragraph(as_name(name + "=" + value));
  page.blank();
  page.paragraph("Applied: No \u2014 recommendation only");
  page.paragraph("To apply: set the env vars above before launching your workload, or once:");
  page.command(command_with(variables, report.command));
}

// "It would take about 4 times as many measured steps: --repeat-count 4 (now 1), or --measure-steps 80 (now 20)."
std::string deciding_text(const TuneTrial& trial, const TuneReport& report) {
  const report::TuneWindow& window = report.settings.window;
  const std::optional<double> more = steps_to_decide(trial, report.settings.limits.min_speedup);
  if (!more) return "More runs may decide it: --repeat-count, --measure-steps.";
  const double times = std::max(std::ceil(*more), 2.0);
  constexpr double too_many = 25;
  if (times > too_many)
    return fmt::format("Its gain lies so near to {} that about {:.0f} times as many measured steps would be needed.",
                       tuned_change(trial).value >= report.settings.limits.min_speedup ? "0" : "the limit", times);
  return fmt::format(
      "About {:.0f} times as many measured steps would decide it, if they scatter as before: --repeat-count {:.0f} (now {}), or "
      "--measure-steps {:.0f} (now {}).",
      times, times * static_cast<double>(window.repeat_count), window.repeat_count, times * static_cast<double>(window.measurement_steps),
      window.measurement_steps);
}

// Why there is nothing to recommend: what came nearest, what is open, what was rejected.
std::vector<std::string> reasons_without_winner(const TuneReport& report) {
  std::vector<std::string> reasons;
  if (!report.baseline.throughput) {
    const std::string why = short_reasons(report.baseline);
    reasons.push_back(fmt::format("the baseline was not measured, so nothing was compared{}", why.empty() ? "" : ": " + why));
    return reasons;
  }
  std::size_t rejected = 0, full = 0;
  bool has_nearest = false;
  for (const std::size_t i : in_order_of_display(report)) {
    const TuneTrial& trial = report.trials[i];
    if (trial.stage != TuneStage::full || trial.was_skipped()) continue;
    ++full;
    const TuneOutcome outcome = tuned_outcome(trial, nullptr);
    if (outcome == TuneOutcome::rejected) ++rejected;
    const std::string change = change_with_interval(tuned_change(trial));
    if (outcome == TuneOutcome::inconclusive)
      reasons.push_back(fmt::format("{} is inconclusive: {}. {}", trial.candidate.label, change, deciding_text(trial, report)));
    if ((outcome == TuneOutcome::below || outcome == TuneOutcome::worse) && !std::exchange(has_nearest, true))
      reasons.push_back(fmt::format("the fastest that was decided is {}: {}", trial.candidate.label, change));
  }
  if (report.trials.empty()) reasons.emplace_back("there was no candidate to try");
  if (full == 0 && !report.trials.empty() && report.unfinished.empty()) reasons.emplace_back("no candidate came to a full trial");
  if (rejected > 0)
    reasons.push_back(fmt::format("{} rejected: Trial results say why",
                                  rejected == 1 ? "1 full trial was" : fmt::format("{} full trials were", rejected)));
  if (report.settings.safe)
    reasons.emplace_back("only tier 0 was tried; --no-safe also tries batch size, mixed precision, torch.compile and CUDA Graphs");
  return reasons;
}

void add_no_improvement(Document& page, const TuneReport& report) {
  page.section("No improvement found", Part::verdict);
  page.paragraph(fmt::format("{} configuration was shown to be at least {} faster than the baseline. Keep the one that you have.",
                             report.unfinished.empty() ? "No" : "So far no", share_words(report.settings.limits.min_speedup)),
                 2, Tone::bold);
  for (const std::string& reason : reasons_without_winner(report)) page.hanging("- ", reason);
}

void add_unfinished_tuning(Document& page, const TuneReport& report) {
  if (report.unfinished.empty()) return;
  page.section("Not finished", Part::verdict);
  page.paragraph(fmt::format("It ended before all was tried: {}. What was measured is kept, and this goes on with it:", report.unfinished),
                 2, Tone::yellow);
  page.command(resume_command(report));
}

// Of the report, and of its trials: what is said of several stands once, behind their names.
std::vector<std::string> all_tuning_notes(const TuneReport& report) {
  std::vector<std::pair<std::string, std::vector<std::string>>> said;
  std::size_t judged = 0;
  const auto take = [&](const std::string& name, const TuneTrial& trial) {
    for (const std::string& note : trial.comparison_notes) {
      auto known = std::ranges::find(said, note, &decltype(said)::value_type::first);
      if (known == said.end()) known = said.insert(said.end(), {note, {}});
      known->second.push_back(name);
    }
  };
  take("baseline", report.baseline);
  for (const TuneTrial& trial : report.trials) {
    take(trial.candidate.label + (trial.stage == TuneStage::race ? " [RACE]" : ""), trial);
    if (!trial.runs.empty()) ++judged;
  }
  std::vector<std::string> notes = report.notes;
  for (const auto& [note, names] : said) {
    const bool is_of_all = names.size() > 1 && names.size() >= judged;
    notes.push_back(fmt::format("{}: {}", is_of_all ? "all trials" : join_with_and(names), note));
  }
  return notes;
}

std::string tune_headline(const TuneReport& report) {
  const std::string limit = share_words(report.settings.limits.min_speedup);
  if (const TuneTrial* winner = winner_of(report)) {
    const TuneChange change = tuned_change(*winner);
    const std::string gain = tuned_change_text(change.value).substr(1);  // without its sign: it gains
    return fmt::format("{} is {} faster than the baseline ({} interval {})", winner->candidate.label, gain, confidence_text(),
                       interval_text(change));
  }
  if (!report.baseline.throughput) return "The baseline was not measured";
  if (!report.unfinished.empty()) return "The tuning was not finished";
  return fmt::format("No configuration was shown to be at least {} faster than the baseline", limit);
}

}  // namespace

Document document_of(const TuneReport& report) {
  Document page;
  page.headline = tune_headline(report);
  add_tuning_top(page, report);
  add_unfinished_tuning(page, report);
  add_tuning_baseline(page, report);
  add_tuning_results(page, report);
  if (const TuneTrial* winner = winner_of(report)) {
    add_tuning_winner(page, report, *winner);
    add_tuning_variables(page, report, *winner);
  } else {
    add_no_improvement(page, report);
  }
  add_tuned_measurements(page, report);
  add_figures(page, report);
  add_tuning_conditions(page, report);
  add_notes(page, all_tuning_notes(report));
  return page;
}

}  // namespace frx::compose
