#include "derive/trace/memory_peaks.h"

#include <algorithm>

namespace frx::derive::trace {

std::vector<model::GpuSample> memory_peaks(const model::Timeline& timeline) {
  std::vector<model::GpuSample> peaks;
  for (const model::TracedGpu& gpu : timeline.facts.gpus) {
    if (gpu.memory_bytes == 0) continue;
    std::optional<std::uint64_t> reserved;
    for (const model::MemorySample& sample : timeline.memory) {
      if (sample.device >= 0 && sample.device == gpu.id) reserved = std::max(reserved.value_or(0), sample.reserved_bytes);
    }
    if (!reserved) continue;
    peaks.push_back({gpu.id, {}, {}, {}, static_cast<double>(*reserved), static_cast<double>(gpu.memory_bytes)});
  }
  return peaks;
}

}  // namespace frx::derive::trace
