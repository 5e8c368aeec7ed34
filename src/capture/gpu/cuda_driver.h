// What the CUDA driver (libcuda.so.1) says of its devices: the attributes that are exact for every GPU, known or not. The library is loaded
// when it is there: nothing is linked against it, and the few functions used are declared here.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "model/detected_gpu.h"

namespace frx::capture {

// The devices that a CUDA program would see, in CUDA's order; a MIG instance is one of them, and its name and UUID say so. `library`: a
// path, or "" for libcuda.so.1 where the system looks for it. May take as long as the driver does.
Result<std::vector<model::DetectedGpu>> describe_by_cuda(const std::string& library = {});

}  // namespace frx::capture
