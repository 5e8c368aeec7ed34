#include "capture/gpu/nvml.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstring>

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
struct ProcessInfo {  // of version 2 and 3 of the function
  unsigned pid;
  unsigned long long used;  // bytes; all ones: unknown
  unsigned gpu_instance, compute_instance;
};
enum ClockDomain : unsigned { clock_sm = 1, clock_memory = 2 };
constexpr unsigned temperature_of_gpu = 0;
constexpr Return insufficient_size = 7;
constexpr double mib = 1024.0 * 1024.0;

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
};

template <typename Function>
void find(void* library, Function*& function, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if ((function = reinterpret_cast<Function*>(::dlsym(library, name))) != nullptr) return;
  }
}

// A function that an old driver lacks stays nullptr and its value unknown.
Functions functions_of(void* library) {
  Functions f{};
  find(library, f.init, {"nvmlInit_v2"});
  find(library, f.shutdown, {"nvmlShutdown"});
  find(library, f.error_string, {"nvmlErrorString"});
  find(library, f.driver_version, {"nvmlSystemGetDriverVersion"});
  find(library, f.nvml_version, {"nvmlSystemGetNVMLVersion"});
  find(library, f.count, {"nvmlDeviceGetCount_v2"});
  find(library, f.handle, {"nvmlDeviceGetHandleByIndex_v2"});
  find(library, f.name, {"nvmlDeviceGetName"});
  find(library, f.uuid, {"nvmlDeviceGetUUID"});
  find(library, f.utilization, {"nvmlDeviceGetUtilizationRates"});
  find(library, f.memory, {"nvmlDeviceGetMemoryInfo"});
  find(library, f.pcie_generation, {"nvmlDeviceGetCurrPcieLinkGeneration"});
  find(library, f.pcie_width, {"nvmlDeviceGetCurrPcieLinkWidth"});
  find(library, f.clock, {"nvmlDeviceGetClockInfo"});
  find(library, f.power, {"nvmlDeviceGetPowerUsage"});
  find(library, f.power_limit, {"nvmlDeviceGetEnforcedPowerLimit"});
  find(library, f.temperature, {"nvmlDeviceGetTemperature"});
  find(library, f.throttle_reasons, {"nvmlDeviceGetCurrentClocksThrottleReasons", "nvmlDeviceGetCurrentClocksEventReasons"});
  find(library, f.total_energy, {"nvmlDeviceGetTotalEnergyConsumption"});
  find(library, f.processes, {"nvmlDeviceGetComputeRunningProcesses_v3", "nvmlDeviceGetComputeRunningProcesses_v2"});
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

 private:
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
      one.memory_used = static_cast<double>(memory->used) / mib;
      one.memory_total = static_cast<double>(memory->total) / mib;
      one.memory_free = static_cast<double>(memory->free) / mib;
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
      found.push_back({infos[i].pid, told ? std::optional(static_cast<double>(infos[i].used) / mib) : std::nullopt});
    }
    return found;
  }

  void* library_;
  Functions f_;
  std::string driver_, version_;
  std::vector<GpuIdentity> gpus_;
  std::vector<Device> devices_;
};

}  // namespace

Result<std::unique_ptr<GpuSource>> open_nvml(const std::string& library) {
  void* handle = nullptr;
  for (const char* name : {library.empty() ? "libnvidia-ml.so.1" : library.c_str(),
                           library.empty() ? "/usr/lib/wsl/lib/libnvidia-ml.so.1" : library.c_str()}) {
    if (handle == nullptr) handle = ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
  }
  if (handle == nullptr) {
    const char* why = ::dlerror();
    return fail(ErrorKind::environment, "cannot load NVML: {}", why == nullptr ? "not found" : why);
  }
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
  return std::unique_ptr<GpuSource>(std::make_unique<Nvml>(handle, functions));
}

}  // namespace frx::capture
