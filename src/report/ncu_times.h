// Is the kernel of one profile faster than that of another, slower, or is the comparison inconclusive?
//
// Most profiles have one launch. ncu locks the clocks, yet launches of one kernel on the same data differ: in the real profiles of
// docs/validation/compare.md by 0.1 % for long ones and by up to 3.5 % below 100 us. So up to 3 % does not count. Where both sides have
// three launches of one shape or more, the difference must also exceed the spread of the launches of either side. Durations are whole ticks
// of 32 ns; a difference of one tick does not count.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "derive/compare/noise_floor.h"
#include "derive/compare/two_samples.h"
#include "report/report.h"

namespace frx::report {

inline constexpr double profile_noise_floor = 0.03;

// How long the work of a profile takes.
struct ProfiledTime {
  double us = 0;  // of one launch when there is one kernel, else of all launches together
  bool is_per_launch = false;
  std::uint64_t launches = 0;
  std::optional<double> spread_us;  // slowest minus fastest, of three launches of one shape or more
};
// Absent without durations.
std::optional<ProfiledTime> profiled_time(const NcuReport& report);

struct ProfileJudgement {
  derive::compare::Answer answer = derive::compare::Answer::cannot_tell;  // of the second
  std::string why_not;                                                    // a sentence, when the answer is inconclusive
  double noise_floor = profile_noise_floor;                               // of the shorter time; raised to the differences of the baselines
  std::optional<derive::compare::BaselineSpread> baselines;               // of further profiles of the first configuration
  bool is_comparable = false;                                             // the same work, on one GPU
  std::optional<ProfiledTime> first, second;
  std::optional<double> ratio() const { return first && second ? std::optional(second->us / first->us) : std::nullopt; }
};
// The GPU that two profiles were measured on, where both name it and it differs: "CC 8.0", or the name of the GPU.
struct DifferentGpus {
  std::string first, second;
  bool by_name = false;
};
std::optional<DifferentGpus> different_gpus(const NcuReport& first, const NcuReport& second);

// Exchanging the sides exchanges better and worse.
ProfileJudgement judge_profiles(const NcuReport& first, const NcuReport& second,
                                std::optional<derive::compare::BaselineSpread> baselines = {});

// The profile of one kernel alone: by its full name, its short one, or a part of a name that only one kernel has. Views of the result point
// where those of `report` do. Usage: none or several match, with their names.
Result<NcuReport> profile_of_kernel(const NcuReport& report, std::string_view kernel);

}  // namespace frx::report
