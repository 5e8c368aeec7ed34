// The rate of false alarms and the delay that docs/validation/history.md states, at a small size; frx_history_validation measures them.
#include <gtest/gtest.h>

#include "history/change_points.h"
#include "history/noise.h"

namespace frx::testing {
namespace {

TEST(ChangeRate, SeriesWithoutAChangeKeepToTheStatedRate) {
  const double rate_of_long = frx::history::expected_alarms_per_10000(10'000);
  double sum = 0;
  const std::vector<NoiseModel> models = noise_models();
  for (const NoiseModel& model : models) {
    const double rate = alarms_per_10000(model, 10'000, 6);
    EXPECT_LE(rate, 2.5 * rate_of_long) << model.name;  // six series: the mean of 2 is exceeded by chance
    sum += rate;
  }
  EXPECT_LE(sum / static_cast<double>(models.size()), rate_of_long / 2);
}

// Where there is less noise than the change, it takes a few runs.
TEST(ChangeRate, APlantedRegressionIsFoundWithinItsDelay) {
  const struct {
    double correlation, sigma, nine_tenths;
  } rows[] = {{0, 0.005, 12}, {0, 0.01, 20}, {0.5, 0.005, 12}, {0.5, 0.01, 40}, {0.8, 0.005, 25}};
  for (const auto& row : rows) {
    const Delay delay = delay_of({"", row.correlation}, row.sigma, 0.03, 500, 500, 40);
    EXPECT_LE(delay.nine_tenths, row.nine_tenths) << row.correlation << ' ' << row.sigma;
    EXPECT_LE(delay.missed, 0.1) << row.correlation << ' ' << row.sigma;
  }
}

}  // namespace
}  // namespace frx::testing
