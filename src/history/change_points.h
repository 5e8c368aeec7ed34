// When did a series of measurements change its level, found as its values arrive?
//
// Values of one series are not independent (temperature, clocks, other load), drift slowly and have outliers, so no distribution is
// assumed. At eight lengths b = 4 to 512 the mean of the last b values is compared with the mean of the 3 b before them, by logarithms and
// after a running median of three. What such a difference is without a change is learned from the series itself: from the same difference
// at earlier places, half of b apart. These contain whatever autocorrelation and drift the series has at that length. A change is reported
// when the difference exceeds a multiple of their robust scale as well as of their largest, and all quarters of the last b values agree.
// The multiples are set by simulation (docs/validation/history.md, docs/adr/0026-change-points-against-the-series-itself.md).
//
// A length is used once it was seen at 16 earlier places (13 b values), or, with a wider limit, once one that is one or two steps shorter
// was seen at 32. With fewer values nothing is concluded. Time and memory O(n).
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace frx::history {

struct ChangePoint {
  std::size_t at = 0;           // index of the first value of the new level, as estimated
  std::size_t detected_at = 0;  // index of the value with which it was found
  double ratio = 1;             // new level / old level
  std::size_t length = 0;       // b
};

// What a length can find now: a change of this share (0.03: 3 %) or more, about so many values after it happened.
struct Detectable {
  std::size_t length = 0;
  double share = 0;
};

struct ChangePoints {
  std::size_t values = 0;              // that were looked at
  std::vector<ChangePoint> found;      // in their order
  std::vector<Detectable> detectable;  // shorter lengths first; empty where there are too few values
  bool has_other_values = false;       // a value is 0 or below, or infinite: nothing is looked for

  bool is_tested() const { return !detectable.empty(); }
  // The shortest length that finds a change of this share; absent where none does.
  std::optional<std::size_t> found_within(double share) const;
  // The smallest change that any length finds.
  std::optional<Detectable> smallest() const;
};

inline constexpr double least_change = 0.005;  // smaller ones are not reported, however little a series scatters
inline constexpr std::size_t shortest_length = 4, fewest_places = 16;
// The fewest values with which anything is found.
inline constexpr std::size_t fewest_for_changes = (4 + fewest_places / 2 + 1) * shortest_length;
// False alarms in 10,000 values, at most in the mean, for a series of so many: of the kinds of noise of docs/validation/history.md the
// worst, strongly correlated and skewed at once; of most others a tenth of it. Short series know their own noise less well.
double expected_alarms_per_10000(std::size_t values);

ChangePoints find_changes(std::span<const double> values);

}  // namespace frx::history
