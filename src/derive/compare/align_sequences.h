// Which element of one sequence is which of another, where some are missing on either side: launches that two tools recorded in two runs.
//
// Elements are numbers; equal numbers may be the same element. What is alike at the ends is matched first, then elements that are there
// once on each side and in the same order (patience anchors, a longest increasing subsequence), again inside of the gaps between them, and
// what is left by the fewest insertions and deletions (Myers). That last step has a budget; beyond it, elements are matched in order as
// they come. O(n log n) where the sequences are alike, and never quadratic.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace frx::derive::compare {

struct SequenceMatch {
  std::uint32_t first = 0, second = 0;  // indices
  // The only place for it. Otherwise an equal element beside it could have been taken as well: of "a a" and "a" it is unknown which is
  // missing.
  bool is_certain = true;
};

// Ascending on both sides.
std::vector<SequenceMatch> align_sequences(std::span<const std::uint32_t> first, std::span<const std::uint32_t> second);

}  // namespace frx::derive::compare
