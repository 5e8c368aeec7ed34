#include "capture/gpu/nvml.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "base/text.h"
#include "capture/gpu/driver_library.h"

namespace frx::capture {
namespace {

// From the public documentation of NVML; the layout of these has never changed.
using Return = int;  // 0: success
using Device = void*;
struct Utilization {
  unsigned gpu, memory;  // %
};
struct Memory {
  unsigned long long total, free, used;  // bytes
};
struct PciInfo {  // of version 3 of the function
  char old_address[16];
  unsigned domain, bus, device, identity, subsystem;
  char address[32];
};
struct ProcessInfo {  // of version 2 and 3 of the function
  unsigned pid;
  unsigned long long used;  // bytes; all ones: unknown
  unsigned gpu_instance, compute_instance;
};
enum ClockDomain : unsigned { clock_sm = 1, clock_memory = 2 };
constexpr unsigned temperature_of_gpu = 0;
constexpr Return insufficient_size = 7;
constexpr double bytes_in_mib = 1024.0 * 1024.0;

struct Functions {
  Return (*init)();
  Return (*shutdown)();
  const char* (*error_string)(Return);
  Return (*driver_version)(char*, unsigned);
  Return (*nvml_version)(char*, unsigned);
  Return (*count)(unsigned*);
  Return (*handle)(unsigned, Device*);
  Return (*name)(Device, char*, unsigned);
  Return (*uuid)(Device, char*, unsigned);
  Return (*utilization)(Device, Utilization*);
  Return (*memory)(Device, Memory*);
  Return (*pcie_generation)(Device, unsigned*);
  Return (*pcie_width)(Device, unsigned*);
  Return (*clock)(Device, unsigned, unsigned*);
  Return (*power)(Device, unsigned*);
  Return (*power_limit)(Device, unsigned*);
  Return (*temperature)(Device, unsigned, unsigned*);
  Return (*throttle_reasons)(Device, unsigned long long*);
  Return (*total_energy)(Device, unsigned long long*);
  Return (*processes)(Device, unsigned*, ProcessInfo*);
  Return (*compute_capability)(Device, int*, int*);
  Return (*highest_clock)(Device, unsigned, unsigned*);
  Return (*mig_mode)(Device, unsigned*, unsigned*);
  Return (*memory_bus)(Device, unsigned*);
  Return (*pci)(Device, PciInfo*);
};

// A function that an old driver lacks stays nullptr and its value unknown.
Functions functions_of(void* library) {
  Functions f{};
  find_function(library, f.init, {"nvmlInit_v2"});
  find_function(library, f.shutdown, {"nvmlShutdown"});
  find_function(library, f.error_string, {"nvmlErrorString"});
  find_function(library, f.driver_version, {"nvmlSystemGetDriverVersion"});
  find_function(library, f.nvml_version, {"nvmlSystemGetNVMLVersion"});
  find_function(library, f.count, {"nvmlDeviceGetCount_v2"});
  find_function(library, f.handle, {"nvmlDeviceGetHandleByIndex_v2"});
  find_function(library, f.name, {"nvmlDeviceGetName"});
  find_function(library, f.uuid, {"nvmlDeviceGetUUID"});
  find_function(library, f.utilization, {"nvmlDeviceGetUtilizationRates"});
  find_function(library, f.memory, {"nvmlDeviceGetMemoryInfo"});
  find_function(library, f.pcie_generation, {"nvmlDeviceGetCurrPcieLinkGeneration"});
  find_function(library, f.pcie_width, {"nvmlDeviceGetCurrPcieLinkWidth"});
  find_function(library, f.clock, {"nvmlDeviceGetClockInfo"});
  find_function(library, f.power, {"nvmlDeviceGetPowerUsage"});
  find_function(library, f.power_limit, {"nvmlDeviceGetEnforcedPowerLimit"});
  find_function(library, f.temperature, {"nvmlDeviceGetTemperature"});
  find_function(library, f.throttle_reasons, {"nvmlDeviceGetCurrentClocksThrottleReasons", "nvmlDeviceGetCurrentClocksEventReasons"});
  find_function(library, f.total_energy, {"nvmlDeviceGetTotalEnergyConsumption"});
  find_function(library, f.processes, {"nvmlDeviceGetComputeRunningProcesses_v3", "nvmlDeviceGetComputeRunningProcesses_v2"});
  find_function(library, f.compute_capability, {"nvmlDeviceGetCudaComputeCapability"});
  find_function(library, f.highest_clock, {"nvmlDeviceGetMaxClockInfo"});
  find_function(library, f.mig_mode, {"nvmlDeviceGetMigMode"});
  find_function(library, f.memory_bus, {"nvmlDeviceGetMemoryBusWidth"});
  find_function(library, f.pci, {"nvmlDeviceGetPciInfo_v3"});
  return f;
}

// The number that `function` returns, nullopt when it is missing or fails.
template <typename Value, typename Function, typename... Args>
std::optional<Value> ask(Function* function, Device device, Args... args) {
  Value value{};
  if (function == nullptr || function(device, args..., &value) != 0) return std::nullopt;
  return value;
}

std::optional<double> scaled(std::optional<unsigned> value, double by) { return value ? std::optional(*value * by) : std::nullopt; }

template <typename Function>
std::string text_of(Function* function, Device device) {
  std::array<char, 128> text{};
  if (function == nullptr || function(device, text.data(), text.size()) != 0) return {};
  return {text.data(), ::strnlen(text.data(), text.size())};
}

class Nvml final : public GpuSource {
 public:
  Nvml(void* library, const Functions& functions) : library_(library), f_(functions) {
    std::array<char, 128> text{};
    if (f_.driver_version != nullptr && f_.driver_version(text.data(), text.size()) == 0) driver_ = text.data();
    text = {};
    if (f_.nvml_version != nullptr && f_.nvml_version(text.data(), text.size()) == 0) version_ = text.data();
    unsigned count = 0;
    if (f_.count(&count) != 0) return;
    for (unsigned i = 0; i < count; ++i) {
      Device device = nullptr;
      if (f_.handle(i, &device) == 0) add(i, device);
    }
  }
  ~Nvml() override {
    if (f_.shutdown != nullptr) f_.shutdown();
    ::dlclose(library_);
  }
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  std::string name() const override { return version_.empty() ? "NVML" : "NVML " + version_; }
  const std::string& driver() const override { return driver_; }
  const std::vector<GpuIdentity>& gpus() const override { return gpus_; }

