// What the commands of frx kernel share: the GPUs of this machine, and how their errors end.
#pragma once

#include <string>

#include "base/result.h"
#include "capture/gpu/gpu_meter.h"
#include "cli/io.h"

namespace frx::cli {

// Those that the driver answers for; none without one.
capture::GpuMeasurement present_gpus(const Io& io);
// "" where there is none, or where several have different names.
std::string gpu_called(const capture::GpuMeasurement& gpus);

// Commands whose exit codes 1 and 3 say something of what was compared say every error by 2: prints it and gives the code.
int end_with_error(const Error& error, const Io& io);

}  // namespace frx::cli
