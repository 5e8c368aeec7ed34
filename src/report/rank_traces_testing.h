// Traces of the ranks of one run for tests of what is said of them together.
#pragma once

#include <string>

#include "ingest/chrome_trace/testing.h"

namespace frx::testing {

inline std::string rank_header(int rank, int world) {
  return fmt::format(R"("distributedInfo": {{"backend": "nccl", "rank": {}, "world_size": {}}},)", rank, world);
}

// Six steps of 10 ms. In each, four collectives of 100 us, to which the rank comes `late_us` late by computing longer; all leave together,
// so that ranks in time stay longer in them.
inline std::string rank_trace(double late_us, double most_late_us, const std::string& head = "", int device = 0) {
  std::string events;
  int correlation = 0;
  const auto launched = [&](std::string_view kernel, int stream, double begin, double duration) {
    const std::string id = fmt::format(R"("correlation": {}, "device": {}, "stream": {})", ++correlation, device, stream);
    events += event("cuda_runtime", "cudaLaunchKernel", "1/1", begin - 8, 5, id);
    events += event("kernel", kernel, fmt::format("{}/{}", device, stream), begin, duration, id);
  };
  for (int step = 0; step < 6; ++step) {
    const double begin = step * 10'000 + 1000;
    events += event("user_annotation", fmt::format("ProfilerStep#{}", step), "1/1", begin, 10'000);
    for (int i = 0; i < 4; ++i) {
      const double at = begin + 50 + i * 2400;
      launched("sgemm", 7, at, 400 + late_us);
      launched("ncclDevKernel_AllReduce_Sum_f32(int)", 17, at + 400 + late_us, most_late_us - late_us + 100);
    }
  }
  return "{" + head + trace_with(events).substr(1);
}

}  // namespace frx::testing
