#include "capture/gpu/visible_devices.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"

namespace frx::capture {
namespace {

VisibleGpus everything(const std::vector<GpuIdentity>& all, std::string doubt = {}) {
  VisibleGpus visible;
  for (const GpuIdentity& gpu : all) visible.indices.push_back(gpu.index);
  visible.doubt = std::move(doubt);
  return visible;
}

bool are_alike(const std::vector<GpuIdentity>& all) {
  return std::all_of(all.begin(), all.end(), [&](const GpuIdentity& gpu) { return gpu.name == all[0].name; });
}

std::optional<unsigned> as_index(std::string_view word) {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  return error == std::errc() && end == word.data() + word.size() ? std::optional(value) : std::nullopt;
}

// The GPU that one word identifies; nullptr when there is none, or several.
const GpuIdentity* named(const std::vector<GpuIdentity>& all, std::string_view word) {
  const std::optional<unsigned> index = as_index(word);
  const GpuIdentity* found = nullptr;
  for (const GpuIdentity& gpu : all) {
    const bool fits = index ? gpu.index == *index : word.starts_with("GPU-") && gpu.uuid.starts_with(word);
    if (fits && found != nullptr) return nullptr;
    if (fits) found = &gpu;
  }
  return found;
}

}  // namespace

VisibleGpus visible_gpus(const std::vector<GpuIdentity>& all, const std::optional<std::string>& variable, std::string_view order) {
  if (!variable || all.empty()) return everything(all);
  VisibleGpus visible;
  bool by_index = false;
  for (const std::string_view raw : split(*variable, ',')) {
    const std::string_view word = trim(raw);
    if (word.starts_with("MIG-"))
      return everything(all, "CUDA_VISIBLE_DEVICES names MIG instances, which have no utilisation of their own");
    const GpuIdentity* gpu = named(all, word);
    if (gpu == nullptr) break;
    by_index = by_index || as_index(word).has_value();
    visible.indices.push_back(gpu->index);
  }
  if (by_index && order != "PCI_BUS_ID" && !are_alike(all)) {
    return everything(
        all,
        "the GPUs differ and CUDA_DEVICE_ORDER is not PCI_BUS_ID, so the indices of CUDA_VISIBLE_DEVICES are not those of the "
        "driver");
  }
  std::sort(visible.indices.begin(), visible.indices.end());
  visible.indices.erase(std::unique(visible.indices.begin(), visible.indices.end()), visible.indices.end());
  return visible;
}

}  // namespace frx::capture
