// Prints the tables of docs/validation/history.md about changes of level: false alarms without a change, and how long a planted one takes.
//
//   frx_history_validation [SERIES]     default 200 series of each kind
#include <fmt/format.h>

#include <cstdlib>

#include "history/change_points.h"
#include "history/noise.h"

int main(int count, char** arguments) {
  using frx::testing::alarms_per_10000;
  const std::size_t series = count > 1 ? std::strtoul(arguments[1], nullptr, 10) : 200;
  fmt::print("| Noise without a change | Alarms in 10,000 runs, series of 10,000 | of 500 | of 100 |\n|---|---|---|---|\n");
  for (const frx::testing::NoiseModel& model : frx::testing::noise_models()) {
    fmt::print("| {} | {:.3f} | {:.2f} | {:.2f} |\n", model.name, alarms_per_10000(model, 10'000, series),
               alarms_per_10000(model, 500, 5 * series), alarms_per_10000(model, 100, 25 * series));
  }
  fmt::print(
      "\n| Runs differ by (standard deviation) | Correlation | Runs before | Found after: median | 90 % | Not found in 500 runs "
      "|\n|---|---|---|---|---|---|\n");
  for (const std::size_t before : {100UL, 500UL, 2000UL}) {
    for (const double correlation : {0.0, 0.5, 0.8}) {
      for (const double sigma : {0.0025, 0.005, 0.01, 0.02, 0.03}) {
        const frx::testing::Delay delay = frx::testing::delay_of({"", correlation}, sigma, 0.03, before, 500, series);
        const auto runs = [&](double value) { return value >= 500 ? std::string("more than 500") : fmt::format("{:.0f}", value); };
        fmt::print("| {} % | {} | {} | {} | {} | {:.1f} % |\n", 100 * sigma, correlation, before, runs(delay.median),
                   runs(delay.nine_tenths), 100 * delay.missed);
      }
    }
  }
}
