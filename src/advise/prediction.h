// The predictions of a card: which value must change, in which direction and how far, if the advised change works; and whether it did.
//
//   predictions:
//     - {reading: global_load_sectors_per_request, direction: decrease, by_pct: 25, to: 4}
//     - {reading: achieved_occupancy_pct, direction: increase, by_points: 5, to: 50}
//     - {reading: dram_throughput_pct, direction: stable, by_points: 10}
//
// `by_pct` is a share of the value before, `by_points` are percentage points of a reading in %; both are the least change that is needed,
// or for `stable` the largest that is allowed. `to`, in the unit of the reading, is where no gain is left: a value that reaches it need not
// change as far. A value that is already there predicts nothing.
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
  bool is_exact = false;  // a property of the launch, which does not vary
};

// Malformed, with file and line: an unknown reading or direction, no distance or an impossible one.
Result<Prediction> read_prediction(const Value& entry, const knowledge::MetricCatalogue& metrics);

// Of one launch; `launches` is how many the kernel had.
double value_to_compare(const Prediction& prediction, const model::Reading& reading, std::uint64_t launches);

// The value that must be reached, or for `stable` the allowed change. Absent where no gain is left.
struct Bound {
  double value = 0;     // to be reached; `before` itself for stable
  double distance = 0;  // from the value before, above 0
};
std::optional<Bound> bound_for(const Prediction& prediction, double before);

enum class Outcome { held, not_held, moved_the_other_way, cannot_tell };
std::string_view name_of(Outcome outcome);

struct Score {
  Outcome outcome = Outcome::cannot_tell;
  std::string why;                  // why it is inconclusive
  std::optional<double> predicted;  // Bound::value
  std::optional<double> noise;      // by how much two measurements of the same may differ
};
// A value that is missing on either side never counts as held. A value closer than the noise to the boundary is inconclusive. `noise_share`
// is a share of the value.
Score score(const Prediction& prediction, std::optional<double> before, std::optional<double> after, double noise_share);

}  // namespace frx::advise
