#include "compose/recommendation_text.h"

#include <algorithm>
#include <cmath>

#include "advise/kernel_filter.h"
#include "base/text.h"
#include "compose/ncu_words.h"

namespace frx::compose {
namespace {

using advise::Recommendation;
using advise::ValidationStep;

constexpr std::size_t inside = 5;  // indentation below the number of a card

std::string percent(double value) {
  const bool whole = std::abs(value - std::round(value)) < 0.05;
  return fmt::format("{:.{}f}", value, whole || value >= 9.95 ? 0 : 1);
}

bool target_met(const ValidationStep& step) {
  if (!step.current_value || !step.threshold_good) return false;
  if (step.direction == "decrease") return *step.current_value <= *step.threshold_good;
  return step.direction == "increase" && *step.current_value >= *step.threshold_good;
}

void add_estimate(Document& page, const Recommendation& r) {
  const std::string estimate = speedup_text(r);
  const bool bounded = r.speedup_bound_pct && *r.speedup_bound_pct < 100;  // a larger one says nothing
  std::string text;
  if (!estimate.empty()) text = estimate + (bounded ? " faster" : " faster is usual for such a change");
  if (bounded) text += fmt::format("{}at most {} % by what the file shows", text.empty() ? "" : "; ", percent(*r.speedup_bound_pct));
  page.hanging("Estimate: ", text, inside);
}

template <typename Texts>
void add_list(Document& page, std::string_view heading, const Texts& texts, std::size_t limit) {
  if (texts.empty()) return;
  page.paragraph(heading, inside);
  for (std::size_t i = 0; i < texts.size() && i < limit; ++i) page.hanging("- ", texts[i], inside + 2);
}

void add_validation(Document& page, const Recommendation& r, bool ncu_runs) {
  const std::string command = validation_command(r);
  if (command.empty()) {
    add_list(page, "Validate:", r.validation, 3);
    return;
  }
  page.paragraph(ncu_runs ? "Validate:" : "Validate, with the counters of nvprof (ncu needs compute capability 7.0):", inside);
  if (ncu_runs) page.command(command, inside + 2);
  for (const ValidationStep& step : r.validation_steps) {
    page.hanging(fmt::format("{} ", arrow(step.direction)), step_text(step), inside + 2);
  }
}

// Only what can be checked: a value now, and somewhere to go.
void add_predictions(Document& page, const Recommendation& r) {
  bool is_first = true;
  for (const advise::Forecast& forecast : r.predictions) {
    if (!forecast.bound) continue;
    if (is_first) page.paragraph("Predicted, if it works (frx compare BEFORE AFTER says whether it came true):", inside);
    is_first = false;
    page.hanging("- ", forecast_text(forecast), inside + 2);
  }
}

void add_card(Document& page, const Recommendation& r, std::size_t number, const CardOptions& options) {
  page.hanging(fmt::format("{}. [{}] ", number, to_upper(r.priority)), r.title, 1, tone_of_priority(r.priority), Tone::bold);
  page.paragraph(fmt::format("Tier {} | Score {:.2f} | Effort {} | Risk {}", r.tier, r.score, r.effort, r.risk), inside, Tone::dim);
  page.hanging("Triggered by ", fmt::format("{} ({})", r.label, r.triggered_by), inside, Tone::dim, Tone::dim);
  if (options.names_kernel && !r.kernel.empty()) {
    page.hanging("In kernel ", as_name(report::short_kernel_name(r.kernel), Fit::cut), inside, Tone::dim, Tone::dim);
  }
  if (!options.brief) add_estimate(page, r);
  if (options.brief) {
    page.hanging("Why: ", r.because.empty() ? r.why : r.because, inside);
  } else {
    page.hanging("Because: ", r.because, inside);
    page.hanging("Why: ", r.why, inside);
  }
  add_list(page, "Do:", r.actions, options.max_actions);
  add_validation(page, r, options.ncu_runs);
  if (options.brief) return;
  add_predictions(page, r);
  add_list(page, "Risks:", r.risks, 100);
  for (const std::string& note : r.notes) page.hanging("Note: ", note, inside);
}

}  // namespace

std::string predicted_text(const advise::Prediction& prediction, const advise::Bound& bound) {
  switch (prediction.direction) {
    case advise::Direction::decrease: return short_quantity(bound.value, prediction.unit) + " or less";
    case advise::Direction::increase: return short_quantity(bound.value, prediction.unit) + " or more";
    case advise::Direction::stable: break;
  }
  const double low = std::max(0.0, bound.value - bound.distance);
  const double high = prediction.unit == "%" ? std::min(100.0, bound.value + bound.distance) : bound.value + bound.distance;
  return fmt::format("{} to {}", short_quantity(low, prediction.unit), short_quantity(high, prediction.unit));
}

std::string forecast_text(const advise::Forecast& forecast) {
  const advise::Prediction& prediction = *forecast.prediction;
  const std::string_view per = prediction.is_sum ? " of a launch" : "";
  if (!forecast.now || !forecast.bound) return {};
  return fmt::format("{}{}: {} now, then {}", prediction.label, per, short_quantity(*forecast.now, prediction.unit),
                     predicted_text(prediction, *forecast.bound));
}

std::string speedup_text(const Recommendation& r) {
  if (!r.estimated_speedup_pct_max) return {};
  const std::string most = percent(*r.estimated_speedup_pct_max);
  if (!r.estimated_speedup_pct_min || *r.estimated_speedup_pct_min <= 0) return fmt::format("up to {} %", most);
  const std::string least = percent(*r.estimated_speedup_pct_min);
  return least == most ? fmt::format("about {} %", most) : fmt::format("{} to {} %", least, most);
}

std::string validation_command(const Recommendation& r) {
  const std::vector<std::string> counters = advise::counters_to_validate(std::span(&r, 1));
  if (counters.empty()) return {};
  std::string line = "ncu --csv --log-file report.csv --metrics " + shell_quote(join(counters, ","));
  const std::string filter = advise::kernel_filter(std::span(&r.kernel, r.kernel.empty() ? 0 : 1));
  if (!filter.empty()) line += " --kernel-name " + shell_quote(filter);
  return line + " ./your_app";
}

std::string_view arrow(std::string_view direction) { return direction == "decrease" ? "<--" : direction == "increase" ? "-->" : "   "; }

std::string step_text(const ValidationStep& step) {
  std::string text(step.label);
  text += ": ";
  if (step.current_value) text += fmt::format("was {}; ", short_quantity(*step.current_value, step.unit));
  text += step.expected;
  if (step.threshold_good) {
    text += fmt::format(" (target: {}{})", short_quantity(*step.threshold_good, step.unit), target_met(step) ? ", already met" : "");
  }
  return text;
}

void add_recommendations(Document& page, const advise::Advice& advice, std::size_t most, std::string_view none, CardOptions options) {
  const auto& all = advice.recommendations;
  const std::size_t shown = std::min(most, all.size());
  page.section("Recommendations", shown, all.size(), answer::Part::advice);
  if (all.empty()) page.paragraph(none);
  for (std::size_t i = 0; i < shown; ++i) {
    if (i > 0) page.blank();
    add_card(page, all[i], i + 1, options);
  }
}

}  // namespace frx::compose
