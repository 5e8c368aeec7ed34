// How the lanes of a warp spread over memory in each access, and who waits for whom at each barrier.
#pragma once

#include <bitset>
#include <cstdint>
#include <optional>
#include <vector>

#include "derive/cuda/lanes.h"
#include "derive/cuda/trace.h"

namespace frx::derive::cuda {

// The block that is looked at: that of a launch, else one that the code seems made for.
Shape likely_block(const Trace& trace);

struct AccessPattern {
  enum Kind : std::uint8_t { unknown, uniform, packed, spread, data_dependent };
  Kind kind = unknown;
  double sector_ratio = 1;                  // sectors of 32 bytes touched, to those the bytes would fill
  std::optional<std::int64_t> lane_stride;  // bytes between neighbouring lanes, where it is a constant
  bool stride_is_symbolic = false;          // it depends on a size that is not known
  std::uint32_t bank_ways = 1;              // shared memory: words that one bank is asked for
  std::int64_t first_address = 0;           // of the first active lane, in the sample where the unknown is odd
  std::uint32_t distinct = 0, threads = 0;  // addresses, at most in a sample, and threads that use them
};

struct BranchPattern {
  bool may_part_block = false;       // some threads of a block take another way than others
  bool parts_warp = false;           // lanes of one warp do, wherever the sizes lie
  bool parts_warp_in_small = false;  // and that only for small values of what is unknown
  bool elects_one = false;           // one lane of a warp at most is alone with it, for some sizes at least
  bool parts_some_warp = false;      // more than one lane each way, for some sizes
  bool is_of_one_warp = false;       // other warps of the block never come here
};

class WarpAccess;

// A loop of a few rounds: 16 at most, or as many as a parameter of the template says.
bool is_short(const Trace& trace, std::uint32_t loop);

// One kernel, looked at with a block of a shape.
class Patterns {
 public:
  Patterns(const Trace& trace, const Shape& block);

  std::vector<AccessPattern> accesses;  // as in the trace
  std::vector<BranchPattern> branches;
  // The condition, by context, that keeps a part of the block from the barrier; none when all get there.
  // 0 stands for threads that have returned before.
  std::vector<std::uint32_t> barriers;
  // By memory: does a thread read what another one wrote, what another warp wrote?
  struct Exchange {
    bool between_threads = false, between_warps = false;
  };
  std::vector<Exchange> exchanges;

 private:
  static constexpr std::size_t samples = 4;
  using Mask = std::bitset<32 * Lanes::most_warps>;

  Mask mask_of(const Lanes& lanes, ExprId condition) const;
  void add_sample(const Lanes& lanes, Sample::Kind kind);
  void add_accesses(const Lanes& lanes, const std::vector<Mask>& reached, Sample::Kind kind);
  WarpAccess see(const Lanes& lanes, Mask mask, const Access& access, bool in_banks) const;
  void add_branches(const Lanes& lanes, const std::vector<Mask>& reached, Sample::Kind kind);
  void add_barriers(const Lanes& lanes);
  void add_exchanges(const Lanes& lanes, const std::vector<Mask>& reached);
  // forgiven.cc
  void forgive_used_lines(const Lanes& lanes);
  void forgive_own_parts(const Lanes& now, const Shape& block);
  void forgive_unknown_steps();
  bool parts_block(const Lanes& lanes, ExprId condition) const;
  bool is_sized_by_launch(ExprId alive) const;
  void add_distinct(const Lanes& lanes);

  const Trace& trace_;
};

}  // namespace frx::derive::cuda
