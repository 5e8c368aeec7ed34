// Which of many ranks, nodes and links slow down a run: ten thousand ranks, step by step, with memory that does not grow with their number
// of events.
//
// Clocks of different machines are not compared. All times that are, are differences on the clock of one rank:
//   late      A collective ends at one moment for all members, so its durations tell who came later than the middle one. Of that, what the
//             rank worked longer than the middle one between this collective and the last of the same group, without the time it spent in
//             other collectives, is its own. The rest it waited itself for another rank: of a tensor-parallel group with one slow
//             member, all come late to the data-parallel collectives, and one of them is the reason.
//   slow link The shortest duration of a collective is that of the member that came last: it is the transfer alone. Groups with the same
//             collectives and as many members have the same transfer, unless a link is slow.
// A step counts once per rank and group, however many collectives it has. docs/validation/fleet.md says how often names are right.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/interner.h"
#include "base/result.h"
#include "knowledge/fleet_rules.h"

namespace frx::derive::ranks {

struct FleetRank {
  std::int64_t rank = 0;
  std::string node;                 // "": not known
  std::vector<std::int64_t> steps;  // numbers of those that count, ascending
  double step_ns = 0;               // their mean time; 0: not known
  std::int64_t base_time_ns = 0;    // is in the times of its calls, which then are since 1970; 0 of all: not all ranks say it
};

struct FleetCall {
  std::uint32_t what = 0, group = 0;     // of the words; group: model::RankCall::no_group for a send or receive
  std::int64_t start = 0, duration = 0;  // ns, of the clock of the rank
};

// Where the calls of the ranks are from.
class FleetCalls {
 public:
  virtual ~FleetCalls() = default;
  // Those of one step, by start. Asked for ascending steps of a rank; for different ranks by several threads at once.
  virtual Result<> read(std::size_t rank, std::int64_t step, std::vector<FleetCall>& into) = 0;
};

enum class Habit : std::uint8_t { none, always, sometimes };

// How often something was so, and what it cost. Excess and ratio are means over the steps in which it was so.
struct Record {
  Habit habit = Habit::none;
  std::uint64_t steps = 0, hits = 0;
  double excess_ns = 0;                 // of a step, beyond the middle one
  double ratio = 0;                     // of links: time to that of the middle group
  std::optional<std::uint64_t> period;  // every so many steps
  double share() const { return steps > 0 ? static_cast<double>(hits) / static_cast<double>(steps) : 0; }
  double cost_ns() const { return excess_ns * share(); }  // of a step, mean over all steps
};

struct FleetRankResult {
  Record late;
  bool by_node = false;  // it is late with its node
  double waited_ns = 0;  // of a step, mean
};

struct FleetNode {
  std::string name;
  std::vector<std::size_t> ranks;  // indices of ranks
  Record late;                     // of the middle one of its late ranks
  std::size_t late_ranks = 0;
};

// What the ranks of a group have in common.
enum class GroupRole : std::uint8_t { everyone, tensor, data, pipeline, other };
std::string_view name_of(GroupRole role);

struct FleetGroup {
  std::uint32_t group = 0;           // of the words
  std::vector<std::uint32_t> ranks;  // indices of ranks, ascending
  GroupRole role = GroupRole::other;
  Record slow;
  bool has_peers = false;         // otherwise whether it is slow is not known
  double transfer_ns = 0;         // of a step, mean
  std::uint64_t collectives = 0;  // that were matched
  std::uint64_t steps = 0;        // in which all of them ended together
};

// Slow groups with what they have in common: one node (a link into it, or within it), two, or more of which one is the reason.
struct FleetLink {
  std::vector<std::size_t> groups;  // indices of Fleet::groups
  std::vector<std::string> nodes;   // empty: nodes are not known
  bool within_node = false;
};

struct FleetRoles {
  GroupRole role = GroupRole::other;
  std::size_t groups = 0, least = 0, most = 0;  // of ranks in a group
  double transfer_ns = 0;                       // of a step, mean over the groups
};

struct FleetClocks {
  std::optional<double> offset_ns;  // the most that a clock was from the middle one of its group; where all traces say their time of day
  double drift_ppm = 0;             // the most that one runs faster or slower
};

struct Fleet {
  std::vector<FleetRankResult> ranks;  // by rank, as they were given
  std::vector<FleetNode> nodes;        // late ones, the costliest first
  std::vector<FleetGroup> groups;      // by group
  std::vector<FleetLink> links;        // slow ones
  std::vector<FleetRoles> roles;
  FleetClocks clocks;
  std::uint64_t steps = 0, steps_left_out = 0;  // that most ranks have; that few have
  std::uint64_t collectives = 0, together = 0;  // matched; of these, those whose members ended at one moment
  std::uint64_t mismatches = 0, alone = 0;      // sequences that differ; groups of which only one rank is here
  std::string first_mismatch;                   // in words
  bool enough_steps = false;
  std::uint64_t steps_needed = 0;  // for a rank that is late in all of them to be told from chance
  double noise_ns = 0;             // of a step: how far the ranks are apart without a reason (robust deviation, median)
  double step_ns = 0;              // mean over the ranks
  double waited_ns = 0;            // of a step, mean over the ranks
};

// O(n log n) in the calls; holds one step of all ranks. Errors: those of reading.
Result<Fleet> fleet_of(const std::vector<FleetRank>& ranks, FleetCalls& calls, const Interner& words, const knowledge::FleetRules& rules);

}  // namespace frx::derive::ranks
