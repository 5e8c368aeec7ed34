// For tests: machines whose driver is one of the FAKES of tests/support. They look at no GPU; their numbers are made up.
#pragma once

#include <cstdlib>

#include "capture/fake_host.h"

namespace frx::capture {

// For the fakes, whose environment is that of this process.
struct Variable {
  const char* name;
  Variable(const char* which, const char* value) : name(which) { ::setenv(name, value, 1); }
  ~Variable() { ::unsetenv(name); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
};

inline std::string fake_driver_folder() {
  const std::string folder = fake_ncu_folder();
  return folder.substr(0, folder.rfind('/'));
}

inline FakeHost host_with_nvml() {
  FakeHost host;
  host.variables["FRX_NVML_LIBRARY"] = FRX_FAKE_NVML;
  return host;
}
inline FakeHost host_with_nvidia_smi() {
  FakeHost host;
  host.programs["nvidia-smi"] = fake_driver_folder() + "/fake_nvidia_smi/nvidia-smi";
  return host;
}

}  // namespace frx::capture
