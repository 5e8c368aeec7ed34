// One sample of one GPU, and its line in gpu_metrics.csv.
//
// The first nine columns are those of docs/contract.md, named as nvidia-smi names its fields; further ones follow. A value that a GPU does
// not report is empty, never zero.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace frx::capture {

struct ProcessMemory {
  unsigned pid = 0;
  std::optional<double> mib;  // absent where this user has no permission
};

struct GpuSample {
  unsigned index = 0;
  std::string name{};
  std::string uuid{};
  std::optional<double> utilization_gpu{};     // %
  std::optional<double> utilization_memory{};  // %
  std::optional<double> memory_used{};         // MiB
  std::optional<double> memory_total{};        // MiB
  std::optional<double> memory_free{};         // MiB
  std::optional<unsigned> pcie_generation{};
  std::optional<unsigned> pcie_width{};
  std::optional<double> sm_clock{};                 // MHz
  std::optional<double> memory_clock{};             // MHz
  std::optional<double> power{};                    // W
  std::optional<double> power_limit{};              // W
  std::optional<double> temperature{};              // degrees Celsius
  std::optional<std::uint64_t> throttle_reasons{};  // a mask of nvmlClocksThrottleReasons
  std::optional<std::vector<ProcessMemory>> processes{};
  std::optional<std::uint64_t> total_energy_mj{};  // since the driver was loaded; Volta and newer, NVML only
};

// The clocks were lowered for power, heat or an external brake: SW power cap, HW slowdown, SW and HW thermal, HW power brake.
constexpr std::uint64_t slowing_reasons = 0x4 | 0x8 | 0x20 | 0x40 | 0x80;
// Whether the GPU was slowed down so; absent where the driver does not tell.
std::optional<bool> is_slowed(const GpuSample& sample);
// Those of a mask, in words: "software power cap".
std::vector<std::string_view> slowing_words(std::uint64_t throttle_reasons);

// The header of the file, with its line end.
std::string gpu_metrics_header();
// `timestamp`: UTC, ISO 8601; `monotonic_ns`: CLOCK_MONOTONIC, which the events of the SDK use too.
std::string gpu_metrics_line(const GpuSample& sample, std::string_view timestamp, std::int64_t monotonic_ns);

// "2026-03-01T12:34:56.789012+00:00", the current time.
std::string utc_now();
std::int64_t monotonic_now_ns();

}  // namespace frx::capture
