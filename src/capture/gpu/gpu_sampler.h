// Writes gpu_metrics.csv while a workload runs: a line per GPU and interval, on a thread of its own.
//
// By NVML where it can be loaded, otherwise by nvidia-smi, otherwise only the header and a warning are written. A driver that fails or
// hangs never stops the workload: it is queried again, more slowly after five failures in a row, and abandoned at the end.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "capture/gpu/gpu_source.h"
#include "capture/host.h"

namespace frx::capture {

constexpr std::chrono::milliseconds shortest_interval{100};  // drivers average over longer than that

struct GpuSamplerOptions {
  std::chrono::milliseconds interval{1000};
  std::string csv_path;
};

// The results of sampling.
struct GpuFacts {
  std::string source;  // "NVML 12.550.54", "nvidia-smi"; empty: no GPU could be queried
  std::string driver;
  std::vector<GpuIdentity> gpus;  // those the workload may use
  std::uint64_t rounds = 0;       // samples of all GPUs
  std::vector<std::string> warnings;
};

// NVML, or nvidia-smi. Fails, saying why, where neither shows a GPU.
Result<std::unique_ptr<GpuSource>> open_gpu_source(const Host& host, std::chrono::milliseconds interval);

class GpuSampler {
 public:
  // Writes the header at once. `host` must outlive it and provides FRX_NVML_LIBRARY, CUDA_VISIBLE_DEVICES and CUDA_DEVICE_ORDER.
  static Result<GpuSampler> start(const GpuSamplerOptions& options, const Host& host);
  GpuSampler(GpuSampler&&) noexcept;
  GpuSampler& operator=(GpuSampler&&) = delete;
  ~GpuSampler();

  // Waits two seconds at most. Call once.
  GpuFacts stop();

 private:
  struct State;
  explicit GpuSampler(std::shared_ptr<State> state) : state_(std::move(state)) {}

  std::shared_ptr<State> state_;
};

}  // namespace frx::capture
