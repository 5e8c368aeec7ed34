// A GPU of a machine as its driver describes it. What the driver does not tell is absent.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/session.h"

namespace frx::model {

// A number and who told it: "CUDA driver", "NVML", "nvidia-smi".
struct ToldNumber {
  double value = 0;
  std::string_view from;
};

// A part of a GPU that CUDA shows as a device of its own.
struct MigInstance {
  std::string name, uuid;  // "NVIDIA A100-SXM4-40GB MIG 1g.5gb", "MIG-..."
  std::optional<ToldNumber> sm_count, memory_bytes;
};

struct DetectedGpu {
  std::optional<unsigned> index;  // in the order of the bus, as nvidia-smi counts; absent where only CUDA shows the GPU
  std::string name, uuid, driver;
  std::string pci;  // "0000:17:00.0", lower case; "" when unknown
  std::string told_by;
  bool is_visible = true;  // to CUDA programs, by CUDA_VISIBLE_DEVICES
  std::optional<ComputeCapability> cc;
  std::optional<bool> mig_enabled;
  std::vector<MigInstance> instances;  // those that CUDA shows
  std::optional<ToldNumber> sm_count, threads_per_sm, registers_per_sm;
  std::optional<ToldNumber> memory_bytes, l2_bytes, shared_per_sm_bytes, shared_per_block_bytes;  // per block: with the opt-in attribute
  std::optional<ToldNumber> sm_clock_mhz, memory_clock_mhz, memory_bus_bits;                      // the highest clocks
  std::optional<ToldNumber> power_limit_w;
};

// The bandwidth of the memory by its clock and bus, which transfers twice a clock: MHz x 2 x bits / 8, in GB/s.
inline std::optional<double> bandwidth_by_clock_gbps(const DetectedGpu& gpu) {
  if (!gpu.memory_clock_mhz || !gpu.memory_bus_bits) return std::nullopt;
  return gpu.memory_clock_mhz->value * 2 * gpu.memory_bus_bits->value / 8 / 1000;
}

}  // namespace frx::model
