// How many blocks of a launch fit on one SM of a GPU that is named, which resources limit them, and which changes would allow more.
#pragma once

#include <string>
#include <vector>

#include "knowledge/gpu_match.h"
#include "knowledge/occupancy.h"

namespace frx::report {

struct GpuOccupancy {
  std::string asked;
  std::string explanation;  // how the name was understood
  const knowledge::SmLimits* limits = nullptr;
  knowledge::LaunchShape shape;
  knowledge::Occupancy occupancy;
  std::vector<knowledge::OccupancyChange> changes;
};

// A name that fits several products is answered where all of them have one compute capability, which is what limits a launch.
// ErrorKind::not_enough for a GPU that is not known, and for a name of several compute capabilities.
Result<GpuOccupancy> occupancy_on(const knowledge::GpuCatalogue& gpus, const std::string& name, const knowledge::LaunchShape& shape);

}  // namespace frx::report
