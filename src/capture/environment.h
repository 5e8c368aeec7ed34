// The tools, drivers and GPUs of this machine; the facts behind `frx doctor`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "capture/host.h"
#include "capture/permission.h"

namespace frx::capture {

struct Tool {
  std::string path;     // empty: not found
  std::string version;  // empty: it printed none
  std::string trouble;  // the error, when it exists and does not answer

  bool found() const { return !path.empty(); }
};

struct Gpu {
  int index = 0;
  std::string name;
  std::string compute_capability;  // "9.0"; empty when the driver is too old to report it
  std::string memory_mib;
};

struct Python {
  Tool interpreter;
  std::string torch;             // version; empty: not importable
  std::string trouble;           // why torch could not be imported
  int cuda_devices = 0;          // as torch counts them
  std::string cuda_device_name;  // of device 0
};

struct Environment {
  Tool ncu, nsys, nvcc, nvidia_smi;
  Python python;
  std::string driver;  // version; empty: no driver
  std::vector<Gpu> gpus;
  std::string gpu_trouble;  // the message of nvidia-smi instead of a list
  CounterPermission permission;
  bool device_nodes = false;  // /dev/nvidiactl or WSL's /dev/dxg
};

// Queries everything at once; the slowest answer (importing torch, at most 10 s) determines the time.
Environment inspect(const Host& host);

// "535.104.05", of the kernel module that is loaded; "": none is.
std::string driver_version(const Host& host);

// "2024.3.2.0" of "Version 2024.3.2.0 (build ...)", "12.4" of "release 12.4, V12.4.131".
std::string version_in(std::string_view text);

}  // namespace frx::capture
