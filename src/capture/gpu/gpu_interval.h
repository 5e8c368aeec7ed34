// From samples of a GPU to what it did during an interval: the sums, and how far they may be wrong. No GPU is asked here.
//
// Energy, by the counter (NVML's total energy, millijoules since the driver was loaded) where two readings of it rise:
//     E = first reading at or behind the end - last reading at or before the beginning (else the outermost inside)
//     u = P_max x (update + the time between these readings and the bounds)
// The counter is brought up to date about every 0.1 s (counter_update_seconds), so each reading may be that old; at the beginning this adds
// energy, at the end it leaves some out.
//
// Otherwise from at least two samples of power, by trapezoids between samples and rectangles before the first and behind the last:
//     E = sum of (P_i + P_i+1) / 2 x (t_i+1 - t_i) + P_first x (t_first - begin) + P_last x (end - t_last)
//     u = sum of |P_i+1 - P_i| / 2 x (t_i+1 - t_i)                          spacing: all that lies between the two samples
//       + (P_max - P_min) x ((t_first - begin) + (end - t_last))            first and last gap
//       + (P_max - P_min) x window / 2                                      averaging of the sensor, once at each end
// where P_min and P_max are over the interval and the idle samples before it. Sensors of Ampere (but for GA100) and newer average over one
// second (sensor_window_seconds, which is an upper bound for older ones). The accuracy of the sensor itself, about 5 %, is not part of u:
// it is the same for all runs on one GPU.
#pragma once

#include <span>

#include "capture/gpu/gpu_sample.h"
#include "model/gpu_interval.h"

namespace frx::capture {

constexpr double counter_update_seconds = 0.1;
constexpr double sensor_window_seconds = 1.0;
constexpr std::size_t fewest_idle_samples = 3;
constexpr double fewest_samples_per_second = 10;

struct TimedSample {
  std::int64_t time_ns = 0;  // of monotonic_now_ns()
  GpuSample sample;
};

// `samples`: of one GPU, rising in time. Those before `begin_ns` give the idle power; those between the bounds, both included, the
// interval; the first behind it closes the counter. A power, clock or counter that a sample lacks is left out, never zero. `only_by`: the
// one way by which the energy may be found; nullopt: the counter, else samples. Where that way does not tell, a note says so and there is
// no energy.
model::GpuInterval interval_of(std::span<const TimedSample> samples, std::int64_t begin_ns, std::int64_t end_ns,
                               std::optional<model::EnergySource> only_by = {});

}  // namespace frx::capture
