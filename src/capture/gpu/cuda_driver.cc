#include "capture/gpu/cuda_driver.h"

#include <array>
#include <cstring>

#include "base/text.h"
#include "capture/gpu/driver_library.h"

namespace frx::capture {
namespace {

using model::DetectedGpu;
using model::ToldNumber;

// From the public documentation of the CUDA driver API.
using CudaReturn = int;  // 0: success
using CudaDevice = int;
enum CudaAttribute : int {
  clock_khz = 13,
  sm_count = 16,
  pci_bus = 33,
  pci_device = 34,
  memory_clock_khz = 36,
  memory_bus_bits = 37,
  l2_bytes = 38,
  threads_per_sm = 39,
  pci_domain = 50,
  capability_major = 75,
  capability_minor = 76,
  shared_per_sm = 81,
  registers_per_sm = 82,
  shared_per_block_optin = 97,
};
constexpr std::string_view cuda_driver = "CUDA driver";

struct CudaFunctions {
  CudaReturn (*init)(unsigned);
  CudaReturn (*count)(int*);
  CudaReturn (*device)(CudaDevice*, int);
  CudaReturn (*name)(char*, int, CudaDevice);
  CudaReturn (*uuid)(unsigned char*, CudaDevice);
  CudaReturn (*memory)(std::size_t*, CudaDevice);
  CudaReturn (*attribute)(int*, int, CudaDevice);
  CudaReturn (*error_name)(CudaReturn, const char**);
};

CudaFunctions cuda_functions_of(void* library) {
  CudaFunctions f{};
  find_function(library, f.init, {"cuInit"});
  find_function(library, f.count, {"cuDeviceGetCount"});
  find_function(library, f.device, {"cuDeviceGet"});
  find_function(library, f.name, {"cuDeviceGetName"});
  find_function(library, f.uuid, {"cuDeviceGetUuid_v2", "cuDeviceGetUuid"});
  find_function(library, f.memory, {"cuDeviceTotalMem_v2"});
  find_function(library, f.attribute, {"cuDeviceGetAttribute"});
  find_function(library, f.error_name, {"cuGetErrorName"});
  return f;
}

std::string name_of(const CudaFunctions& f, CudaReturn code) {
  const char* name = nullptr;
  if (f.error_name == nullptr || f.error_name(code, &name) != 0 || name == nullptr) return fmt::format("code {}", code);
  return name;
}

// "GPU-1c2d3e4f-..." of 16 bytes, with the prefix of a MIG instance where it is one.
std::string uuid_text(const std::array<unsigned char, 16>& bytes, bool is_mig) {
  std::string text = is_mig ? "MIG" : "GPU";
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i == 0 || i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", bytes[i]);
  }
  return text;
}

class CudaDescription {
 public:
  CudaDescription(const CudaFunctions& functions, CudaDevice device) : f_(functions), device_(device) {}

  DetectedGpu of_device() const {
    DetectedGpu gpu;
    gpu.told_by = cuda_driver;
    std::array<char, 256> name{};
    if (f_.name != nullptr && f_.name(name.data(), static_cast<int>(name.size()) - 1, device_) == 0) gpu.name = printable(name.data());
    std::array<unsigned char, 16> uuid{};
    const bool is_mig = gpu.name.find("MIG") != gpu.name.npos;
    if (f_.uuid != nullptr && f_.uuid(uuid.data(), device_) == 0) gpu.uuid = uuid_text(uuid, is_mig);
    if (std::size_t bytes = 0; f_.memory != nullptr && f_.memory(&bytes, device_) == 0)
      gpu.memory_bytes = ToldNumber{static_cast<double>(bytes), cuda_driver};
    const std::optional<ToldNumber> major = told(capability_major), minor = told(capability_minor, 1, 0);
    if (major && minor) gpu.cc = {static_cast<int>(major->value), static_cast<int>(minor->value)};
    const std::optional<ToldNumber> domain = told(pci_domain, 1, 0), bus = told(pci_bus, 1, 0), slot = told(pci_device, 1, 0);
    if (domain && bus && slot) gpu.pci = fmt::format("{:04x}:{:02x}:{:02x}.0", int(domain->value), int(bus->value), int(slot->value));
    gpu.sm_count = told(sm_count);
    gpu.threads_per_sm = told(threads_per_sm);
    gpu.registers_per_sm = told(registers_per_sm);
    gpu.l2_bytes = told(l2_bytes);
    gpu.shared_per_sm_bytes = told(shared_per_sm);
    gpu.shared_per_block_bytes = told(shared_per_block_optin);
    gpu.sm_clock_mhz = told(clock_khz, 1e-3);
    gpu.memory_clock_mhz = told(memory_clock_khz, 1e-3);
    gpu.memory_bus_bits = told(memory_bus_bits);
    return gpu;
  }

 private:
  // Absent where the driver does not know it, which it says by an error or by a number below `least`.
  std::optional<ToldNumber> told(CudaAttribute which, double by = 1, int least = 1) const {
    int value = 0;
    if (f_.attribute == nullptr || f_.attribute(&value, which, device_) != 0 || value < least) return std::nullopt;
    return ToldNumber{value * by, cuda_driver};
  }

  const CudaFunctions& f_;
  CudaDevice device_;
};

}  // namespace

Result<std::vector<DetectedGpu>> describe_by_cuda(const std::string& library) {
  TRY_ASSIGN(void* const handle, open_driver_library(library, "libcuda.so.1", "the CUDA driver"));
  const CudaFunctions f = cuda_functions_of(handle);  // never unloaded: the driver keeps threads
  if (f.init == nullptr || f.count == nullptr || f.device == nullptr) return fail(ErrorKind::environment, "this is no CUDA driver");
  if (const CudaReturn code = f.init(0); code != 0)
    return fail(ErrorKind::environment, "the CUDA driver does not start: {}", name_of(f, code));
  int count = 0;
  if (const CudaReturn code = f.count(&count); code != 0)
    return fail(ErrorKind::environment, "the CUDA driver does not count its devices: {}", name_of(f, code));
  std::vector<DetectedGpu> gpus;
  for (int i = 0; i < count; ++i) {
    CudaDevice device = 0;
    if (f.device(&device, i) == 0) gpus.push_back(CudaDescription(f, device).of_device());
  }
  return gpus;
}

}  // namespace frx::capture
