// What must move, which way and how far, if the change that a card advises works; and whether it did.
//
//   predictions:
//     - {reading: global_load_sectors_per_request, direction: decrease, by_pct: 25, to: 4}
//     - {reading: achieved_occupancy_pct, direction: increase, by_points: 5, to: 50}
//     - {reading: dram_throughput_pct, direction: stable, by_points: 10}
//
// `by_pct` is a share of the value before, `by_points` are percentage points of a reading in %; both say the least that must
// move, or for `stable` the most that may. `to`, in the unit of the reading, is where there is nothing left to gain: who
// reaches it need not move as far. What stands there already predicts nothing.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/document.h"
#include "base/result.h"
#include "knowledge/metrics.h"
#include "model/readings.h"

namespace frx::advise {

enum class Direction { decrease, increase, stable };
std::string_view name_of(Direction direction);

struct Prediction {
  model::Metric reading;
  std::string_view id, label, unit;  // of the reading
  std::string_view counter;          // by which ncu collects it
  Direction direction = Direction::decrease;
  double by = 0;  // percent of the value before, or percentage points
  bool is_points = false;
  std::optional<double> to;
  bool is_sum = false;    // grows with the number of launches: compared by launch
  bool is_exact = false;  // a property of the launch, which does not scatter
};

// Malformed, with file and line: an unknown reading or direction, no distance or one that no value can move.
Result<Prediction> read_prediction(const Value& entry, const knowledge::MetricCatalogue& metrics);

// Of one launch; `launches` is how many the kernel had.
double value_to_compare(const Prediction& prediction, const model::Reading& reading, std::uint64_t launches);

// What the value must reach, or for `stable` may move away. Absent where there is nothing left to gain.
struct Bound {
  double value = 0;     // to be reached; `before` itself for stable
  double distance = 0;  // from the value before, above 0
};
std::optional<Bound> bound_for(const Prediction& prediction, double before);

enum class Outcome { held, not_held, moved_the_other_way, cannot_tell };
std::string_view name_of(Outcome outcome);

struct Score {
  Outcome outcome = Outcome::cannot_tell;
  std::string why;                  // one cannot tell
  std::optional<double> predicted;  // Bound::value
  std::optional<double> noise;      // what two measurements of the same may differ by
};
// Missing on either side is never held. What lies nearer than noise to the line between held and not held is neither.
// `noise_share` is of the value.
Score score(const Prediction& prediction, std::optional<double> before, std::optional<double> after, double noise_share);

}  // namespace frx::advise
