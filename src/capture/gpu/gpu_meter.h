// Measures what the GPUs do while a workload runs: start it before, stop it after.
//
//   GpuMeter meter = GpuMeter::start({}, host);   // samples idle power first
//   ... run the workload ...
//   const GpuMeasurement measured = meter.stop();
//
// The interval begins with a sample, and one follows its end, so that the counter is read at both. Without a driver, or with one that fails
// or hangs, there are warnings and no numbers; the workload is never stopped.
#pragma once

#include "capture/gpu/gpu_interval.h"
#include "capture/gpu/sampling_thread.h"

namespace frx::capture {

struct GpuMeterOptions {
  std::chrono::milliseconds interval{50};        // between samples; at most 100 for an energy that can be trusted
  std::chrono::milliseconds idle{500};           // how long idle power is sampled before start() returns; 0: it is not
  std::optional<model::EnergySource> only_by{};  // the one way by which energy is found; nullopt: the counter, else samples
};

struct GpuMeasurement {
  std::string source;                    // "NVML 12.550.54", "nvidia-smi"; "" where no GPU could be queried
  std::vector<model::GpuInterval> gpus;  // each that the workload may use, by index
  std::vector<std::string> warnings;
};

class GpuMeter {
 public:
  // Returns when the interval has begun: after the idle time and the time that the driver needs, at most ten seconds more. `host` must
  // outlive it, as in SamplingThread.
  static GpuMeter start(const GpuMeterOptions& options, const Host& host);

  // Ends the interval. Waits four seconds at most for a driver that hangs. Call once.
  GpuMeasurement stop();

 private:
  struct Samples;
  GpuMeter(std::shared_ptr<Samples> samples, SamplingThread thread) : samples_(std::move(samples)), thread_(std::move(thread)) {}

  std::shared_ptr<Samples> samples_;
  SamplingThread thread_;
  std::optional<model::EnergySource> only_by_;
  std::int64_t begin_ns_ = 0;
  bool has_begun_ = false;
};

}  // namespace frx::capture
