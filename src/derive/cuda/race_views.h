// Which threads of a block touch which addresses, for the search for accesses that meet.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "derive/cuda/lanes.h"
#include "derive/cuda/trace.h"

namespace frx::derive::cuda {

// The addresses of the threads that make an access, sorted.
using Touched = std::vector<std::pair<std::int64_t, std::uint32_t>>;

// The variables that loops halve or double, by loop that has one.
struct Trees {
  std::vector<std::pair<ExprId, ExprId>> variables;
  std::vector<std::uint32_t> loops;
};

Trees trees_in(const Trace& trace);

// What sampling does not decide about expressions.
struct Vague {
  std::vector<bool> is_vague;    // a variable that a loop changes in no simple way is used, or a thread's number cut by an unknown size
  std::vector<bool> is_of_tree;  // a variable that a loop halves or doubles is used
};

Vague vague_expressions(const Expressions& e, const Trees& trees);

// for (d = 64; d > 0; d /= 2) if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d]: a block of 128 threads; 0 without such a loop.
std::uint32_t block_of_tree(const Expressions& e);

class RaceViews {
 public:
  RaceViews(const Trace& trace, const Trees& trees, const Vague& vague, const Shape& block)
      : trace_(trace), e_(trace.expressions), trees_(trees), is_vague_(vague.is_vague), is_of_tree_(vague.is_of_tree), block_(block) {}

  static constexpr std::size_t most_expressions = 8192;  // beyond these, nothing is said

  // Are there arrays that this block is too large for, in that iteration of all loops?
  bool exceeds_arrays(std::int64_t iteration = 0) const;

 protected:
  using Mask = Lanes::Mask;

  // Beyond these, code is generated or unrolled by hand, and nothing is said about it.
  static constexpr std::size_t most_candidates = 128, most_loops = 8;

  // By context: the lanes that certainly get there, and those that may.
  struct Reached {
    std::vector<Mask> surely, perhaps;
  };

  // The first iteration of each loop; of a tree one in which as many warps as possible meet in the next one.
  Sample sample_of(Sample::Kind kind) const;
  std::optional<std::int64_t> extent_of(const Memory& memory) const;
  Reached reached_in(const Lanes& lanes) const;
  // `k < ends[blockIdx.x]`: what global memory says decides for the whole block whether its loop goes on.
  bool is_same_in_block(ExprId condition) const;
  // `size % blockDim.x == 0`, or not so: it holds in one launch, and not in another one.
  bool tests_divisibility(ExprId condition) const;
  // `threadIdx.x < n`: n may be a few threads or all of them.
  bool is_of_unknown_share(ExprId condition) const;
  bool compares_elements(ExprId condition) const;
  Mask where_it_may_hold(const Lanes& lanes, ExprId condition) const;
  Mask mask_of(const Lanes& lanes, ExprId condition, bool when_unknown) const;
  // The lanes that make an access to a known address. An atomic that is executed depending on data is executed by some threads; with
  // `perhaps` so is any access.
  Mask touching(const Access& access, const Lanes& lanes, const Reached& reached, bool perhaps = false) const;
  Touched touched_by(const Access& access, const Lanes& lanes, const Reached& reached, bool perhaps = false) const;
  // atomicAdd(&bins[in[i]], 1), atomicAdd(&bins[hash(in[i]) % n], 1): an element that the data choose, of all or of many.
  bool is_anywhere(const Access& access) const;
  std::vector<std::uint32_t> candidates_in(Space space) const;

  const Trace& trace_;
  const Expressions& e_;
  const Trees& trees_;
  const std::vector<bool>&is_vague_, &is_of_tree_;
  Shape block_;
};

}  // namespace frx::derive::cuda
