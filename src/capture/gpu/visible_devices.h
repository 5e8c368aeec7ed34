// Which GPUs the workload may use, according to CUDA_VISIBLE_DEVICES.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace frx::capture {

struct GpuIdentity {
  unsigned index = 0;  // in the order of the bus, as the driver and nvidia-smi count
  std::string name;
  std::string uuid;
};

struct VisibleGpus {
  std::vector<unsigned> indices;  // of the driver, ascending
  std::string doubt;              // why it may be other GPUs, and these are all; or ""
};

// `variable`: CUDA_VISIBLE_DEVICES, absent when it is not set; `order`: CUDA_DEVICE_ORDER.
//
// As CUDA reads it: indices or prefixes of UUIDs up to the first that names no GPU; empty or "-1": none. CUDA counts the fastest GPU first
// unless the order is PCI_BUS_ID, so indices are certain only then, or where all GPUs are alike; MIG instances have no utilisation of their
// own. If it is uncertain, these are all GPUs.
VisibleGpus visible_gpus(const std::vector<GpuIdentity>& all, const std::optional<std::string>& variable, std::string_view order);

}  // namespace frx::capture
