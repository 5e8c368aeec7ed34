// What a compiled file carries for GPUs: kernels as machine code, and PTX that a driver would translate.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/kernel_resources.h"

namespace frx::model {

struct EmbeddedPtx {
  std::string architecture;  // "compute_90a"
  std::string member;        // of a static library: "kernels.cu.o"; else ""
  std::string text;
  std::uint64_t position = 0;  // of its header in the file
  bool relocatable = false;    // left for the linker of device code
};

struct DeviceCode {
  std::string source;                    // name of the file
  std::vector<KernelResources> kernels;  // once per architecture they were compiled for, in the order of the file
  std::vector<EmbeddedPtx> ptx;
  std::vector<std::string> notes;  // what was left out, and why
};

}  // namespace frx::model
