#include "compose/prediction_scores.h"

#include "base/sha256.h"
#include "base/text.h"
#include "compose/documents.h"
#include "compose/ncu_words.h"
#include "compose/payloads.h"
#include "compose/recommendation_text.h"

namespace frx::compose {
namespace {

using advise::Outcome;
using report::PredictionScores;
using report::ScoredPrediction;

constexpr std::string_view caveat =
    "Whether the advice was followed is not known: a prediction that held is no proof that it was (the time of a kernel falls with any "
    "change that helps), and one that did not hold is none that the advice is wrong.";

std::string_view words_for(Outcome outcome) {
  switch (outcome) {
    case Outcome::held: return "held";
    case Outcome::not_held: return "not held";
    case Outcome::moved_the_other_way: return "moved the other way";
    case Outcome::cannot_tell: return "inconclusive";
  }
  return {};
}

Tone tone_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::held: return Tone::green;
    case Outcome::not_held: return Tone::yellow;
    case Outcome::moved_the_other_way: return Tone::red;
    case Outcome::cannot_tell: return Tone::dim;
  }
  return Tone::dim;
}

std::string shown(const std::optional<double>& value, const advise::Prediction& prediction) {
  return value ? short_quantity(*value, prediction.unit) : "not measured";
}

std::string predicted(const ScoredPrediction& one) {
  const std::optional<advise::Bound> bound = one.before ? advise::bound_for(one.prediction, *one.before) : std::nullopt;
  return bound ? predicted_text(one.prediction, *bound) : "-";
}

std::string label_of(const ScoredPrediction& one) {
  return fmt::format("{}{}", one.prediction.label, one.prediction.is_sum ? " of a launch" : "");
}

std::string sentence(const ScoredPrediction& one) {
  if (!one.before && !one.after) return fmt::format("{}: {}", label_of(one), one.score.why);
  std::string text = fmt::format("{}: {} -> {}", label_of(one), shown(one.before, one.prediction), shown(one.after, one.prediction));
  if (const std::string bound = predicted(one); bound != "-") text += fmt::format(" (predicted: {})", bound);
  if (!one.score.why.empty()) text += "; " + one.score.why;
  return text;
}

std::string kernels_of(const ScoredPrediction& one) {
  const std::string before = report::short_kernel_name(one.kernel), after = report::short_kernel_name(one.kernel_after);
  return before == after ? before : before + " -> " + after;
}

// "3 held, 1 not held, 2 inconclusive"; the kinds that do not occur are left out.
std::string counts_of(const PredictionScores& scores) {
  std::vector<std::string> parts;
  for (const Outcome outcome : {Outcome::held, Outcome::not_held, Outcome::moved_the_other_way, Outcome::cannot_tell}) {
    if (const std::size_t count = scores.count(outcome); count > 0) parts.push_back(fmt::format("{} {}", count, words_for(outcome)));
  }
  return parts.empty() ? "none scored" : join(parts, ", ");
}

void put_scored_prediction(JsonObject& out, const ScoredPrediction& one, std::string_view id) {
  const advise::Prediction& p = one.prediction;
  const std::optional<double> by = p.by;
  out.add("schema", "prediction_v1", "id", id, "card", one.card, "label", one.label, "kernel", one.kernel, "kernel_after", one.kernel_after,
          "reading", p.id, "metric", p.counter, "unit", p.unit, "per_launch", p.is_sum, "direction", advise::name_of(p.direction), "by_pct",
          exact(p.is_points ? std::nullopt : by), "by_points", exact(p.is_points ? by : std::nullopt), "to", exact(p.to), "before",
          exact(one.before), "after", exact(one.after), "predicted", exact(one.score.predicted), "noise", exact(one.score.noise), "outcome",
          advise::name_of(one.score.outcome), "why_not", unless_empty(one.score.why));
}

// Of the content, so that the same prediction of the same values is known again.
std::string id_of(const ScoredPrediction& one) {
  return sha256(answer::compact_json([&](JsonObject& out) { put_scored_prediction(out, one, ""); })).substr(0, 16);
}

}  // namespace

void add_prediction_scores(Document& page, const PredictionScores& scores) {
  if (scores.empty()) return;
  page.add(answer::Section{"Predictions of the advice:", counts_of(scores), false});
  std::string card;
  for (const ScoredPrediction& one : scores.scored) {
    if (const std::string now = one.card + one.kernel; now != card) {
      page.paragraph(fmt::format("{} ({}), for {} in {}", one.title, one.card, one.label, kernels_of(one)));
      card = now;
    }
    page.hanging(fmt::format("[{}] ", words_for(one.score.outcome)), sentence(one), 4, tone_of(one.score.outcome));
  }
  for (const report::UnscoredCard& one : scores.unscored)
    page.paragraph(fmt::format("{} ({}): not scored, {}", one.title, one.card, one.why));
  if (!scores.scored.empty()) page.paragraph(caveat);
}

void put_scored_prediction(JsonObject& out, const ScoredPrediction& one) { put_scored_prediction(out, one, id_of(one)); }

void put_prediction_scores(JsonObject& out, const PredictionScores& scores) {
  out.add("held", scores.count(Outcome::held), "not_held", scores.count(Outcome::not_held), "moved_the_other_way",
          scores.count(Outcome::moved_the_other_way), "cannot_tell", scores.count(Outcome::cannot_tell));
  out.list("scored", scores.scored, [](JsonObject& inner, const ScoredPrediction& one) { put_scored_prediction(inner, one); });
  out.list("not_scored", scores.unscored,
           [](JsonObject& inner, const report::UnscoredCard& one) { inner.add("card", one.card, "kernel", one.kernel, "why", one.why); });
  out.add("note", caveat);
}

}  // namespace frx::compose
