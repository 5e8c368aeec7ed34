// What is said of a measurement of GPUs (gpu_measurement_v1).
#pragma once

#include <memory>

#include "answer/answer.h"
#include "report/gpu_measurement.h"

namespace frx::compose {

answer::Answer answer_of(std::shared_ptr<const report::GpuMeasurementReport> report);

}  // namespace frx::compose
