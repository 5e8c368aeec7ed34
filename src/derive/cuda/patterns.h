// How the lanes of a warp spread over memory in each access, and which threads reach each barrier.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "derive/cuda/lanes.h"
#include "derive/cuda/trace.h"

namespace frx::derive::cuda {

// The block that is assumed without a launch: one that the code seems to be written for.
Shape likely_block(const Trace& trace);

struct AccessPattern {
  enum Kind : std::uint8_t { unknown, uniform, packed, spread, data_dependent };
  Kind kind = unknown;
  double sector_ratio = 1;                  // sectors of 32 bytes that are touched, relative to those that the bytes would fill
  std::optional<std::int64_t> lane_stride;  // bytes between neighbouring lanes, where it is a constant
  bool stride_is_symbolic = false;          // it depends on an unknown size
  bool is_record = false;                   // packed only with the other accesses that use the rest of the same sectors
  bool is_own_row = false;                  // each lane walks a row of its own, which begins where it has read
  std::uint32_t bank_ways = 1;              // shared memory: the degree of bank conflicts
  std::int64_t first_address = 0;           // of the first active lane, in the sample with odd sizes
  std::uint32_t distinct = 0, threads = 0;  // addresses (the most of any sample), and threads that use them
};

struct BranchPattern {
  bool may_diverge_in_block = false;         // some threads of a block take another path than others
  bool diverges_in_warp = false;             // lanes of one warp do, for all sampled large sizes
  bool diverges_in_warp_when_small = false;  // lanes of one warp do for small sizes
  bool elects_one = false;                   // at most one lane of a warp takes one of the paths, for some sizes
  bool diverges_in_some_warp = false;        // more than one lane takes each path, for some sizes
  bool is_of_one_warp = false;               // other warps of the block never reach it
};

class WarpAccess;

// Does the loop have few iterations: at most 16, or as many as a parameter of the template says?
bool is_short(const Trace& trace, std::uint32_t loop);

// The patterns of one kernel for a block of a given shape.
class Patterns {
 public:
  using Mask = Lanes::Mask;

  Patterns(const Trace& trace, const Shape& block);

  std::vector<AccessPattern> accesses;  // as in the trace
  std::vector<BranchPattern> branches;
  // By barrier: do some threads of the block certainly go on without it, or is the work of threads needed that have left the kernel?
  std::vector<bool> barriers;
  // By collective of the block: is it certainly not made by all its threads?
  std::vector<bool> collectives;
  // By collective of a warp: do some lanes of the warp certainly not take part?
  std::vector<bool> warp_collectives;
  // By collective of a warp: do lanes read what others of the warp would hand over that have certainly left the kernel?
  std::vector<bool> orphaned_collectives;
  // By memory: does a thread read what another thread wrote, or what another warp wrote?
  struct Exchange {
    bool between_threads = false, between_warps = false;
  };
  std::vector<Exchange> exchanges;

 private:
  static constexpr std::size_t samples = 4;
  Mask mask_of(const Lanes& lanes, ExprId condition) const;
  void add_sample(const Lanes& lanes, Sample::Kind kind);
  void add_accesses(const Lanes& lanes, const std::vector<Mask>& reached, Sample::Kind kind);
  Mask chosen_by_thread(const Lanes& lanes, const Access& access) const;
  bool changes_with_iterations(const Access& access) const;
  bool is_displaced(const Lanes& lanes, ExprId address) const;
  WarpAccess see(const Lanes& lanes, Mask mask, const Access& access, bool in_banks) const;
  std::optional<Mask> taken_by(const Lanes& lanes, ExprId condition) const;
  void add_branches(const Lanes& lanes, const std::vector<Mask>& reached, Sample::Kind kind);
  void add_barriers(const Lanes& lanes, const std::vector<Mask>& reached);
  void add_exits(const Shape& block);
  std::vector<Mask> reached_in(const Lanes& lanes) const;
  void add_warp_collectives(const Lanes& lanes, const std::vector<Mask>& reached);
  void add_exchanges(const Lanes& lanes, const std::vector<Mask>& reached);
  // spread_exceptions.cc
  void exempt_used_sectors(const Lanes& lanes);
  void exempt_unknown_strides();
  // own_rows.cc
  void spread_own_rows(const Lanes& lanes, const Shape& block);
  std::optional<std::int64_t> own_row_of_data(const Access& access, const Shape& block) const;
  void add_first_exchanges(const Shape& block);
  // own_elements.cc
  void exempt_own_elements(const Lanes& now, const Shape& block);
  bool diverges_in_block(const Lanes& lanes, ExprId condition) const;
  void add_distinct(const Lanes& lanes);

  const Trace& trace_;
  const Lanes* odd_ = nullptr;   // the sample with odd sizes, while samples are added
  std::vector<Mask> seen_with_;  // by access: the lanes that made its pattern there
};

}  // namespace frx::derive::cuda
