#include "capture/gpu/gpu_detection.h"

#include <algorithm>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "base/text.h"
#include "capture/gpu/cuda_driver.h"
#include "capture/gpu/driver_library.h"
#include "capture/gpu/nvidia_smi_table.h"
#include "capture/gpu/nvml.h"
#include "capture/gpu/visible_devices.h"
#include "knowledge/gpus.h"

namespace frx::capture {
namespace {

using model::DetectedGpu;
using model::ToldNumber;
using Described = Result<std::vector<DetectedGpu>>;

constexpr std::chrono::seconds library_limit{5};
constexpr double smi_mib = 1024.0 * 1024.0;

// The answer of a library that may hang: it is asked on a thread, which is left behind when the time is over.
Described within_limit(std::string_view what, std::function<Described()> ask) {
  struct Shared {
    std::mutex mutex;
    std::condition_variable changed;
    std::optional<Described> answer;
  };
  const auto shared = std::make_shared<Shared>();
  std::thread([shared, ask = std::move(ask)] {
    Described answer = ask();
    const std::lock_guard lock(shared->mutex);
    shared->answer = std::move(answer);
    shared->changed.notify_all();
  }).detach();
  std::unique_lock lock(shared->mutex);
  if (shared->changed.wait_for(lock, library_limit, [&] { return shared->answer.has_value(); })) return std::move(*shared->answer);
  return fail(ErrorKind::environment, "{} does not answer within {} seconds", what, library_limit.count());
}

// "00000000:17:00.0" and "0000:17:00.0" are one address.
std::string pci_of(std::string_view text) {
  std::string lower = to_lower(text);
  const std::size_t colon = lower.find(':');
  return colon != lower.npos && colon > 4 ? lower.substr(colon - 4) : lower;
}

std::optional<ToldNumber> told_by_smi(std::optional<double> value, double by = 1) {
  return value ? std::optional(ToldNumber{*value * by, "nvidia-smi"}) : std::nullopt;
}

Described describe_by_nvidia_smi(const Host& host) {
  const std::optional<std::string> path = host.program("nvidia-smi");
  if (!path) return fail(ErrorKind::environment, "there is no nvidia-smi");
  TRY_ASSIGN(const NvidiaSmiTable table,
             query_nvidia_smi(host, *path,
                              {"index", "uuid", "name", "compute_cap", "memory.total", "driver_version", "pci.bus_id", "power.limit",
                               "clocks.max.sm", "clocks.max.memory", "mig.mode.current"}));
  std::vector<DetectedGpu> gpus;
  for (std::size_t row = 0; row < table.size(); ++row) {
    DetectedGpu& gpu = gpus.emplace_back();
    gpu.index = table.whole(row, "index");
    gpu.uuid = table.text(row, "uuid"), gpu.name = table.text(row, "name"), gpu.driver = table.text(row, "driver_version");
    gpu.told_by = "nvidia-smi";
    gpu.cc = knowledge::parse_compute_capability(table.text(row, "compute_cap"));
    gpu.pci = pci_of(table.text(row, "pci.bus_id"));
    gpu.memory_bytes = told_by_smi(table.number(row, "memory.total"), smi_mib);
    gpu.power_limit_w = told_by_smi(table.number(row, "power.limit"));
    gpu.sm_clock_mhz = told_by_smi(table.number(row, "clocks.max.sm"));
    gpu.memory_clock_mhz = told_by_smi(table.number(row, "clocks.max.memory"));
    const std::string_view mig = table.text(row, "mig.mode.current");
    if (!mig.empty()) gpu.mig_enabled = equals_ignoring_case(mig, "enabled");
  }
  return gpus;
}

// What only CUDA tells comes from it, and what it tells more exactly.
void take_over(DetectedGpu& gpu, const DetectedGpu& by_cuda) {
  if (by_cuda.cc) gpu.cc = by_cuda.cc;
  for (const auto field : {&DetectedGpu::sm_count, &DetectedGpu::threads_per_sm, &DetectedGpu::registers_per_sm, &DetectedGpu::memory_bytes,
                           &DetectedGpu::l2_bytes, &DetectedGpu::shared_per_sm_bytes, &DetectedGpu::shared_per_block_bytes,
                           &DetectedGpu::sm_clock_mhz, &DetectedGpu::memory_clock_mhz, &DetectedGpu::memory_bus_bits}) {
    if (by_cuda.*field) gpu.*field = by_cuda.*field;
  }
}

class Detection {
 public:
  explicit Detection(const Host& host) : host_(host) {}

