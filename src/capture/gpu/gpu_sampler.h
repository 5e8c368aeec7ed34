// Writes gpu_metrics.csv while a workload runs: a line per GPU and interval, on a thread of its own. Where no GPU can be sampled, only the
// header is written and there is a warning.
#pragma once

#include "capture/gpu/sampling_thread.h"

namespace frx::capture {

constexpr std::chrono::milliseconds shortest_interval{100};  // drivers average over longer than that

struct GpuSamplerOptions {
  std::chrono::milliseconds interval{1000};
  std::string csv_path;
  // Is given each round of samples, too, on the thread of the samples. May be called after stop(), as SamplingThread::Take. May be empty.
  std::function<void(const std::vector<GpuSample>&)> show{};
};

class GpuSampler {
 public:
  // Writes the header at once. `host` must outlive it, as in SamplingThread.
  static Result<GpuSampler> start(const GpuSamplerOptions& options, const Host& host);

  // Waits two seconds at most. Call once.
  GpuFacts stop() { return thread_.stop(); }

 private:
  explicit GpuSampler(SamplingThread thread) : thread_(std::move(thread)) {}

  SamplingThread thread_;
};

}  // namespace frx::capture
