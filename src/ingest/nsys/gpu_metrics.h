// What was sampled of each GPU over time (--gpu-metrics-devices): the means of each metric, over the recording and while kernels ran.
#pragma once

#include <vector>

#include "base/result.h"
#include "ingest/nsys/database.h"
#include "model/timeline.h"

namespace frx::ingest::nsys {

// Of the tables GPU_METRICS and TARGET_INFO_GPU_METRICS; none where they are absent. `timeline` has the kernels already. In the order of
// the GPUs and of the table of names; at most `most_metrics`. O(n log k) for n samples and k kernels; samples are not kept. Errors:
// stopped.
Result<std::vector<model::GpuMetric>> read_gpu_metrics(const Database& database, const model::Timeline& timeline);

inline constexpr std::size_t most_metrics = 1000;

}  // namespace frx::ingest::nsys
