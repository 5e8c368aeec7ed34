#include "derive/compare/align_sequences.h"

#include <algorithm>
#include <unordered_map>

namespace frx::derive::compare {
namespace {

using Sequence = std::span<const std::uint32_t>;
using Index = std::uint32_t;

constexpr Index none = 0xFFFFFFFF;
constexpr int max_depth = 24;                   // of gaps in gaps
constexpr std::int64_t max_edits = 3000;        // of one gap; the memory of its search is the square of it
constexpr std::int64_t max_steps = 30'000'000;  // of all gaps together
constexpr Index look_ahead = 256;               // elements, where matching goes on as they come
constexpr int most_distances = 16;              // by which matches are moved to see whether they could stand elsewhere

struct Range {
  Index a0, a1, b0, b1;
  bool is_empty() const { return a0 == a1 || b0 == b1; }
};

struct Anchor {
  Index a, b;
};

class Aligner {
 public:
  Aligner(Sequence a, Sequence b) : a_(a), b_(b), partner_(a.size(), none), is_rough_(a.size(), false) {}

  std::vector<SequenceMatch> made() {
    align({0, static_cast<Index>(a_.size()), 0, static_cast<Index>(b_.size())}, 0);
    std::vector<SequenceMatch> matches;
    for (Index i = 0; i < partner_.size(); ++i) {
      if (partner_[i] != none) matches.push_back({i, partner_[i], !is_rough_[i]});
    }
    doubt(matches);
    return matches;
  }

 private:
  void align(Range range, int depth);
  void match_ends(Range& range);
  std::vector<Anchor> anchors_in(const Range& range) const;
  bool by_fewest_edits(const Range& range);
  void walk_back(const Range& range, const std::vector<std::vector<std::int32_t>>& reached);
  void as_they_come(const Range& range);
  void doubt(std::vector<SequenceMatch>& matches) const;
  void doubt_around(std::vector<SequenceMatch>& matches, std::size_t next, Sequence sequence, Index begin, Index end, bool is_first) const;

