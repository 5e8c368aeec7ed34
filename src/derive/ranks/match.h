// Which kernel of one rank and which of another are the same collective.
//
// The n-th call of a group in a step is the same on all its ranks, or the program would hang: so sequences are compared step by step, and
// one that differs anywhere is left out as a whole. Sequences are never shifted to fit.
//
// Clocks of ranks are not compared. But ranks leave a collective that all of them wait in at one moment: if two sequences belong together,
// their ends differ by a constant. A collective that did not end together (the root of a broadcast leaves early; two sequences are only
// similar) is marked, and no waiting is derived from it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "derive/ranks/sequence.h"

namespace frx::derive::ranks {

struct Participant {
  std::int64_t rank = 0;
  const Sequence* sequence = nullptr;
  std::vector<std::int64_t> steps;  // numbers of those that count
};

struct Matched {
  std::uint32_t what = 0, group = 0;  // indices of the words
  std::int64_t step = 0;
  std::uint32_t nth = 0;      // of its group in the step, from 1
  std::uint32_t members = 0;  // index into Matching::members
  std::size_t durations = 0;  // where they begin in Matching::durations, one per member
  std::int64_t apart = 0;     // ns: the difference of the ends without the offset of the clocks
  bool together = false;
};

// Where the sequences of two ranks of a group differ first.
struct Mismatch {
  std::uint32_t group = 0;
  std::int64_t step = 0;
  std::int64_t rank_a = 0, rank_b = 0;
  std::size_t calls_a = 0, calls_b = 0;
  std::size_t nth = 0;         // the first that differs, from 1
  std::string what_a, what_b;  // "" after the end of a sequence
};

struct Matching {
  std::vector<std::vector<std::uint32_t>> members;  // indices of participants
  std::vector<Matched> collectives;                 // by group, then in time
  std::vector<std::int64_t> durations;              // ns
  std::vector<Mismatch> mismatches;                 // the first of each step and group
  std::uint64_t steps = 0;                          // that all ranks have
  std::uint64_t steps_left_out = 0;                 // that only some have
  std::uint64_t alone = 0;                          // calls of groups with only one rank in the input
  std::uint64_t together = 0;                       // of the collectives

  std::span<const std::int64_t> durations_of(const Matched& one) const {
    return std::span(durations).subspan(one.durations, members[one.members].size());
  }
};

// O(n log n) in the number of calls of all ranks.
Matching match(const std::vector<Participant>& participants, const Interner& words);

}  // namespace frx::derive::ranks
