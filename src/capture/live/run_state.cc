#include "capture/live/run_state.h"

#include <algorithm>
#include <chrono>

namespace frx::capture {
namespace {

// Other texts are one series: a program may write anything into its events.
std::string known_or(const std::string& text, std::initializer_list<const char*> known, const char* otherwise) {
  return std::find(known.begin(), known.end(), text) != known.end() ? text : otherwise;
}

constexpr double bytes_per_mib = 1048576, mega = 1e6;

// Divided, since 70 * 0.01 is not 0.7.
std::optional<double> share(std::optional<double> percent) { return percent ? std::optional(*percent / 100) : std::nullopt; }
std::optional<double> times(std::optional<double> value, double unit) { return value ? std::optional(*value * unit) : std::nullopt; }

using Gpu = const GpuSample&;
constexpr std::array<GpuFigure, 10> figures{{
    {"frx_run_gpu_utilization_ratio", "The share of time in which a kernel ran, as the driver averages it.", "hw.gpu.utilization", "1",
     [](Gpu gpu) { return share(gpu.utilization_gpu); }},
    {"frx_run_gpu_memory_busy_ratio", "The share of time in which memory was read or written, as the driver averages it.",
     "frx.run.gpu.memory.busy", "1", [](Gpu gpu) { return share(gpu.utilization_memory); }},
    {"frx_run_gpu_memory_used_bytes", "Memory of the GPU in use, by all programs.", "hw.gpu.memory.usage", "By",
     [](Gpu gpu) { return times(gpu.memory_used, bytes_per_mib); }},
    {"frx_run_gpu_memory_size_bytes", "Memory of the GPU.", "hw.gpu.memory.limit", "By",
     [](Gpu gpu) { return times(gpu.memory_total, bytes_per_mib); }},
    {"frx_run_gpu_power_watts", "What the GPU draws.", "hw.power", "W", [](Gpu gpu) { return gpu.power; }},
    {"frx_run_gpu_power_limit_watts", "What the GPU may draw.", "frx.run.gpu.power.limit", "W", [](Gpu gpu) { return gpu.power_limit; }},
    {"frx_run_gpu_temperature_celsius", "The temperature of the GPU.", "hw.temperature", "Cel", [](Gpu gpu) { return gpu.temperature; }},
    {"frx_run_gpu_sm_clock_hertz", "The clock of the SMs.", "frx.run.gpu.sm.clock", "Hz",
     [](Gpu gpu) { return times(gpu.sm_clock, mega); }},
    {"frx_run_gpu_memory_clock_hertz", "The clock of the memory.", "frx.run.gpu.memory.clock", "Hz",
     [](Gpu gpu) { return times(gpu.memory_clock, mega); }},
    {"frx_run_gpu_slowed", "1 while power, heat or a brake lowers the clocks, else 0.", "frx.run.gpu.slowed", "1",
     [](Gpu gpu) {
       const std::optional<bool> slowed = is_slowed(gpu);
       return slowed ? std::optional(*slowed ? 1.0 : 0.0) : std::nullopt;
     }},
}};

}  // namespace

std::span<const GpuFigure> gpu_figures() { return figures; }

void StepTimes::add(double seconds) {
  ++counts[static_cast<std::size_t>(std::ranges::lower_bound(bounds, seconds) - bounds.begin())];
  ++count;
  sum += seconds;
}

void follow_steps(StepTail& tail, RunState& state) {
  constexpr int most_reads = 256;  // a GiB in all; the rest is read next time
  for (int i = 0; i < most_reads; ++i) {
    for (const LiveStep& step : tail.read()) {
      const std::string kind = known_or(step.kind, {"train", "eval", "inference"}, "other");
      const std::string status = known_or(step.status, {"ok", "error", "cancelled"}, "unknown");
      ++state.steps[{kind, status}];
      if (status == "ok" && step.duration_ns && *step.duration_ns >= 0)
        state.step_times[kind].add(static_cast<double>(*step.duration_ns) / 1e9);
    }
    tail.forget_steps();
    if (!tail.has_more()) return;
  }
}

std::int64_t unix_now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace frx::capture
