#include "capture/live/textfile.h"

#include <fmt/format.h>

#include <cmath>

#include "base/prometheus_text.h"

namespace frx::capture {
namespace {

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
  // What is absent or no number is left out.
  void each_gpu(const GpuFigure& figure);

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

void RunText::each_gpu(const GpuFigure& figure) {
  bool is_open = false;
  for (const GpuSample& gpu : state_.gpus) {
    const std::optional<double> value = figure.read(gpu);
    if (!value || !std::isfinite(*value)) continue;
    if (!is_open) describe_metric(out_, figure.prometheus, "gauge", figure.help);
    is_open = true;
    out_ += fmt::format("{}{{{},gpu=\"{}\",uuid={}}} {}\n", figure.prometheus, run_, gpu.index, label_value(gpu.uuid), *value);
  }
}

void RunText::add_gpus() {
  if (!state_.gpus.empty()) describe_metric(out_, "frx_run_gpu_info", "gauge", "A GPU that the run may use.");
  for (const GpuSample& gpu : state_.gpus)
    out_ += fmt::format("frx_run_gpu_info{{{},gpu=\"{}\",uuid={},model={}}} 1\n", run_, gpu.index, label_value(gpu.uuid),
                        label_value(gpu.name));
  for (const GpuFigure& figure : gpu_figures()) each_gpu(figure);
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
    add_histogram(out_, name, fmt::format("{},kind=\"{}\"", run_, kind), StepTimes::bounds, times.counts, times.sum);
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
