// One step of all ranks: what each rank was late by its own doing, and how long the transfers of each group took.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "derive/ranks/fleet.h"

namespace frx::derive::ranks {

// A collective of one rank in a step.
struct StepCall {
  std::uint32_t what = 0, group = 0;
  std::int64_t duration = 0, end = 0;
  std::optional<std::int64_t> own_work;  // ns outside of communication since the last collective of its group; none before the first
};

// What is remembered of a rank from step to step: how much of its time it communicated.
class RankClock {
 public:
  // The collectives among `calls` (by start), by group, within a group by start.
  std::vector<StepCall> take(std::span<const FleetCall> calls);

 private:
  std::int64_t own_at(std::int64_t time) const;

  bool begun_ = false;
  std::int64_t origin_ = 0, covered_until_ = 0, communicated_ = 0;
  std::vector<std::pair<std::uint32_t, std::int64_t>> last_own_;  // by group: own work until the end of its last collective
};

// Where the last collectives put the end of the next, as a distance from the middle of the group.
class EndTrack {
 public:
  // At `time` the end was this far from the middle. How far that is from what the ends before say; 0 while there are too few.
  double add(double time, double distance);

 private:
  static constexpr std::size_t kept = 5, fewest = 3;
  std::array<double, kept> times_{}, distances_{};
  std::size_t count_ = 0;
};

// A rank in a group in a step.
struct StepMember {
  std::uint32_t group = 0, rank = 0;
  std::span<const StepCall> calls;
  double late_ns = 0;                     // by its own work, all collectives
  double waited_ns = 0;                   // for members that came later
  double end_time = 0, end_distance = 0;  // mean over the collectives: on its clock, and from the middle of the group
};

struct StepGroup {
  std::uint64_t signature = 0;    // of its collectives in this step
  std::uint64_t collectives = 0;  // that all members have
  std::uint64_t together = 0;
  double transfer_ns = 0;  // of those that ended together
  std::string mismatch;    // where the members differ first; "": nowhere
};

// Compares the members of a group, at least two, whose `tracks` are by member; fills in what they lack.
StepGroup compare_members(std::span<StepMember> members, std::vector<EndTrack>& tracks, const std::vector<FleetRank>& ranks,
                          const Interner& words, const knowledge::FleetRules& rules);

}  // namespace frx::derive::ranks
