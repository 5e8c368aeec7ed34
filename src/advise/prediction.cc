#include "advise/prediction.h"

#include <algorithm>
#include <cmath>

#include "advise/constants.h"
#include "knowledge/presets.h"

namespace frx::advise {
namespace {

constexpr double least_noise_points = 1;  // of a percentage, however small it is

std::optional<Direction> direction_called(std::string_view word) {
  for (const Direction one : {Direction::decrease, Direction::increase, Direction::stable}) {
    if (word == name_of(one)) return one;
  }
  return std::nullopt;
}

Result<> read_distance(const Value& entry, Prediction& prediction) {
  const bool has_percent = static_cast<bool>(entry["by_pct"]);
  prediction.is_points = static_cast<bool>(entry["by_points"]);
  if (has_percent == prediction.is_points) {
    return fail(ErrorKind::malformed, "expected one of by_pct and by_points").at(entry.where());
  }
  TRY_ASSIGN(prediction.by, read_number(entry, has_percent ? "by_pct" : "by_points"));
  const bool is_bounded = prediction.is_points || prediction.direction == Direction::decrease;
  if (!(prediction.by > 0) || (is_bounded && prediction.by > 100)) {
    return fail(ErrorKind::malformed, "expected a distance above 0{}, found {:g}", is_bounded ? " and up to 100" : "", prediction.by)
        .at(entry.where());
  }
  if (prediction.is_points && prediction.unit != "%") {
    return fail(ErrorKind::malformed, "expected by_pct: '{}' is in {}, not in %", prediction.id,
                prediction.unit.empty() ? "no unit" : prediction.unit)
        .at(entry["by_points"].where());
  }
  return {};
}

Result<> read_target(const Value& entry, const knowledge::MetricDefinition& metric, Prediction& prediction) {
  if (!entry["to"]) return {};
  TRY_ASSIGN(prediction.to, read_number(entry, "to"));
  const double most = metric.max.value_or(prediction.unit == "%" ? 100 : HUGE_VAL);
  if (prediction.direction == Direction::stable || *prediction.to < 0 || *prediction.to > most) {
    return fail(ErrorKind::malformed, "'{}' cannot {} to {:g}", prediction.id,
                prediction.direction == Direction::stable ? "be stable and move" : "move", *prediction.to)
        .at(entry["to"].where());
  }
  return {};
}

double noise_of(const Prediction& prediction, double before, double after, double share) {
  if (prediction.is_exact) return 0;
  const double noise = share * std::max(std::abs(before), std::abs(after));
  return prediction.unit == "%" ? std::max(noise, least_noise_points) : noise;
}

Outcome judged_stable(double change, double allowed, double noise) {
  if (std::abs(change) <= allowed - noise) return Outcome::held;
  return std::abs(change) > allowed + noise ? Outcome::not_held : Outcome::cannot_tell;
}

// `progress` is how far it moved in the predicted direction.
Outcome judged_moving(double progress, double distance, double noise) {
  if (progress >= distance + noise) return Outcome::held;
  if (progress < -noise) return Outcome::moved_the_other_way;
  return progress < distance - noise ? Outcome::not_held : Outcome::cannot_tell;
}

std::string missing_words(bool before, bool after) {
  if (before == after) return "it was measured on neither side";
  return before ? "it was not measured after the change" : "it was not measured before the change";
}

}  // namespace

std::string_view name_of(Direction direction) {
  switch (direction) {
    case Direction::decrease: return "decrease";
    case Direction::increase: return "increase";
    case Direction::stable: return "stable";
  }
  return {};
}

std::string_view name_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::held: return "held";
    case Outcome::not_held: return "not_held";
    case Outcome::moved_the_other_way: return "moved_the_other_way";
    case Outcome::cannot_tell: return "cannot_tell";
  }
  return {};
}

Result<Prediction> read_prediction(const Value& entry, const knowledge::MetricCatalogue& metrics) {
  Prediction prediction;
  TRY_ASSIGN(const std::string_view id, read_text(entry, "reading"));
  const std::optional<model::Metric> metric = metrics.with_id(id);
  if (!metric) {
    return fail(ErrorKind::malformed, "no metric is called '{}'", id)
        .at(entry["reading"].where())
        .hint(fmt::format("did you mean '{}'?", metrics.nearest_id(id)));
  }
  const knowledge::MetricDefinition& definition = metrics[*metric];
  prediction.reading = *metric;
  prediction.id = definition.id;
  prediction.label = definition.label;
  prediction.unit = definition.unit_text;
  prediction.counter = knowledge::counter_of(definition);
  prediction.is_sum = definition.aggregate == knowledge::Aggregate::sum;
  prediction.is_exact = definition.aggregate == knowledge::Aggregate::same;
  TRY_ASSIGN(const std::string_view word, read_text(entry, "direction"));
  const std::optional<Direction> direction = direction_called(word);
  if (!direction) {
    return fail(ErrorKind::malformed, "expected decrease, increase or stable, found '{}'", word).at(entry["direction"].where());
  }
  prediction.direction = *direction;
  TRY(read_distance(entry, prediction));
  TRY(read_target(entry, definition, prediction));
  return prediction;
}

double value_to_compare(const Prediction& prediction, const model::Reading& reading, std::uint64_t launches) {
  if (!prediction.is_sum) return reading.value;
  const std::uint64_t counted = reading.launches > 0 ? reading.launches : launches;  // a formula over sums covers all launches
  return counted > 0 ? reading.value / static_cast<double>(counted) : reading.value;
}

std::optional<Bound> bound_for(const Prediction& prediction, double before) {
  if (!std::isfinite(before)) return std::nullopt;
  double distance = prediction.is_points ? prediction.by : prediction.by / 100 * std::abs(before);
  if (prediction.direction == Direction::stable) return distance > 0 ? std::optional(Bound{before, distance}) : std::nullopt;
  const double sign = prediction.direction == Direction::increase ? 1 : -1;
  if (prediction.to) distance = std::min(distance, sign * (*prediction.to - before));
  if (distance <= 0) return std::nullopt;
  return Bound{before + sign * distance, distance};
}

Score score(const Prediction& prediction, std::optional<double> before, std::optional<double> after, double noise_share) {
  Score result;
  if (before && !std::isfinite(*before)) before.reset();
  if (after && !std::isfinite(*after)) after.reset();
  const std::optional<Bound> bound = before ? bound_for(prediction, *before) : std::nullopt;
  if (bound) result.predicted = bound->value;
  if (!before || !after) {
    result.why = missing_words(before.has_value(), after.has_value());
    return result;
  }
  if (!bound) {
    result.why = "there was nothing left to gain before the change";
    return result;
  }
  const double change = *after - *before;
  const double noise = noise_of(prediction, *before, *after, noise_share);
  result.noise = noise;
  result.outcome = prediction.direction == Direction::stable
                       ? judged_stable(change, bound->distance, noise)
                       : judged_moving(prediction.direction == Direction::increase ? change : -change, bound->distance, noise);
  if (result.outcome == Outcome::cannot_tell) result.why = "it is nearer to what was predicted than noise";
  return result;
}

}  // namespace frx::advise
