// The values of expressions in some warps of a block, for a few samples of the unknown sizes.
//
// Whether neighbouring threads touch neighbouring bytes, whether lanes of a warp diverge at a condition, whether a bank is asked
// twice: all of this is evident once thread numbers are inserted. Results that do not depend on the unknown sizes are the same in
// every sample, and only those are used.
#pragma once

#include <array>
#include <bitset>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "derive/cuda/expressions.h"

namespace frx::derive::cuda {

struct Shape {
  std::uint32_t x = 0, y = 1, z = 1;
  std::uint32_t threads() const { return x * y * z; }
};

struct Sample {
  enum Kind : std::uint8_t { large_odd, large_even, tiny, small };
  Kind kind = large_odd;
  Shape block;
  ExprId one_more = 0;                         // the iteration number of a loop that is one iteration ahead of the others
  std::int64_t more = 0;                       // added to sizes of a tiny sample: an odd one among them becomes even, an even one odd
  std::optional<std::int64_t> iteration = {};  // of all loops
  std::vector<std::pair<ExprId, std::int64_t>> iterations = {};  // of some loops, by their iteration number
  std::int64_t more_blocks = 0;                                  // the number of a block further along x
  std::int64_t halved = 64, doubled = 16;                        // variables of `trees`
  std::span<const std::pair<ExprId, ExprId>> trees = {};         // variables that a loop halves, and that it doubles
};

// Of one thread: an expression is evaluated when it is first asked for, with those that it consists of. Its values may be taken once
// is_known() has said that there are some.
class Lanes {
 public:
  struct Buffer {
    std::unique_ptr<std::int64_t[]> values;
    std::size_t size = 0;
  };
  static constexpr std::uint32_t most_warps = 4;
  static constexpr std::int64_t sampled_block = 3;  // blockIdx.x of large samples, without Sample::more_blocks

  Lanes(const Expressions& expressions, const Sample& sample);
  ~Lanes();
  Lanes(const Lanes&) = delete;
  Lanes& operator=(const Lanes&) = delete;

  const Shape& block() const { return sample_.block; }
  std::uint32_t count() const { return count_; }  // of sampled threads
  std::uint32_t warps() const { return (count_ + 31) / 32; }
  std::uint32_t thread_of(std::uint32_t lane) const { return threads_[lane]; }  // its number in the block

  bool is_known(ExprId e) const { return e < states_.size() && state_of(e) == known; }
  bool is_varying(ExprId e) const { return e < states_.size() && state_of(e) == varying; }
  std::int64_t at(ExprId e, std::uint32_t lane) const {
    assert(states_[e] != unasked);
    const Row& row = rows_[e];
    return row.begin == same ? row.value : buffer_.values[row.begin + lane];
  }
  // The lanes in which it is not 0, of an expression whose values are known.
  using Mask = std::bitset<32 * most_warps>;
  Mask all() const { return Mask().set() >> (Mask().size() - count_); }
  Mask where(ExprId e) const;
  // The values of all lanes, one after the other; null when they are one value and have no row.
  const std::int64_t* row(ExprId e) const { return rows_[e].begin == same ? nullptr : buffer_.values.get() + rows_[e].begin; }
  bool is_same_for_all(ExprId e) const;
  // The same in constant time: false for some expressions that have a row with equal values.
  bool is_one_value(ExprId e) const { return rows_[e].begin == same; }

 private:
  enum State : std::uint8_t { known, varying, unknown, unasked };
  // Most expressions are the same for all lanes: then there is one value. Otherwise each lane has a value, from `begin` on.
  static constexpr std::uint32_t same = 0xFFFFFFFF;
  struct Row {
    std::uint32_t begin = same;
    std::int64_t value = 0;
  };
  void choose_threads(const Shape& block);
  State state_of(ExprId e) const {
    if (states_[e] == unasked) evaluate_with_parts(e);
    return states_[e];
  }
  void evaluate_with_parts(ExprId e) const;
  void evaluate(ExprId e) const;
  State evaluate_leaf(ExprId e) const;
  State evaluate_load(ExprId e) const;
  State evaluate_select(ExprId e) const;
  std::optional<bool> is_in_range(const Expr& comparison) const;
  bool is_flag(ExprId condition) const;
  bool is_same_row(ExprId a, ExprId b) const;
  State copied(ExprId e, ExprId from) const;
  State evaluate_binary(ExprId e) const;
  std::int64_t rests_compared(const Expr& comparison) const;
  State evaluate_logical(ExprId e) const;
  template <typename Calculate>
  State evaluate_lanes(ExprId e, Calculate&& calculate) const;
  State all_lanes(ExprId e, std::int64_t value) const;
  std::int64_t* new_row(ExprId e) const;
  std::int64_t uniform_value(std::int64_t which) const;

  const Expressions& all_;
  Sample sample_;
  std::uint32_t count_ = 0;
  std::array<std::uint32_t, 32 * most_warps> threads_{};
  // What was evaluated so far.
  mutable std::vector<State> states_;
  mutable std::vector<Row> rows_;
  mutable std::vector<ExprId> to_evaluate_;
  Buffer buffer_;  // rows of `count_`
  mutable std::uint32_t used_ = 0;
};

}  // namespace frx::derive::cuda
