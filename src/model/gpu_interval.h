// What a GPU did during a measured interval: power, energy, clocks, temperature and memory.
//
// Absent means not measured, never zero. Units are in the names. capture/gpu/gpu_meter.h measures it, capture/gpu/gpu_interval.h computes
// it from samples and states the formulas of the uncertainties.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace frx::model {

enum class EnergySource : std::uint8_t {
  counter,        // the difference of two readings of NVML's total-energy counter
  sampled_power,  // samples of power, integrated by trapezoids
};
// "NVML energy counter", "sampled power"
std::string_view to_string(EnergySource source);

// An energy in joules and how far from it the true one may be, in joules.
struct Joules {
  double joules = 0;
  double uncertainty_joules = 0;
};

struct GpuEnergy {
  Joules gross;  // of the whole board, idle power included
  EnergySource source = EnergySource::sampled_power;
  double seconds = 0;  // it was spent in
};

struct IdlePower {
  double watts = 0;              // the median of the samples
  double uncertainty_watts = 0;  // half of the range of the samples
  std::string found;             // "median of 6 samples in 0.50 s before the run"
};

struct SampledRange {
  double mean = 0, min = 0, max = 0;
};

struct GpuInterval {
  unsigned index = 0;  // in the order of the bus, as the driver and nvidia-smi count
  std::string uuid, name, driver;
  std::string source;                         // "NVML 12.550.54", "nvidia-smi"
  std::optional<double> seconds;              // from the first to the last sample of the interval
  std::size_t samples = 0;                    // in the interval
  std::optional<double> longest_gap_seconds;  // between two samples
  std::optional<GpuEnergy> energy;
  std::optional<IdlePower> idle;
  std::optional<SampledRange> power_watts;  // the mean is that of the time, not of the samples
  std::optional<double> power_limit_watts;  // the last that was read
  std::optional<double> mean_temperature_c;
  std::optional<double> mean_sm_clock_mhz, mean_memory_clock_mhz;
  // Bytes, of all processes: the last sample, and the largest that any sample saw.
  std::optional<double> memory_used_bytes, memory_total_bytes, memory_free_bytes, memory_peak_bytes;
  // What slowed the clocks down, by every sample that says so; absent where no sample tells, empty where none did.
  std::optional<std::vector<std::string>> slowed_by;
  std::vector<std::string> notes;  // what limits these numbers, in sentences for people
};

// What is left of the energy without what the idle GPU would have drawn in the same time. Absent without an energy or an idle power. Not
// cut off at zero: within its uncertainty it may lie below.
std::optional<Joules> net_of_idle(const GpuInterval& interval);

// The fewest samples from which an energy is divided, where it is not from the counter.
constexpr std::size_t fewest_samples_to_divide = 20;

struct SharedEnergy {
  Joules gross;
  std::optional<Joules> net;  // of idle power
};
// The energy of one launch, step or floating-point operation, of `count` of them in the interval. Absent when the count is not known or not
// above zero, and when sampled power has fewer than fewest_samples_to_divide samples.
std::optional<SharedEnergy> energy_per(const GpuInterval& interval, std::optional<double> count);

}  // namespace frx::model
