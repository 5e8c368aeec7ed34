// Which ranks the others wait for.
//
// A collective ends after its last rank has arrived, and its kernel runs on each rank from the arrival of that rank: so a rank waited
// its own duration minus the shortest one, and the rank with the shortest one arrived last. Every moment of waiting is attributed in
// equal shares to the ranks that had not arrived by then; the shares add up to all the waiting, without double counting.
#pragma once

#include <cstdint>
#include <vector>

#include "derive/ranks/match.h"
#include "model/run_facts.h"

namespace frx::derive::ranks {

// When a rank is called late.
struct LatenessRule {
  // Smaller losses are not worth a search: the share of a step from which on a stall of a run is named, too.
  static constexpr double lost_share = 0.05;
  // Two thirds of the waiting. With two equally good ranks each would get half.
  static constexpr double late_share = 2.0 / 3;
  // More than chance explains, one time in a hundred at most: how often these ranks came last, or how much waiting is theirs. The second
  // counts a long wait as long as it is, so that a rank that is late seldom and by much is seen among small waits for everyone.
  static constexpr double chance = 0.01;
  // Smaller differences are not waiting: kernels never take exactly equal time on several GPUs.
  static constexpr std::int64_t wait_ns = 20'000;
  static constexpr double wait_share = 0.1;  // of the shortest duration
  // At least this share of the matched collectives must have ended together, otherwise the match itself is in doubt.
  static constexpr double together_share = 0.5;
};

// Facts of a rank beside its collectives.
struct RankTimes {
  double steps_ns = 0;               // all steps that were compared
  double exposed_communication = 0;  // share of its steps, 0 to 1
};

struct RankLateness {
  double steps_ns = 0;       // all steps that were compared
  double waited_ns = 0;      // for ranks that came later
  double waited_share = 0;   // of its steps
  double lost_share = 0;     // of its steps: no more than the communication that no computing hid
  double blamed_ns = 0;      // the time that the others, in the mean, waited for it
  double held_up_share = 0;  // the same as a share of its steps
  double blamed_share = 0;   // of the waiting of all
  std::uint64_t last = 0;    // of the collectives with waiting, those it came last to
};

enum class LateVerdict {
  late,            // the ranks of Lateness::late
  no_single_rank,  // the ranks wait for changing ones
  little_waiting,  // less than is worth a search
  chance,          // too few collectives with waiting
  not_together,    // what was matched did not end together
  no_collectives,  // nothing was matched
};

struct Lateness {
  LateVerdict verdict = LateVerdict::no_collectives;
  std::vector<std::size_t> late;    // indices of participants, the largest share of the waiting first
  std::vector<RankLateness> ranks;  // by participant
  std::uint64_t counted = 0;        // collectives that ended together
  std::uint64_t with_waiting = 0;   // of those
  double lost_share = 0;            // of a step, mean over the ranks
  double blamed_share = 0;          // of the ranks of `late`
  // Between which it lies at 95 % confidence, as far as collectives with waiting are independent of each other. The same without any.
  double blamed_share_low = 0, blamed_share_high = 0;
  std::uint64_t last = 0;  // collectives with waiting to which one of `late` came last
};

// Linear in the number of collectives. `times`: by participant.
Lateness lateness_of(const Matching& matching, const std::vector<RankTimes>& times);

// True when they differ by more than kernels of one collective usually do.
bool shows_waiting(std::span<const std::int64_t> durations);

// How long each member waited, by the order of `durations`, and how much of the waiting of the others (in the mean) is attributed to it.
struct WaitingShares {
  std::vector<double> waited, attributed;
};
WaitingShares share_waiting(std::span<const std::int64_t> durations);

// Who waited for whom, by participant: ns of waiting in row i that are attributed to the participant of column j. Of many participants only
// the `most` with most waiting, own or attributed, which `chosen` names, ascending.
struct WaitingMatrix {
  std::vector<std::size_t> chosen;
  std::vector<std::vector<double>> ns;
};
WaitingMatrix waiting_matrix(const Matching& matching, const Lateness& lateness, std::size_t most = 64);

// The facts of a rank as if no other rank had been late: steps are shorter by the share it lost waiting, which is
// communication that no computing hid.
model::RunFacts without_waiting(const model::RunFacts& facts, double lost_share);

}  // namespace frx::derive::ranks
