// The diagnosis of a profile: for each kernel and for the whole run, the labels that hold, ranked, with the time they explain; the labels
// that were ruled out, and those that are inconclusive.
//
// Labels are evaluated per group of equal launches, never on averages over different launches, and
// combined by time: a 10 ms launch outweighs a hundred of 2 us.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "derive/device.h"
#include "derive/occupancy.h"
#include "derive/roofline.h"
#include "knowledge/knowledge.h"
#include "model/finding.h"
#include "model/readings.h"
#include "model/session.h"

namespace frx::diagnose {

struct Opportunity {
  std::optional<double> score;  // absent when the distance to a roof is unknown
  std::string_view label;       // high, medium, low, none
};

// One group of equal launches.
struct GroupDiagnosis {
  const model::LaunchGroup* group = nullptr;
  double weight = 0;                     // duration in ns, or number of launches when nothing is timed
  model::Readings readings;              // kept for the heaviest group only
  std::vector<model::Finding> findings;  // that hold, ranked
  std::string_view primary;              // id of a label
};

struct KernelDiagnosis {
  const model::Kernel* kernel = nullptr;
  std::uint64_t kernel_class = 0;  // KernelClasses::of its name
  std::uint64_t launches = 0;
  std::optional<double> duration;        // ns, summed over launches
  std::optional<double> runtime_share;   // 0 to 1 of all measured kernel time
  model::Readings readings;              // over all launches, time-weighted
  std::vector<GroupDiagnosis> groups;    // heaviest first
  std::vector<model::Finding> findings;  // that hold, ranked; scores are weighted by time over the launches
  std::string_view primary;
  std::vector<model::Finding> others;  // clear, or inconclusive for want of counters, in the launches that take most time
  std::string_view tensor_precision;   // that its name tells: "bf16_tensor", as peaks are named; "" where it tells none
  derive::Roofline roofline;
  derive::OccupancyAnalysis occupancy;
  Opportunity opportunity;
  bool has_data = false;
};

struct RunDiagnosis {
  model::Session session;
  derive::Device device;
  knowledge::Thresholds thresholds;      // with the user's own (docs/contract.md, section 5.6)
  std::vector<KernelDiagnosis> kernels;  // longest first; untimed ones after the timed
  model::Readings readings;
  std::vector<model::Finding> findings;
  std::string_view primary;
  std::vector<model::Finding> others;  // of the longest kernel
  derive::Roofline roofline;           // of the longest kernel
  std::optional<double> duration;      // ns
  std::size_t kernels_with_data = 0;
};

struct Options {
  std::string gpu_model;         // --gpu-model, or ""
  std::string arch_profile;      // --arch-profile: path of a YAML file, or ""
  bool gpu_is_fallback = false;  // what the session says of its GPU goes before gpu_model
};

// Takes the session; the diagnosis points into it and into `knowledge`, which must outlive it.
Result<RunDiagnosis> diagnose(model::Session session, const knowledge::Knowledge& knowledge, const Options& options);

}  // namespace frx::diagnose
