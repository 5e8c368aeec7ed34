// Every memory access of a function: where its address comes from, and what it costs a warp.
//
//   ld.global.f32 %f1, [%rd5];      param_0 + 4*stride*tid.x + ..., block 256x1x1
//     affine; adjacent threads are 4*param_3 bytes apart: 32 sectors of 32 bytes where 4 would do
//
// Assumptions: pointers among the parameters are aligned to 256 bytes, as cudaMalloc returns them; index arithmetic with unknown
// numbers does not wrap around; lanes of a warp iterate through loops together. Unknown numbers that matter are taken from a few
// samples (sizes such as 1024, 1009, small ones), and the result is not `exact` then.
//
// A request is one instruction of one warp; derive/warp/request.h and its neighbours say what it costs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "derive/ptx/access_lanes.h"
#include "derive/ptx/affine.h"

namespace frx::derive::ptx {

enum class AccessKind : std::uint8_t {
  uniform,         // the same address for all lanes
  affine,          // a sum of multiples of thread numbers
  known_per_lane,  // another function of thread numbers: masks, shifts, remainders
  data_dependent,  // computed from values read from memory or another lane
  unknown,
};
std::string_view name_of(AccessKind kind);  // "data_dependent"

enum class AccessType : std::uint8_t { load, store, atomic };

// The cost over the warps of a block and over everything unknown about the launch. `exact`: it holds for every launch with this
// block; otherwise numbers were sampled.
struct AccessCost {
  std::uint32_t typical = 0, ideal = 0;  // of the same request
  std::uint32_t best = 0, worst = 0;     // least and most that any request needs
  std::uint32_t warps = 0;               // of the block that execute it
  std::uint32_t lanes = 0;               // that take part in the typical case
  bool exact = true;
  // Needed beyond the ideal, in the typical case: for shared memory the degree of bank conflicts.
  std::uint32_t excess() const { return typical > ideal ? typical - ideal : 0; }
};

// Of a request for so many bytes per lane: it touches twice the sectors that the bytes of its lanes fill, and more than lanes of 4 bytes
// side by side. A broadcast saves sectors, it wastes none; one channel of a pixel of bytes wastes nothing that another layout would save.
bool is_wasteful(const AccessCost& cost, std::uint32_t bytes);

struct AccessFix {
  enum Kind : std::uint8_t {
    none,
    pad_rows,          // of the shared array by `padding` elements
    swap_indices,      // so that the index of adjacent threads runs along the fastest dimension
    separate_members,  // a structure of arrays instead of an array of structures
  };
  Kind kind = none;
  std::uint32_t padding = 0;
  std::uint32_t row_bytes = 0;  // of the array, as the address shows it
  std::uint32_t needed = 0;     // sectors or wavefronts with it, typically
};

struct MemoryAccess {
  std::uint32_t instruction = 0;  // its number in the module; its `place` is the line of the source
  AccessType type = AccessType::load;
  ::frx::model::ptx::Space space = ::frx::model::ptx::Space::none;  // none: generic, and not determined
  std::uint32_t bytes = 0;                                          // of one lane
  AccessKind kind = AccessKind::unknown;
  std::uint32_t loop_depth = 0;
  // Bytes from one lane to the next, if they are the same throughout the first warp.
  std::optional<std::int64_t> lane_stride;
  // The distance of adjacent threads along x in bytes, as a formula: "4*param_3"; empty when it is not affine.
  std::string stride;
  // The address as a formula: "param_0 + 4*ctaid.x*ntid.x + 4*tid.x".
  std::string formula;
  // In sectors for global and local memory, in wavefronts for shared memory. Absent when the address is unknown, or no thread
  // executes the access.
  std::optional<AccessCost> cost;
  AccessFix fix;
  std::string sentence;  // for people; without a full stop
};

// What accesses of equal cost share: unrolled code has many accesses whose addresses differ by whole sectors, or not at all.
struct Request {
  std::uint32_t address = 0;  // of one of the accesses: index into Addresses::all
  ::frx::model::ptx::Space space = ::frx::model::ptx::Space::none;
  std::uint32_t bytes = 0;
  AccessKind kind = AccessKind::unknown;
  LaneMask lanes = warp::all_lanes;  // whose addresses count
  std::string stride;                // as in MemoryAccess
};

// The properties of a request that depend on the launch.
struct Measured {
  std::optional<std::int64_t> lane_stride;
  std::optional<AccessCost> cost;
  AccessFix fix;
};

// The accesses of a function, in the order of the code. One analysis serves many launches.
class MemoryAnalysis {
 public:
  // The arguments must outlive the analysis. Takes time nearly linear in the size of the function.
  MemoryAnalysis(const ::frx::model::ptx::Module& module, const ::frx::model::ptx::Function& function, const Vocabulary& words,
                 const FlowGraph& graph, const Dominators& dominators, const Loops& loops, const RegisterUses& uses, const Liveness& live,
                 const Divergence& divergence);

  std::vector<MemoryAccess> accesses(const LaunchFacts& facts) const;
  // The same step by step, for callers that need few accesses in full: how many there are, which request each belongs to, and
  // what the requests cost.
  std::size_t size() const { return all_.size(); }
  const Request& request(std::size_t access) const { return requests_[all_[access].request]; }
  std::uint32_t request_number(std::size_t access) const { return all_[access].request; }
  std::vector<Measured> measured(const LaunchFacts& facts) const;
  AccessType type(std::size_t access) const { return all_[access].type; }
  std::uint32_t loop_depth(std::size_t access) const { return all_[access].loop_depth; }
  MemoryAccess access(std::size_t number, const Measured& measured) const;
  // Accesses to global memory of one type and loop depth whose addresses differ by constants only, as those of the members of a record.
  std::vector<std::vector<std::size_t>> families() const;
  // What each of the families touches, all its accesses together, in the first warp.
  std::vector<warp::Footprint> touched(const std::vector<std::vector<std::size_t>>& families, const LaunchFacts& facts) const;
  // The shape that the function requires of its launches; otherwise 256x1x1, 32x8x1, 16x16x1 and 8x8x4, depending on whether it
  // uses the numbers of threads along y and z.
  std::vector<BlockShape> plausible_shapes() const;

  const Addresses& addresses() const { return addresses_; }

 private:
  struct Access {
    std::uint32_t request = 0;
    AccessType type = AccessType::load;
    std::uint32_t loop_depth = 0;
  };

  void add(const Address& address, std::uint32_t loop_depth, IdTable& known);
  bool is_same(const Request& one, const Request& other) const;
  std::uint64_t hash_of(const Request& request) const;

  const ::frx::model::ptx::Module& module_;
  const ::frx::model::ptx::Function& function_;
  Addresses addresses_;
  std::vector<Access> all_;  // as addresses_.all
  std::vector<Request> requests_;
};

// Analyses a function for one launch.
std::vector<MemoryAccess> memory_accesses(const ::frx::model::ptx::Module& module, const ::frx::model::ptx::Function& function,
                                          const LaunchFacts& facts);

}  // namespace frx::derive::ptx
