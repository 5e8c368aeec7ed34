// What a recording of Nsight Systems says of kernels, copies and calls by name, whether it is an export or the output of `nsys stats`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/recorded_times.h"
#include "model/session.h"
#include "model/timeline.h"

namespace frx::report {

struct RecordedTimes {
  std::string source;  // the name of the file
  std::string format;  // "Nsight Systems export", "nsys stats CSV"
  // Names of the GPUs on which kernels ran, each once, as the recording has them; empty where it does not say.
  std::vector<std::string> gpus;
  std::vector<model::NameTimes> kernels;  // longest first; names as recorded
  // Absent: the recording does not say. Copies and fills, calls of CUDA, calls of the operating system.
  std::optional<std::vector<model::NameTimes>> memory, cuda_calls, os_calls;
  std::vector<std::string> notes;
};

RecordedTimes recorded_times_of(const model::Timeline& timeline);
// Of the output of `nsys stats`. Rows stay as they were printed: two kernels whose names nsys cut off alike are two rows.
RecordedTimes recorded_times_of(const model::Session& session);

// The sum of their times; absent where none has one.
std::optional<double> total_ns_of(const std::vector<model::NameTimes>& rows);

}  // namespace frx::report