  Result<std::vector<GpuSample>> sample(const std::vector<unsigned>& indices) override {
    std::vector<GpuSample> samples;
    for (std::size_t i = 0; i < gpus_.size(); ++i) {
      if (std::find(indices.begin(), indices.end(), gpus_[i].index) != indices.end()) samples.push_back(sample_of(gpus_[i], devices_[i]));
    }
    const auto says_nothing = [](const GpuSample& one) { return !one.utilization_gpu && !one.memory_used; };
    if (!samples.empty() && std::all_of(samples.begin(), samples.end(), says_nothing)) {
      return fail(ErrorKind::environment, "the driver tells neither utilisation nor memory");
    }
    return samples;
  }

  std::vector<model::DetectedGpu> describe() const {
    std::vector<model::DetectedGpu> described;
    for (std::size_t i = 0; i < gpus_.size(); ++i) described.push_back(description_of(gpus_[i], devices_[i]));
    return described;
  }

 private:
  static std::optional<model::ToldNumber> told(std::optional<unsigned> value, double by = 1) {
    return value ? std::optional(model::ToldNumber{*value * by, "NVML"}) : std::nullopt;
  }

  model::DetectedGpu description_of(const GpuIdentity& identity, Device device) const {
    model::DetectedGpu gpu;
    gpu.index = identity.index, gpu.name = printable(identity.name), gpu.uuid = printable(identity.uuid);
    gpu.driver = driver_, gpu.told_by = name();
    if (int major = 0, minor = 0; f_.compute_capability != nullptr && f_.compute_capability(device, &major, &minor) == 0)
      gpu.cc = {major, minor};
    if (unsigned now = 0, next = 0; f_.mig_mode != nullptr && f_.mig_mode(device, &now, &next) == 0) gpu.mig_enabled = now != 0;
    if (const auto pci = ask<PciInfo>(f_.pci, device)) gpu.pci = fmt::format("{:04x}:{:02x}:{:02x}.0", pci->domain, pci->bus, pci->device);
    if (const auto memory = ask<Memory>(f_.memory, device))
      gpu.memory_bytes = model::ToldNumber{static_cast<double>(memory->total), "NVML"};
    gpu.sm_clock_mhz = told(ask<unsigned>(f_.highest_clock, device, unsigned{clock_sm}));
    gpu.memory_clock_mhz = told(ask<unsigned>(f_.highest_clock, device, unsigned{clock_memory}));
    gpu.memory_bus_bits = told(ask<unsigned>(f_.memory_bus, device));
    gpu.power_limit_w = told(ask<unsigned>(f_.power_limit, device), 1e-3);
    return gpu;
  }

