// What was measured inside the code of a kernel, instruction by instruction, added up over its launches.
//
// Source: the per-instruction metrics of Nsight Compute (section SourceCounters). The sampler stops now and
// then, takes a warp and notes the instruction it is at and why it does not go on; other counters are exact.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace frx::model {

// An instruction that reads or writes memory; counts over all threads of all launches.
struct CodeAccess {
  bool has_sectors = false;  // whether the four below were measured
  bool has_wavefronts = false;
  std::uint64_t sectors = 0;           // of 32 bytes, asked of L2 for global memory if L1 had none
  std::uint64_t ideal_sectors = 0;     // the same bytes packed without gaps
  std::uint64_t wavefronts = 0;        // passes through the banks of shared memory
  std::uint64_t ideal_wavefronts = 0;  // the same without bank conflicts
  bool loads = false, stores = false;  // both for a copy to shared memory, neither for atomics or when not stated
};

struct CodeInstruction {
  static constexpr std::uint32_t none = 0xFFFFFFFF;
  static constexpr std::size_t max_reasons = 24;

  std::uint32_t function = 0;                       // index into CodeProfile::functions
  std::uint32_t offset = 0;                         // bytes from the begin of the function
  std::uint32_t place = none;                       // index into CodeProfile::places
  std::uint32_t access = none;                      // index into CodeProfile::accesses
  std::uint64_t samples = 0;                        // warps found here, for whatever reason
  std::uint64_t executed = 0;                       // by warps
  std::uint64_t threads = 0;                        // by threads that were not switched off; 0 also where none are counted
  std::array<std::uint32_t, max_reasons> stalls{};  // samples by reason, as CodeProfile::reasons
};

// A line of source, and where the code was called from when it was inlined.
struct CodePlace {
  std::uint32_t file = 0;                             // index into CodeProfile::files
  std::uint32_t line = 0;                             // from 1
  std::uint32_t called_from = CodeInstruction::none;  // index into places
  std::string text;                                   // of the line, when the report holds the source
  bool operator==(const CodePlace&) const = default;
};

struct CodeProfile {
  std::string kernel;                       // as Kernel::name
  std::uint64_t launches = 0;               // with such counters
  std::uint64_t samples = 0, executed = 0;  // over all instructions, also those that are not kept
  std::vector<std::string> functions;       // the kernel first, as the compiler spells it; "" when not known
  std::vector<std::string> reasons;         // "long_scoreboard"; `selected` means that the warp did go on
  std::vector<std::string> files;           // as the compiler was told, with folders
  std::vector<CodePlace> places;            // callers before those they call
  std::vector<CodeAccess> accesses;
  std::vector<CodeInstruction> instructions;  // by function and offset
  // What was measured at all: without it the numbers of the instructions mean nothing.
  bool has_samples = false, has_executed = false;
};

}  // namespace frx::model
