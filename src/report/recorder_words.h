// How to record what is missing, by what made the recording.
#pragma once

#include <string_view>

#include "model/timeline.h"

namespace frx::report {

// Each goes on from what is missing: "shapes of inputs were not recorded (SHAPES)".
struct RecorderWords {
  std::string_view shapes, operators, gpu, steps, occupancy;
};

const RecorderWords& recorder_words(model::Recorder recorder);

}  // namespace frx::report
