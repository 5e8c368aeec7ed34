#include "model/gpu_interval.h"

#include <cmath>

namespace frx::model {

std::string_view to_string(EnergySource source) {
  switch (source) {
    case EnergySource::counter: return "NVML energy counter";
    case EnergySource::sampled_power: return "sampled power";
  }
  return {};
}

std::optional<Joules> net_of_idle(const GpuInterval& interval) {
  if (!interval.energy || !interval.idle) return std::nullopt;
  const GpuEnergy& energy = *interval.energy;
  const double net = energy.gross.joules - interval.idle->watts * energy.seconds;
  const bool is_rounding = std::abs(net) < 1e-9 * energy.gross.joules;
  return Joules{is_rounding ? 0 : net, energy.gross.uncertainty_joules + interval.idle->uncertainty_watts * energy.seconds};
}

std::optional<SharedEnergy> energy_per(const GpuInterval& interval, std::optional<double> count) {
  if (!interval.energy || !count || !(*count > 0) || !std::isfinite(*count)) return std::nullopt;
  const bool too_short = interval.energy->source == EnergySource::sampled_power && interval.samples < fewest_samples_to_divide;
  if (too_short) return std::nullopt;
  const auto shared = [&](const Joules& all) { return Joules{all.joules / *count, all.uncertainty_joules / *count}; };
  SharedEnergy one{shared(interval.energy->gross), std::nullopt};
  if (const std::optional<Joules> net = net_of_idle(interval)) one.net = shared(*net);
  return one;
}

}  // namespace frx::model
