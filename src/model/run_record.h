// What was recorded of a run of steps by the program itself (the SDK) and by a sampler of the GPUs.
#pragma once

#include <cstdint>
#include <vector>

#include "model/gpu_sample.h"
#include "model/session.h"
#include "model/step_table.h"

namespace frx::model {

struct RunRecord {
  StepTable steps;                 // by id
  std::vector<GpuSample> samples;  // in the order of time
  std::uint64_t events = 0;
  std::vector<Note> notes;
};

}  // namespace frx::model
