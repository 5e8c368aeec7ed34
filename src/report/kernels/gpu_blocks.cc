#include "report/kernels/gpu_blocks.h"

#include <algorithm>

#include "base/safe_text.h"

namespace frx::report {
namespace {

constexpr double bytes_of_mib = 1 << 20;

std::optional<double> mib(const std::optional<double>& bytes) { return bytes ? std::optional(*bytes / bytes_of_mib) : std::nullopt; }

bool have_one_name(std::span<const model::GpuInterval> gpus) {
  return !gpus.empty() && !gpus.front().name.empty() &&
         std::ranges::all_of(gpus, [&](const model::GpuInterval& gpu) { return gpu.name == gpus.front().name; });
}

}  // namespace

void name_devices(std::span<const model::GpuInterval> gpus, model::Session& session) {
  if (!have_one_name(gpus)) return;
  if (session.devices.empty()) session.devices[0] = {};
  for (auto& [index, facts] : session.devices) {
    if (facts.name.empty()) facts.name = gpus.front().name;
  }
}

void add_gpu_blocks(std::span<const model::GpuInterval> gpus, model::FullProfile& profile) {
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
  const std::string source = printable(gpu.source) + " while ncu ran";
  for (const char* section : {"vram", "system_health"}) profile.provenance[section] = source;
}

}  // namespace frx::report
