// The finished answer about compiled code: cubins, fat binaries, programs and libraries that contain them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "derive/kernel_occupancy.h"
#include "model/device_code.h"
#include "model/finding.h"
#include "report/code_report.h"

namespace frx::report {

struct DeviceKernel {
  std::size_t index = 0;                           // of DeviceReport::code.kernels
  std::string gpu;                                 // of the limits that were used: "sm_90", "NVIDIA H100"; "" when none fits
  std::vector<derive::KernelOccupancy> occupancy;  // one per possible size of block
};

struct DeviceReport {
  std::string source;
  std::string gpu;  // "NVIDIA H100 (--gpu-model)", "" when none was named
  model::DeviceCode code;
  std::vector<DeviceKernel> kernels;     // in the order of the code
  std::vector<model::Finding> findings;  // most severe first
  std::vector<detect::RuleCount> asked;  // by rule
  // For the embedded PTX, with the registers and spills of its compiled kernels where the file has both.
  std::vector<std::unique_ptr<PtxReport>> ptx;
  std::vector<std::string> notes;
};

}  // namespace frx::report