  Sequence a_, b_;
  std::vector<Index> partner_;  // by element of a_
  std::vector<bool> is_rough_;  // by element of a_: matched as they came
  std::int64_t steps_ = 0;
};

// The end first: what one run has more than the other usually stands at the beginning, where programs warm up.
void Aligner::match_ends(Range& range) {
  while (!range.is_empty() && a_[range.a1 - 1] == b_[range.b1 - 1]) partner_[--range.a1] = --range.b1;
  while (!range.is_empty() && a_[range.a0] == b_[range.b0]) partner_[range.a0++] = range.b0++;
}

// Of the candidates, by `a`, the longest chain that rises in `b` too. O(n log n).
std::vector<Anchor> longest_rising(const std::vector<Anchor>& candidates) {
  std::vector<Index> tails, before(candidates.size(), none);
  for (Index i = 0; i < candidates.size(); ++i) {
    const auto at = std::ranges::lower_bound(tails, candidates[i].b, {}, [&](Index tail) { return candidates[tail].b; });
    if (at != tails.begin()) before[i] = *(at - 1);
    if (at == tails.end()) {
      tails.push_back(i);
    } else {
      *at = i;
    }
  }
  std::vector<Anchor> chain;
  for (Index i = tails.empty() ? none : tails.back(); i != none; i = before[i]) chain.push_back(candidates[i]);
  std::ranges::reverse(chain);
  return chain;
}

std::vector<Anchor> Aligner::anchors_in(const Range& range) const {
  struct Seen {
    Index a = 0, b = 0;
    std::uint8_t in_a = 0, in_b = 0;  // two stands for more
  };
  std::unordered_map<std::uint32_t, Seen> seen;
  for (Index i = range.a0; i < range.a1; ++i) {
    Seen& one = seen[a_[i]];
    one.a = i;
    one.in_a = one.in_a == 0 ? 1 : 2;
  }
  for (Index i = range.b0; i < range.b1; ++i) {
    const auto one = seen.find(b_[i]);
    if (one == seen.end()) continue;
    one->second.b = i;
    one->second.in_b = one->second.in_b == 0 ? 1 : 2;
  }
  std::vector<Anchor> unique;
  for (const auto& [key, one] : seen) {
    if (one.in_a == 1 && one.in_b == 1) unique.push_back({one.a, one.b});
  }
  std::ranges::sort(unique, {}, &Anchor::a);
  return longest_rising(unique);
}

void Aligner::align(Range range, int depth) {
  match_ends(range);
  if (range.is_empty()) return;
  const std::vector<Anchor> anchors = depth < max_depth ? anchors_in(range) : std::vector<Anchor>();
  if (anchors.empty()) {
    if (!by_fewest_edits(range)) as_they_come(range);
    return;
  }
  Index a = range.a0, b = range.b0;
  for (const Anchor& anchor : anchors) {
    align({a, anchor.a, b, anchor.b}, depth + 1);
    partner_[anchor.a] = anchor.b;
    a = anchor.a + 1;
    b = anchor.b + 1;
  }
  align({a, range.a1, b, range.b1}, depth + 1);
}

// Myers' greedy search: on each diagonal, how far as many edits as possible lead. False: it took too many.
bool Aligner::by_fewest_edits(const Range& range) {
  const std::int64_t n = range.a1 - range.a0, m = range.b1 - range.b0;
  const std::int64_t most = std::min(n + m, max_edits);
  std::vector<std::int32_t> far(static_cast<std::size_t>(2 * most + 3), 0);
  std::vector<std::vector<std::int32_t>> reached;
  const auto at = [&](std::int64_t diagonal) -> std::int32_t& { return far[static_cast<std::size_t>(diagonal + most + 1)]; };
  for (std::int64_t edits = 0; edits <= most; ++edits) {
    for (std::int64_t diagonal = -edits; diagonal <= edits; diagonal += 2) {
      const bool is_down = diagonal == -edits || (diagonal != edits && at(diagonal - 1) < at(diagonal + 1));
      std::int64_t x = is_down ? at(diagonal + 1) : at(diagonal - 1) + 1, y = x - diagonal;
      for (; x < n && y < m && x >= 0 && y >= 0 && a_[range.a0 + static_cast<Index>(x)] == b_[range.b0 + static_cast<Index>(y)]; ++x, ++y)
        ++steps_;
      at(diagonal) = static_cast<std::int32_t>(x);
      if (++steps_ > max_steps) return false;
      if (x >= n && y >= m) {
        walk_back(range, reached);
        return true;
      }
    }
    const auto middle = far.begin() + most + 1;
    reached.emplace_back(middle - edits, middle + edits + 1);
  }
  return false;
}

// `reached[d]`: how far d edits lead, on the diagonals -d to d.
void Aligner::walk_back(const Range& range, const std::vector<std::vector<std::int32_t>>& reached) {
  std::int64_t x = range.a1 - range.a0, y = range.b1 - range.b0;
  const auto match_down_to = [&](std::int64_t begin_x) {
    for (; x > begin_x; --x, --y) partner_[range.a0 + static_cast<Index>(x - 1)] = range.b0 + static_cast<Index>(y - 1);
  };
  for (auto edits = static_cast<std::int64_t>(reached.size()); edits > 0; --edits) {
    const std::vector<std::int32_t>& earlier = reached[static_cast<std::size_t>(edits - 1)];
    const auto far = [&](std::int64_t diagonal) {
      const std::int64_t index = diagonal + edits - 1;
      return index >= 0 && index < static_cast<std::int64_t>(earlier.size()) ? earlier[static_cast<std::size_t>(index)] : std::int32_t{-1};
    };
    const std::int64_t diagonal = x - y;
    const bool is_down = diagonal == -edits || (diagonal != edits && far(diagonal - 1) < far(diagonal + 1));
    const std::int64_t from = is_down ? diagonal + 1 : diagonal - 1;
    const std::int64_t begin_x = far(from), begin_y = begin_x - from;
    match_down_to(is_down ? begin_x : begin_x + 1);
    x = begin_x;
    y = begin_y;
  }
  match_down_to(0);
}

// Beyond the budget: each element goes to the next equal one that is not far ahead.
void Aligner::as_they_come(const Range& range) {
  Index b = range.b0;
  for (Index a = range.a0; a < range.a1 && b < range.b1; ++a) {
    const Index end = std::min(range.b1 - b, look_ahead) + b;
    Index found = b;
    while (found < end && b_[found] != a_[a]) ++found;
    if (found == end) continue;
    partner_[a] = found;
    is_rough_[a] = true;
    b = found + 1;
  }
}

// Where elements without a partner (from `begin` to `end`) hold what the matched ones beside them hold, those could be the partners as
// well: all matches are in doubt that could move into the gap, or along with those that do. Some distances are tried, so this is linear.
void Aligner::doubt_around(std::vector<SequenceMatch>& matches, std::size_t next, Sequence sequence, Index begin, Index end,
                           bool is_first) const {
  const auto index_of = [&](std::size_t match) { return is_first ? matches[match].first : matches[match].second; };
  const auto stands_at = [&](std::size_t match, Index at) { return match < matches.size() && index_of(match) == at; };
  int tried = 0;
  for (Index from = end; from-- > begin && tried < most_distances && stands_at(next, end);) {
    if (sequence[from] != sequence[end]) continue;
    ++tried;
    const Index distance = end - from;
    Index at = end;
    for (std::size_t match = next; stands_at(match, at) && sequence[at] == sequence[at - distance]; ++match, ++at)
      matches[match].is_certain = false;
  }
  tried = 0;
  for (Index from = begin; from < end && tried < most_distances && next > 0 && begin > 0 && stands_at(next - 1, begin - 1); ++from) {
    if (sequence[from] != sequence[begin - 1]) continue;
    ++tried;
    const Index distance = from - (begin - 1);
    Index at = begin - 1;
    for (std::size_t match = next - 1; stands_at(match, at) && sequence[at] == sequence[at + distance]; --match, --at) {
      matches[match].is_certain = false;
      if (match == 0 || at == 0) break;
    }
  }
}

void Aligner::doubt(std::vector<SequenceMatch>& matches) const {
  Index a = 0, b = 0;
  for (std::size_t i = 0; i <= matches.size(); ++i) {
    const Index a_end = i < matches.size() ? matches[i].first : static_cast<Index>(a_.size());
    const Index b_end = i < matches.size() ? matches[i].second : static_cast<Index>(b_.size());
    if (a < a_end) doubt_around(matches, i, a_, a, a_end, true);
    if (b < b_end) doubt_around(matches, i, b_, b, b_end, false);
    if (i == matches.size()) break;
    a = a_end + 1;
    b = b_end + 1;
  }
}

}  // namespace

std::vector<SequenceMatch> align_sequences(Sequence first, Sequence second) { return Aligner(first, second).made(); }

}  // namespace frx::derive::compare
