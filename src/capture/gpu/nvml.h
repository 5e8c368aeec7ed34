// Samples through NVML, the driver's own library, which is loaded when it is there: nothing is linked against it, and the
// few functions used are declared here.
#pragma once

#include "capture/gpu/gpu_source.h"
#include "model/detected_gpu.h"

namespace frx::capture {

// `library`: a path, or "" for libnvidia-ml.so.1 where the system looks for it. Fails, saying why, when there is none or
// no driver answers.
Result<std::unique_ptr<GpuSource>> open_nvml(const std::string& library = {});
// What it tells of each GPU that does not change. May take as long as the driver does; fails as open_nvml().
Result<std::vector<model::DetectedGpu>> describe_by_nvml(const std::string& library = {});

}  // namespace frx::capture
