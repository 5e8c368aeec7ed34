// The source of GPU samples: the driver's library, or its command.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "capture/gpu/gpu_sample.h"
#include "capture/gpu/visible_devices.h"

namespace frx::capture {

class GpuSource {
 public:
  virtual ~GpuSource() = default;
  virtual std::string name() const = 0;           // "NVML 12.550.54", "nvidia-smi"
  virtual const std::string& driver() const = 0;  // version, or ""
  virtual const std::vector<GpuIdentity>& gpus() const = 0;
  // One sample of each of `indices`. May take as long as the driver does.
  virtual Result<std::vector<GpuSample>> sample(const std::vector<unsigned>& indices) = 0;
  // Does sample() come back at the interval it was opened with? Otherwise the caller waits.
  virtual bool keeps_time() const { return false; }
  // Called from another thread: a waiting sample() returns soon, with an error.
  virtual void cancel() {}
};

}  // namespace frx::capture