  void add(unsigned index, Device device) {
    gpus_.push_back({index, text_of(f_.name, device), text_of(f_.uuid, device)});
    devices_.push_back(device);
  }

  GpuSample sample_of(const GpuIdentity& gpu, Device device) const {
    GpuSample one{.index = gpu.index, .name = gpu.name, .uuid = gpu.uuid};
    if (const auto used = ask<Utilization>(f_.utilization, device)) {
      one.utilization_gpu = used->gpu;
      one.utilization_memory = used->memory;
    }
    if (const auto memory = ask<Memory>(f_.memory, device)) {
      one.memory_used = static_cast<double>(memory->used) / bytes_in_mib;
      one.memory_total = static_cast<double>(memory->total) / bytes_in_mib;
      one.memory_free = static_cast<double>(memory->free) / bytes_in_mib;
    }
    one.pcie_generation = ask<unsigned>(f_.pcie_generation, device);
    one.pcie_width = ask<unsigned>(f_.pcie_width, device);
    one.sm_clock = scaled(ask<unsigned>(f_.clock, device, unsigned{clock_sm}), 1);
    one.memory_clock = scaled(ask<unsigned>(f_.clock, device, unsigned{clock_memory}), 1);
    one.power = scaled(ask<unsigned>(f_.power, device), 1e-3);
    one.power_limit = scaled(ask<unsigned>(f_.power_limit, device), 1e-3);
    one.temperature = scaled(ask<unsigned>(f_.temperature, device, temperature_of_gpu), 1);
    one.throttle_reasons = ask<unsigned long long>(f_.throttle_reasons, device);
    one.total_energy_mj = ask<unsigned long long>(f_.total_energy, device);
    one.processes = processes_of(device);
    return one;
  }

  std::optional<std::vector<ProcessMemory>> processes_of(Device device) const {
    if (f_.processes == nullptr) return std::nullopt;
    std::vector<ProcessInfo> infos(16);
    auto count = static_cast<unsigned>(infos.size());
    Return code = f_.processes(device, &count, infos.data());
    if (code == insufficient_size && count < 65536) {
      infos.resize(count + 16);
      count = static_cast<unsigned>(infos.size());
      code = f_.processes(device, &count, infos.data());
    }
    if (code != 0 || count > infos.size()) return std::nullopt;
    std::vector<ProcessMemory> found;
    for (unsigned i = 0; i < count; ++i) {
      const bool told = infos[i].used != ~0ull;
      found.push_back({infos[i].pid, told ? std::optional(static_cast<double>(infos[i].used) / bytes_in_mib) : std::nullopt});
    }
    return found;
  }

  void* library_;
  Functions f_;
  std::string driver_, version_;
  std::vector<GpuIdentity> gpus_;
  std::vector<Device> devices_;
};

Result<std::unique_ptr<Nvml>> load_nvml(const std::string& library) {
  TRY_ASSIGN(void* const handle, open_driver_library(library, "libnvidia-ml.so.1", "NVML"));
  const Functions functions = functions_of(handle);
  if (functions.init == nullptr || functions.count == nullptr || functions.handle == nullptr) {
    ::dlclose(handle);
    return fail(ErrorKind::environment, "NVML is there, but lacks what every version since 2013 has");
  }
  if (const Return code = functions.init(); code != 0) {
    const std::string why = functions.error_string == nullptr ? fmt::format("code {}", code) : functions.error_string(code);
    ::dlclose(handle);
    return fail(ErrorKind::environment, "NVML does not start: {}", why);
  }
  return std::make_unique<Nvml>(handle, functions);
}

}  // namespace

Result<std::unique_ptr<GpuSource>> open_nvml(const std::string& library) {
  TRY_ASSIGN(std::unique_ptr<Nvml> nvml, load_nvml(library));
  return std::unique_ptr<GpuSource>(std::move(nvml));
}

Result<std::vector<model::DetectedGpu>> describe_by_nvml(const std::string& library) {
  TRY_ASSIGN(const std::unique_ptr<Nvml> nvml, load_nvml(library));
  return nvml->describe();
}

}  // namespace frx::capture
