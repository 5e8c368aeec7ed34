// Which GPUs this machine has, as its driver says: NVML or else nvidia-smi for the list, the CUDA driver for the attributes of each. Every
// step has a time limit, and what a step could not tell is said, not guessed.
#pragma once

#include <string>
#include <vector>

#include "capture/host.h"
#include "model/detected_gpu.h"

namespace frx::capture {

struct GpuDetection {
  std::vector<model::DetectedGpu> gpus;  // all, whether CUDA programs may use them or not; by index
  std::vector<std::string> notes;        // what could not be asked and why; doubts about CUDA_VISIBLE_DEVICES
};

// Takes FRX_NVML_LIBRARY, FRX_CUDA_LIBRARY, CUDA_VISIBLE_DEVICES and CUDA_DEVICE_ORDER of `host`. Five seconds at most for each library and
// for each question to nvidia-smi. ErrorKind::not_enough where no GPU is found, with what would help.
Result<GpuDetection> detect_gpus(const Host& host);

}  // namespace frx::capture
