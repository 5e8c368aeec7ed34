// The work of each GPU for each process.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/intervals.h"
#include "derive/trace/attribution.h"
#include "model/timeline.h"

namespace frx::derive::trace {

// The work of one GPU for one process.
struct Activity {
  std::vector<Interval> compute, communication, copy, host_to_device;
  std::vector<std::uint32_t> work;  // by start: places in the attribution
};

using Activities = std::map<std::pair<std::string, std::int32_t>, Activity>;  // by pid of the launching process, device

// Kernels of NCCL, RCCL and the like, by name.
bool is_communication(std::string_view kernel);

// Work whose launch is not in the file is attributed to the process that launched most on its track. `one_process`: all is attributed to
// the same one, whose pid is "".
Activities activities(const model::Timeline& timeline, const Attribution& attribution, bool one_process);

}  // namespace frx::derive::trace
