#include "compose/figures_tune.h"

#include "compose/tune_words.h"

namespace frx::compose {
namespace {

using answer::exact;
using answer::JsonObject;
using report::TuneReport;
using report::TuneTrial;

void put_tuned_row(JsonObject& out, const TuneTrial& trial, const TuneReport& report) {
  const bool was_run = !trial.runs.empty();
  const TuneChange change = tuned_change(trial);
  const auto known = [&](const std::optional<double>& value) { return exact(was_run ? value : std::nullopt); };
  out.add("label", trial.candidate.label, "stage", trial.stage == report::TuneStage::race ? "race" : "full", "outcome",
          outcome_name(tuned_outcome(trial, winner_of(report))), "words", outcome_text(trial, report), "reasons", reasons_of(trial),
          "change", known(change.value), "low", known(change.low), "high", known(change.high), "steps_per_s", known(trial.throughput),
          "samples_per_s", known(trial.samples_per_s), "by_samples", trial.by_samples, "runs", trial.runs.size());
  out.list("variables", trial.candidate.variables(),
           [](JsonObject& one, const auto& variable) { one.add("name", variable.first, "value", variable.second); });
}

}  // namespace

void add_figures(answer::Document& page, const TuneReport& report) {
  if (report.trials.empty()) return;
  page.add(
      answer::Figure{"tuning", "Trials against the baseline",
                     "How much more or less work each configuration does in the same time, and the interval that its measurements leave "
                     "possible. An interval that reaches over 0 does not show which of the two is faster.",
                     [&report](JsonObject& out) {
                       out.add("min_speedup", exact(report.settings.limits.min_speedup), "confidence", confidence_text(), "baseline",
                               exact(report.baseline.throughput));
                       out.list("rows", in_order_of_display(report),
                                [&](JsonObject& one, std::size_t i) { put_tuned_row(one, report.trials[i], report); });
                     }});
}

}  // namespace frx::compose
