// Recordings of programs as answers: kernels and calls by name, products of cuBLAS, and competing commands.
#pragma once

#include <memory>

#include "answer/answer.h"
#include "report/recordings/competition.h"
#include "report/recordings/cublas_profile.h"
#include "report/recordings/kernel_recording.h"

namespace frx::compose {

answer::Answer answer_of(std::shared_ptr<const report::KernelRecording> recording);
answer::Answer answer_of(std::shared_ptr<const report::CublasProfile> profile);
answer::Answer answer_of(std::shared_ptr<const report::Competition> competition);

}  // namespace frx::compose
