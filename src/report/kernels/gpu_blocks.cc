#include "report/kernels/gpu_blocks.h"

#include <algorithm>

#include "base/text.h"

namespace frx::report {
namespace {

constexpr double bytes_of_mib = 1 << 20;
constexpr double large_share = 0.5;  // of the run: below it, its power is mostly that of other work

std::optional<double> mib(const std::optional<double>& bytes) { return bytes ? std::optional(*bytes / bytes_of_mib) : std::nullopt; }

bool have_one_name(std::span<const model::GpuInterval> gpus) {
  return !gpus.empty() && !gpus.front().name.empty() &&
         std::ranges::all_of(gpus, [&](const model::GpuInterval& gpu) { return gpu.name == gpus.front().name; });
}

void add_run(const model::GpuInterval& gpu, const model::GpuEnergy& spent, model::FullProfile& profile) {
  model::full_profile::ProfiledEnergy& energy = profile.energy;
  energy.run_joules = spent.gross.joules;
  energy.run_uncertainty_joules = spent.gross.uncertainty_joules;
  energy.run_seconds = spent.seconds;
  energy.run_samples = gpu.samples;
  energy.source = std::string(to_string(spent.source));
  energy.average_power_watts = spent.gross.joules / spent.seconds;
  profile.provenance["energy"] = fmt::format("{} by {} while the program ran by itself", to_string(spent.source), printable(gpu.source));
  if (const std::optional<model::Joules> net = net_of_idle(gpu)) {
    energy.run_net_joules = net->joules;
    energy.run_net_uncertainty_joules = net->uncertainty_joules;
    energy.net_power_watts = net->joules / spent.seconds;
    profile.provenance["energy.net_power_watts"] = fmt::format("without idle power: {}", gpu.idle->found);
  }
}

void add_energy_of_launch(const model::GpuInterval& gpu, KernelProfile& made) {
  model::FullProfile& profile = made.profile;
  const std::optional<double>& time_us = profile.timing.wall_clock_time_us;
  if (!time_us) {
    made.hints.emplace_back("energy of a launch: the time of the kernel is not known");
    return;
  }
  if (gpu.samples < model::fewest_samples_to_divide) {
    made.hints.push_back(
        fmt::format("energy of a launch: the run by itself is too short, with {} of power where {} are needed; let the "
                    "program repeat its work for a second or more",
                    count_text(gpu.samples, "sample"), model::fewest_samples_to_divide));
    return;
  }
  profile.energy.joules_per_inference = *profile.energy.average_power_watts * *time_us * 1e-6;
  profile.provenance["energy.joules_per_inference"] = "average power of the run by itself x time of the kernel";
}

void note_small_share(KernelProfile& made) {
  if (made.matches.empty() || !made.matches.front().total_us) return;
  const double share = *made.matches.front().total_us * 1e-6 / *made.profile.energy.run_seconds;
  if (share >= large_share) return;
  made.profile.notes.push_back(
      fmt::format("the launches of this kernel take {:.2g} % of the time of the run by itself: its average power is mostly that of other "
                  "work and of waiting",
                  100 * share));
}

}  // namespace

void name_devices(std::span<const model::GpuInterval> gpus, model::Session& session) {
  if (!have_one_name(gpus)) return;
  if (session.devices.empty()) session.devices[0] = {};
  for (auto& [index, facts] : session.devices) {
    if (facts.name.empty()) facts.name = gpus.front().name;
  }
}

void add_gpu_blocks(std::span<const model::GpuInterval> gpus, std::string_view during, model::FullProfile& profile) {
  if (gpus.empty()) return;
  if (gpus.size() > 1) {
    profile.hardware.driver = printable(gpus.front().driver);
    profile.notes.push_back("several GPUs are visible and ncu does not say which of them ran the kernel by its UUID: no memory and health");
    return;
  }
  const model::GpuInterval& gpu = gpus.front();
  if (!gpu.driver.empty()) profile.hardware.driver = printable(gpu.driver);
  if (!gpu.uuid.empty()) profile.hardware.gpu_uuid = printable(gpu.uuid);
  model::full_profile::ProfiledVram& vram = profile.vram;
  vram.vram_used_mb = mib(gpu.memory_used_bytes);
  vram.vram_total_mb = mib(gpu.memory_total_bytes);
  vram.vram_free_mb = mib(gpu.memory_free_bytes);
  vram.vram_peak_mb = mib(gpu.memory_peak_bytes);
  if (vram.vram_used_mb && vram.vram_total_mb.value_or(0) > 0) vram.vram_utilization_pct = 100 * *vram.vram_used_mb / *vram.vram_total_mb;
  model::full_profile::ProfiledSystemHealth& health = profile.system_health;
  health.gpu_temperature_celsius = gpu.mean_temperature_c;
  if (gpu.power_watts) health.gpu_power_watts = gpu.power_watts->mean;
  health.gpu_clock_mhz = gpu.mean_sm_clock_mhz;
  health.gpu_memory_clock_mhz = gpu.mean_memory_clock_mhz;
  health.gpu_memory_used_mb = vram.vram_used_mb;
  health.gpu_memory_total_mb = vram.vram_total_mb;
  const std::string source = fmt::format("{} {}", printable(gpu.source), during);
  for (const char* section : {"vram", "system_health"}) profile.provenance[section] = source;
}

void add_energy(std::span<const model::GpuInterval> gpus, KernelProfile& made) {
  if (gpus.size() != 1) {
    made.hints.emplace_back(gpus.empty()
                                ? "energy: no GPU could be asked for its power while the program ran by itself"
                                : "energy: it is not known which of several GPUs ran the kernel; CUDA_VISIBLE_DEVICES=0 leaves one");
    return;
  }
  const model::GpuInterval& gpu = gpus.front();
  for (const std::string& note : gpu.notes) made.profile.notes.push_back("the run by itself: " + printable(note));
  if (!gpu.energy || !(gpu.energy->seconds > 0)) {
    made.hints.emplace_back("energy: the driver tells neither energy nor power of this GPU");
    return;
  }
  add_run(gpu, *gpu.energy, made.profile);
  const std::optional<double>& tflops = made.profile.throughput.tflops;
  const double watts = *made.profile.energy.average_power_watts;
  if (tflops && watts > 0) {
    made.profile.energy.tflops_per_watt = *tflops / watts;
    made.profile.provenance["energy.tflops_per_watt"] = "TFLOP/s of the kernel / average power of the run by itself";
  }
  add_energy_of_launch(gpu, made);
  note_small_share(made);
}

}  // namespace frx::report