  Result<GpuDetection> result() {
    list_gpus();
    ask_cuda();
    if (found_.gpus.empty()) return nothing();
    if (!cuda_answered_) mark_visible();
    return std::move(found_);
  }

 private:
  std::optional<std::string> library(std::string_view variable) const {
    const std::optional<std::string> named = host_.variable(variable);
    return named && !named->empty() ? named : has_driver(host_) ? std::optional(std::string()) : std::nullopt;
  }

  void list_gpus() {
    if (const auto path = library("FRX_NVML_LIBRARY")) {
      Described described = within_limit("NVML", [path] { return describe_by_nvml(*path); });
      if (!described) {
        found_.notes.push_back(described.error().message);
      } else if (!described->empty()) {
        found_.gpus = std::move(*described);
        return;
      }
    }
    Described described = describe_by_nvidia_smi(host_);
    if (described) found_.gpus = std::move(*described);
    if (!described && host_.program("nvidia-smi")) found_.notes.push_back("nvidia-smi: " + described.error().message);
  }

  void ask_cuda() {
    const auto path = library("FRX_CUDA_LIBRARY");
    if (!path) return;
    Described described = within_limit("the CUDA driver", [path] { return describe_by_cuda(*path); });
    if (!described) {
      found_.notes.push_back(described.error().message);
      return;
    }
    cuda_answered_ = true;
    for (DetectedGpu& gpu : found_.gpus) gpu.is_visible = false;
    for (DetectedGpu& device : *described) join(std::move(device));
  }

  // Its place in the list is that of the same UUID; of a MIG instance, that of the GPU in the same slot.
  void join(DetectedGpu device) {
    const bool is_instance = device.uuid.starts_with("MIG-");
    const auto same = std::find_if(found_.gpus.begin(), found_.gpus.end(), [&](const DetectedGpu& gpu) {
      return gpu.uuid == device.uuid || (is_instance && !gpu.pci.empty() && gpu.pci == device.pci);
    });
    if (same == found_.gpus.end()) {
      found_.gpus.push_back(std::move(device));
      return;
    }
    same->is_visible = true;
    if (!is_instance) return take_over(*same, device);
    same->instances.push_back({device.name, device.uuid, device.sm_count, device.memory_bytes});
  }

  void mark_visible() {
    std::vector<GpuIdentity> identities;
    for (const DetectedGpu& gpu : found_.gpus) {
      if (gpu.index) identities.push_back({*gpu.index, gpu.name, gpu.uuid});
    }
    const VisibleGpus visible =
        visible_gpus(identities, host_.variable("CUDA_VISIBLE_DEVICES"), host_.variable("CUDA_DEVICE_ORDER").value_or(""));
    if (!visible.doubt.empty()) found_.notes.push_back(visible.doubt + ": all GPUs are marked as visible");
    for (DetectedGpu& gpu : found_.gpus)
      gpu.is_visible = gpu.index && std::binary_search(visible.indices.begin(), visible.indices.end(), *gpu.index);
  }

  Failure nothing() const {
    const std::string why = found_.notes.empty() ? "no NVIDIA driver on this machine" : join_notes();
    return fail(ErrorKind::not_enough, "no GPU was found: {}", why)
        .hint("frx doctor says what is missing; frx gpu list has the GPUs that can be named with --gpu-model");
  }
  std::string join_notes() const { return frx::join(found_.notes, "; "); }

  const Host& host_;
  GpuDetection found_;
  bool cuda_answered_ = false;
};

}  // namespace

Result<GpuDetection> detect_gpus(const Host& host) { return Detection(host).result(); }

}  // namespace frx::capture
