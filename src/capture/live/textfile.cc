#include "capture/live/textfile.h"

#include <fmt/format.h>

#include <cmath>

#include "base/prometheus_text.h"

namespace frx::capture {
namespace {

// Of what the driver says to base units. 70 / 100 is 0.7, 70 * 0.01 is not.
struct Scale {
  double times = 1, per = 1;
};

class RunText {
 public:
  explicit RunText(const RunState& state) : state_(state), run_("run_id=" + label_value(state.names.run_id)) {}

  void add_run();
  void add_gpus();
  void add_steps();
  std::string take() { return std::move(out_); }

 private:
  void one(std::string_view name, std::string_view help, const std::string& value) {
    describe_metric(out_, name, "gauge", help);
    out_ += fmt::format("{}{{{}}} {}\n", name, run_, value);
  }
  // `read` of each GPU in base units; what is absent or no number is left out.
  template <typename Read>
  void each_gpu(std::string_view name, std::string_view help, Scale scale, Read read);

  const RunState& state_;
  std::string run_;
  std::string out_;
};

std::string seconds_of(std::int64_t ns) { return fmt::format("{:.3f}", static_cast<double>(ns) / 1e9); }

void RunText::add_run() {
  describe_metric(out_, "frx_run_info", "gauge", "The run, its job and the version of frx that observes it.");
  out_ += fmt::format("frx_run_info{{{},job_name={},version={}}} 1\n", run_, label_value(state_.names.job_name),
                      label_value(state_.names.version));
  one("frx_run_started_timestamp_seconds", "When the run began.", seconds_of(state_.started_ns));
  one("frx_run_updated_timestamp_seconds", "When this file was written.", seconds_of(state_.now_ns));
  if (state_.ended_ns) one("frx_run_ended_timestamp_seconds", "When the run ended; absent while it goes on.", seconds_of(*state_.ended_ns));
  if (state_.exit_code)
    one("frx_run_exit_code", "The exit code of the program, or 128 + N when signal N ended it.", fmt::format("{}", *state_.exit_code));
}

template <typename Read>
void RunText::each_gpu(std::string_view name, std::string_view help, Scale scale, Read read) {
  bool is_open = false;
  for (const GpuSample& gpu : state_.gpus) {
    const std::optional<double> value = read(gpu);
    if (!value || !std::isfinite(*value)) continue;
    if (!is_open) describe_metric(out_, name, "gauge", help);
    is_open = true;
    out_ += fmt::format("{}{{{},gpu=\"{}\",uuid={}}} {}\n", name, run_, gpu.index, label_value(gpu.uuid), *value * scale.times / scale.per);
  }
}

void RunText::add_gpus() {
  if (!state_.gpus.empty()) describe_metric(out_, "frx_run_gpu_info", "gauge", "A GPU that the run may use.");
  for (const GpuSample& gpu : state_.gpus)
    out_ += fmt::format("frx_run_gpu_info{{{},gpu=\"{}\",uuid={},model={}}} 1\n", run_, gpu.index, label_value(gpu.uuid),
                        label_value(gpu.name));
  constexpr Scale percent{1, 100}, mib{1048576, 1}, mega{1e6, 1}, as_it_is{};
  using Sample = const GpuSample&;
  each_gpu("frx_run_gpu_utilization_ratio", "The share of time in which a kernel ran, as the driver averages it.", percent,
           [](Sample gpu) { return gpu.utilization_gpu; });
  each_gpu("frx_run_gpu_memory_busy_ratio", "The share of time in which memory was read or written, as the driver averages it.", percent,
           [](Sample gpu) { return gpu.utilization_memory; });
  each_gpu("frx_run_gpu_memory_used_bytes", "Memory of the GPU in use, by all programs.", mib, [](Sample gpu) { return gpu.memory_used; });
  each_gpu("frx_run_gpu_memory_size_bytes", "Memory of the GPU.", mib, [](Sample gpu) { return gpu.memory_total; });
  each_gpu("frx_run_gpu_power_watts", "What the GPU draws.", as_it_is, [](Sample gpu) { return gpu.power; });
  each_gpu("frx_run_gpu_power_limit_watts", "What the GPU may draw.", as_it_is, [](Sample gpu) { return gpu.power_limit; });
  each_gpu("frx_run_gpu_temperature_celsius", "The temperature of the GPU.", as_it_is, [](Sample gpu) { return gpu.temperature; });
  each_gpu("frx_run_gpu_sm_clock_hertz", "The clock of the SMs.", mega, [](Sample gpu) { return gpu.sm_clock; });
  each_gpu("frx_run_gpu_memory_clock_hertz", "The clock of the memory.", mega, [](Sample gpu) { return gpu.memory_clock; });
  each_gpu("frx_run_gpu_slowed", "1 while power, heat or a brake lowers the clocks, else 0.", as_it_is, [](Sample gpu) {
    const std::optional<bool> slowed = is_slowed(gpu);
    return slowed ? std::optional(*slowed ? 1.0 : 0.0) : std::nullopt;
  });
  if (state_.gpu_rounds == 0) return;
  describe_metric(out_, "frx_run_gpu_samples_total", "counter", "Samples of all GPUs that were taken.");
  out_ += fmt::format("frx_run_gpu_samples_total{{{}}} {}\n", run_, state_.gpu_rounds);
}

void RunText::add_steps() {
  if (!state_.steps.empty()) describe_metric(out_, "frx_run_steps_total", "counter", "Steps that have ended, by kind and status.");
  for (const auto& [key, count] : state_.steps)
    out_ += fmt::format("frx_run_steps_total{{{},kind=\"{}\",status=\"{}\"}} {}\n", run_, key.first, key.second, count);
  constexpr const char* name = "frx_run_step_duration_seconds";
  if (!state_.step_times.empty())
    describe_metric(out_, name, "histogram", "Times of steps that ended well, without the wait for their batches.");
  for (const auto& [kind, times] : state_.step_times) {
    const std::string labels = fmt::format("{},kind=\"{}\"", run_, kind);
    std::uint64_t below = 0;
    for (std::size_t i = 0; i < StepTimes::bounds.size(); ++i) {
      below += times.counts[i];
      out_ += fmt::format("{}_bucket{{{},le=\"{}\"}} {}\n", name, labels, StepTimes::bounds[i], below);
    }
    out_ +=
        fmt::format("{0}_bucket{{{1},le=\"+Inf\"}} {2}\n{0}_sum{{{1}}} {3}\n{0}_count{{{1}}} {2}\n", name, labels, times.count, times.sum);
  }
}

}  // namespace

std::string textfile_of(const RunState& state) {
  RunText text(state);
  text.add_run();
  text.add_gpus();
  text.add_steps();
  return text.take();
}

}  // namespace frx::capture
