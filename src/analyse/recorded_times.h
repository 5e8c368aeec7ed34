// A recording of Nsight Systems, for what it says by name: kernels, copies and calls.
#pragma once

#include <variant>

#include "analyse/context.h"
#include "analyse/inputs.h"
#include "model/session.h"
#include "model/timeline.h"

namespace frx::analyse {

// An export, or the output of `nsys stats` (text or CSV).
using NsysRecording = std::variant<model::Timeline, model::Session>;

// An export in which nothing used CUDA is a recording, too. Errors name the source: it cannot be read, is of another program, or is output
// of `nsys stats` without kernels.
Result<NsysRecording> read_nsys_recording(Input input, Context& context);

}  // namespace frx::analyse
