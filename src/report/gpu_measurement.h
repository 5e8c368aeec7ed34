// What the GPUs used while a program ran.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/gpu_interval.h"

namespace frx::report {

struct GpuMeasurementReport {
  std::string command;                                  // as a shell would take it
  int exit_code = 0;                                    // of the program; 128 + N when signal N ended it
  double seconds = 0;                                   // from its start to its end
  std::optional<std::uint64_t> launches, steps, flops;  // of the whole run, as the user says; what an energy is divided by
  std::vector<model::GpuInterval> gpus;
  std::vector<std::string> notes;
};

}  // namespace frx::report
