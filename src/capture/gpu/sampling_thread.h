// Samples the GPUs of a workload on a thread of its own, at an interval, and hands each round of samples on.
//
// By NVML where it can be loaded, otherwise by nvidia-smi; where there is neither, there is a warning and no sample. A driver that fails or
// hangs never stops the workload: it is queried again, more slowly after five failures in a row, and abandoned at the end.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "capture/gpu/gpu_source.h"
#include "capture/host.h"

namespace frx::capture {

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

class SamplingThread {
 public:
  // Called on the thread with the samples of each round. An error ends the sampling and becomes a warning.
  using Take = std::function<Result<>(const std::vector<GpuSample>&)>;

  // `host` must outlive it and provides FRX_NVML_LIBRARY, CUDA_VISIBLE_DEVICES and CUDA_DEVICE_ORDER. `take` may be called after stop()
  // when the driver hung, so it owns what it writes to.
  static SamplingThread start(std::chrono::milliseconds interval, const Host& host, Take take);
  SamplingThread(SamplingThread&&) noexcept;
  SamplingThread& operator=(SamplingThread&&) = delete;
  ~SamplingThread();

  // Has a round taken that begins after this call, without waiting for the interval, and waits for it at most as long as `limit`. Whether
  // there was one.
  bool sample_now(std::chrono::milliseconds limit);
  // Waits two seconds at most. Call once.
  GpuFacts stop();

 private:
  struct State;
  explicit SamplingThread(std::shared_ptr<State> state) : state_(std::move(state)) {}

  std::shared_ptr<State> state_;
};

}  // namespace frx::capture
