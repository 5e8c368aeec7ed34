#include "derive/device.h"

#include <fmt/format.h>

#include <algorithm>

#include "frx_generated/metric_ids.h"

namespace frx::derive {
namespace {

// Launches on several devices are rare; the one with a name and most launches represents the file.
const model::DeviceFacts* main_device(const model::Session& session) {
  const model::DeviceFacts* chosen = nullptr;
  for (const auto& [index, facts] : session.devices) {
    if (!chosen || (chosen->name.empty() && !facts.name.empty())) chosen = &facts;
  }
  return chosen;
}

std::optional<model::ComputeCapability> cc_of(const model::Session& session) {
  for (const auto& [index, facts] : session.devices) {
    if (facts.cc) return facts.cc;
  }
  for (const model::Kernel& kernel : session.kernels) {
    for (const model::LaunchGroup& group : kernel.groups) {
      if (group.cc) return group.cc;
    }
  }
  return std::nullopt;
}

std::string words_of(const knowledge::GpuQuery& query) {
  std::string text(query.name.value_or(""));
  if (query.cc) text += fmt::format("{}compute capability {}.{}", text.empty() ? "" : ", ", query.cc->major, query.cc->minor);
  if (query.sm_count) text += fmt::format("{}{} SMs", text.empty() ? "" : ", ", *query.sm_count);
  return text;
}

// Whether what the file says is another GPU than `chosen`.
bool is_other_gpu(const knowledge::GpuCatalogue& gpus, const knowledge::GpuQuery& file, const knowledge::GpuMatch& chosen) {
  if (file.cc && chosen.limits && chosen.limits->cc != *file.cc) return true;
  if (!chosen.product) return false;
  if (file.sm_count && chosen.product->sm_count && *chosen.product->sm_count != *file.sm_count) return true;
  return file.name && knowledge::match_gpu(gpus, file).product != nullptr &&
         knowledge::match_gpu(gpus, file).product->key != chosen.product->key;
}

// What the option names, whatever `file` says; attributes of the file only choose between versions of that product.
void take_option(const knowledge::GpuCatalogue& gpus, const knowledge::GpuQuery& file, const std::string& gpu_model, Device& device) {
  knowledge::GpuQuery option;
  option.name = gpu_model;
  const knowledge::GpuMatch alone = knowledge::match_gpu(gpus, option);
  knowledge::GpuQuery with_attributes = file;
  with_attributes.name = gpu_model;
  device.match = knowledge::match_gpu(gpus, with_attributes);
  device.name = gpu_model;
  device.origin = "--gpu-model";
  if (device.match.conflict || (!device.match.product && alone.product)) {
    device.match = alone;
    device.cc.reset();
    device.sm_count.reset();
    device.attribute_gbps.reset();
  }
  if (is_other_gpu(gpus, file, device.match))
    device.notes.push_back(fmt::format("--gpu-model {} was taken; the file says {}", gpu_model, words_of(file)));
}

}  // namespace

std::optional<double> Device::peak_tflops(std::string_view precision) const {
  if (!match.product || match.is_mig) return std::nullopt;
  return match.product->peak_tflops(precision);
}

std::optional<double> Device::peak_gbps() const {
  if (attribute_gbps) return attribute_gbps;
  if (!match.product || match.is_mig) return std::nullopt;
  return match.product->memory_bandwidth_gbps;
}

std::string Device::describe() const {
  const std::string capability = cc ? fmt::format("CC {}.{}", cc->major, cc->minor) : std::string();
  if (name.empty() && capability.empty()) return "unknown (no peak-based claims; name it with --gpu-model)";
  if (!match.product && name.empty())
    return fmt::format("compute capability {}.{} (from {}; product not known)", cc->major, cc->minor, origin);
  const std::string shown = match.product ? std::string(match.product->name) : name;
  return fmt::format("{} ({}{}from {})", shown, capability, capability.empty() ? "" : ", ", origin);
}

Device find_device(const model::Session& session, const model::Readings& readings, const knowledge::GpuCatalogue& gpus,
                   const std::string& gpu_model) {
  Device device;
  const model::DeviceFacts* facts = main_device(session);
  device.cc = cc_of(session);
  device.sm_count = readings.value(metrics::sm_count);
  if (const auto clock = readings.value(metrics::device_memory_clock); clock) {
    if (const auto bits = readings.value(metrics::device_memory_bus_width); bits) {
      device.attribute_gbps = *clock * 2 * *bits / 8 / 1e9;  // double data rate
    }
  }
  knowledge::GpuQuery query;
  query.cc = device.cc;
  if (device.sm_count) query.sm_count = static_cast<int>(*device.sm_count);
  if (const auto bytes = readings.value(metrics::device_total_memory)) query.memory_gb = *bytes / 1e9;
  if (facts && !facts->name.empty()) query.name = device.name = facts->name;
  device.origin = query.name || device.cc ? "the file" : "nothing in the file names it";
  if (gpu_model.empty()) {
    device.match = knowledge::match_gpu(gpus, query);
  } else {
    take_option(gpus, query, gpu_model, device);
  }
  if (!device.cc && device.match.limits) device.cc = device.match.limits->cc;
  if (!device.sm_count && device.match.product) device.sm_count = device.match.product->sm_count;
  return device;
}

Result<> apply_overrides(const knowledge::GpuOverrides& overrides, const std::string& gpu_model, Device& device) {
  TRY_ASSIGN(knowledge::GpuProfile profile, overrides.apply(device.match, gpu_model));
  auto shared = std::make_shared<const knowledge::GpuProfile>(std::move(profile));
  device.profile = shared;
  for (const std::string& change : shared->overridden) device.notes.push_back("--arch-profile: " + change);
  for (const std::string& note : shared->notes) device.notes.push_back("--arch-profile: " + note);
  if (shared->overridden.empty()) return {};
  device.match.product = &shared->product;
  if (shared->limits) device.match.limits = &*shared->limits;
  if (shared->product.sm_count) device.sm_count = shared->product.sm_count;
  if (shared->product.memory_bandwidth_gbps) device.attribute_gbps.reset();  // the user's number wins over the attribute
  return {};
}

void add_device_readings(const Device& device, model::Readings& readings) {
  const auto add = [&](model::Metric metric, std::optional<double> value, std::string_view source) {
    if (value) readings.set(metric, {*value, model::Origin::device, 0, 0, source});
  };
  const std::string_view source = device.match.product ? device.match.product->source : std::string_view();
  add(metrics::sm_count, device.sm_count, source);
  if (device.sm_count && device.limits()) {
    add(metrics::gpu_thread_slots, *device.sm_count * device.limits()->threads_per_sm, device.limits()->limits_source);
    add(metrics::device_max_warps_per_sm, device.limits()->warps_per_sm, device.limits()->limits_source);
  }
  if (const knowledge::SmLimits* limits = device.limits()) {
    const std::optional<double> fp32 = limits->fma_per_sm_clock["fp32"], fp64 = limits->fma_per_sm_clock["fp64"];
    if (fp32 && fp64 && *fp64 > 0) add(metrics::fp32_per_fp64, *fp32 / *fp64, limits->rates_source);
  }
  if (const auto gbps = device.peak_gbps()) {
    add(metrics::gpu_peak_dram_bandwidth, *gbps * 1e9, device.attribute_gbps ? std::string_view("device attributes in the file") : source);
  }
  if (const auto tflops = device.peak_tflops("fp32")) add(metrics::gpu_peak_fp32, *tflops * 1e12, source);
}

}  // namespace frx::derive
