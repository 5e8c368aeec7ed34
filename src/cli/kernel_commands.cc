#include "cli/kernel_commands.h"

#include "cli/run.h"

namespace frx::cli {

capture::GpuMeasurement present_gpus(const Io& io) {
  return capture::GpuMeter::start({.idle = std::chrono::milliseconds(0)}, *io.host).stop();
}

std::string gpu_called(const capture::GpuMeasurement& gpus) {
  for (const model::GpuInterval& gpu : gpus.gpus) {
    if (gpu.name != gpus.gpus.front().name) return {};
  }
  return gpus.gpus.empty() ? "" : gpus.gpus.front().name;
}

int end_with_error(const Error& error, const Io& io) {
  io.out.flush();
  io.err.write(error_text(error, io.program));
  return exit_code(ErrorKind::usage);
}

}  // namespace frx::cli
