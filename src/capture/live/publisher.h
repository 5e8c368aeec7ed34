// Publishes what is seen of a run while it goes on, beside it: `frx collect --metrics-file` and `--otlp`.
//
// On a thread of its own, at an interval, and once more when the run has ended. A destination that fails or hangs never slows or fails the
// run; there is one warning at the end with the number of times that it was not written.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "capture/host.h"
#include "capture/live/run_state.h"

namespace frx::capture {

constexpr double shortest_metrics_interval = 0.1, longest_metrics_interval = 3600;  // seconds

struct LiveRequest {
  std::string metrics_file;  // "FILE.prom"; empty: none
  std::string otlp;          // a URL, or "env"; empty: none
  std::chrono::milliseconds interval{10'000};

  bool is_wanted() const { return !metrics_file.empty() || !otlp.empty(); }
};

struct LiveRun {
  RunNames names;
  std::string trace_path;                           // of the SDK's events; need not be there yet
  std::chrono::milliseconds sample_interval{1000};  // of the GPUs
};

class LivePublisher {
 public:
  // Publishes at once. Usage: the name does not end in .prom, or is no regular file; the errors of otlp_target(). Unreadable: the
  // folder cannot be written. Environment: there is no libcurl for OTLP.
  static Result<LivePublisher> start(const LiveRequest& request, LiveRun run, const Host& host);
  LivePublisher(LivePublisher&&) noexcept;
  LivePublisher& operator=(LivePublisher&&) = delete;
  // Without a finish() before it, the run never began: the file is removed.
  ~LivePublisher();

  // Where each round of samples goes; may be called from any thread, and after this object is gone.
  std::function<void(const std::vector<GpuSample>&)> gpu_samples() const;

  // The run has ended: publishes that, for a few seconds at most. The warnings. Call once.
  std::vector<std::string> finish(int exit_code);

 private:
  struct State;
  explicit LivePublisher(std::shared_ptr<State> state) : state_(std::move(state)) {}

  std::shared_ptr<State> state_;
};

}  // namespace frx::capture
