// Short loops in which each thread visits elements of its own: the lines stay in L1 until all their bytes are used.
//
//   for (j = 0; j < 4; ++j) a[4 * i + j]                                   all 16 bytes of each thread
//   for (r = 0; r < 3; ++r) for (c = 0; c < 3; ++c) a[9 * i + 3 * r + c]   all 36, by two loops together
//   for (j = 0; j < 2; ++j) a[64 * i + j]                                  8 bytes of every 256: still spread
#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

#include "derive/cuda/loop_counts.h"
#include "derive/cuda/patterns.h"
#include "derive/warp/request.h"

namespace frx::derive::cuda {
namespace {

constexpr std::size_t most_loops = 64, most_offsets = 256, most_pieces = 65536;
constexpr std::int64_t farthest_step = 4096;  // bytes from one iteration to the next; lines further apart may be gone by then

// The most iterations of a short loop; 0 when it is not short.
std::int64_t iterations_of(const Trace& trace, std::uint32_t loop) {
  constexpr std::int64_t longest = 16, of_size_that_is_often_one = 4;
  const Expr& test = trace.expressions[trace.loops[loop].condition];
  if ((test.op == Op::lt || test.op == Op::le) && trace.is_often_one(test.b)) return of_size_that_is_often_one;
  return constant_iterations(trace.expressions, trace.loops[loop], longest).value_or(0);
}

using Steps = std::map<std::pair<std::size_t, std::uint32_t>, std::int64_t>;  // bytes, by access and loop

// Where the iterations of the short loops around an access lead, relative to the first of them.
std::vector<std::int64_t> offsets_of(const Trace& trace, std::size_t access, const Steps& steps) {
  std::vector<std::int64_t> offsets{0};
  for (std::uint32_t loop = trace.accesses[access].loop; loop != none && is_short(trace, loop); loop = trace.loops[loop].parent) {
    const auto step = steps.find({access, loop});
    if (step == steps.end() || step->second == 0 || std::abs(step->second) > farthest_step) continue;
    const std::size_t before = offsets.size();
    for (std::int64_t n = 1; n < iterations_of(trace, loop) && offsets.size() < most_offsets; ++n) {
      for (std::size_t i = 0; i < before; ++i) offsets.push_back(offsets[i] + n * step->second);
    }
  }
  return offsets;
}

// The bytes that the lanes of a warp use of one memory in all iterations together.
class UsedBytes {
 public:
  UsedBytes(const Trace& trace, const Lanes& lanes) : trace_(trace), lanes_(lanes) {}

  void add(std::size_t access, const Steps& steps) {
    const Access& a = trace_.accesses[access];
    const std::int64_t bytes = std::clamp(a.bytes, 1u, warp::most_bytes);
    for (const std::int64_t offset : offsets_of(trace_, access, steps)) {
      for (std::uint32_t lane = 0; lane < std::min(lanes_.count(), warp::lane_count) && pieces_.size() < most_pieces; ++lane) {
        const std::int64_t first = (lanes_.at(a.address, lane) << 3 >> 3) + offset;
        pieces_.push_back({first, first + bytes});
      }
    }
  }

  bool are_more_than_half_of_the_sectors() {
    const warp::Footprint touched = warp::footprint(pieces_);
    return 2 * touched.bytes > warp::sector_bytes * touched.sectors;
  }

 private:
  const Trace& trace_;
  const Lanes& lanes_;
  std::vector<warp::ByteRange> pieces_;
};

}  // namespace

bool is_short(const Trace& trace, std::uint32_t loop) { return iterations_of(trace, loop) != 0; }

void Patterns::exempt_own_elements(const Lanes& now, const Shape& block) {
  std::set<std::uint32_t> loops;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::size_t>> groups;  // by memory and outermost short loop
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    if (accesses[i].kind != AccessPattern::spread || !now.is_known(trace_.accesses[i].address)) continue;
    std::uint32_t outermost = none;
    for (std::uint32_t loop = trace_.accesses[i].loop; loop != none && is_short(trace_, loop); loop = trace_.loops[loop].parent) {
      loops.insert(loop);
      outermost = loop;
    }
    if (outermost != none) groups[{trace_.accesses[i].memory, outermost}].push_back(i);
  }
  if (loops.empty() || loops.size() > most_loops) return;
  Steps steps;
  for (const std::uint32_t loop : loops) {
    const Lanes next(trace_.expressions, {Sample::large_odd, block, trace_.loops[loop].iteration});
    for (const auto& [key, group] : groups) {
      for (const std::size_t i : group) {
        const ExprId address = trace_.accesses[i].address;
        if (next.is_known(address)) steps[{i, loop}] = next.at(address, 0) - now.at(address, 0);
      }
    }
  }
  std::set<std::pair<std::uint32_t, std::optional<std::int64_t>>> packed;  // memories, and strides in them
  for (const auto& [key, group] : groups) {
    UsedBytes used(trace_, now);
    for (const std::size_t i : group) used.add(i, steps);
    if (!used.are_more_than_half_of_the_sectors()) continue;
    for (const std::size_t i : group) {
      accesses[i].kind = AccessPattern::packed;
      accesses[i].is_record = true;
      packed.emplace(key.first, accesses[i].lane_stride);
    }
  }
  // The first element may be accessed before the loop over the others.
  for (std::size_t k = 0; k < accesses.size() && !packed.empty(); ++k) {
    const bool is_same = accesses[k].kind == AccessPattern::spread && packed.contains({trace_.accesses[k].memory, accesses[k].lane_stride});
    if (!is_same) continue;
    accesses[k].kind = AccessPattern::packed;
    accesses[k].is_record = true;
  }
}

}  // namespace frx::derive::cuda
