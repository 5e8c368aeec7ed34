// The lines of a kernel where its warps spend their time, and the causes.
//
// A sample says where a warp was and why it did not continue: usually at the first instruction that needs a value, which may be a line
// after the load that fetches it. All samples count, as in the profiler's own "Warp Stall Sampling (All Samples)", also those of warps that
// did continue (`selected`), which are no stall.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "knowledge/metrics.h"
#include "model/code_profile.h"

namespace frx::report {

struct LineStall {
  std::string_view reason;  // "long_scoreboard"
  std::string_view words;   // "waits for a result of ...": the state of such a warp
  double pct = 0;           // of the samples of the line
};

// More transfers than the requested bytes need.
struct LineWaste {
  std::string_view access;                 // "loads", "stores", "copies" (to shared memory) or "accesses"
  std::optional<double> each, ideal_each;  // per executed instruction, of those with waste if there are any
  double excess = 0;                       // transfers, over all launches
  double of_line_pct = 0;                  // excess, of the line's transfers
  double of_kernel_pct = 0;                // excess, of the kernel's transfers
};

struct SourcePlace {
  std::string file;  // with its folders; made printable
  std::uint32_t line = 0;
};

struct HotLine {
  std::string function;                  // as the compiler spells it; "" when not known
  bool in_callee = false;                // it is a function that the kernel calls
  SourcePlace place;                     // line 0: not known
  std::vector<SourcePlace> called_from;  // when inlined, the nearest caller first
  std::string text;                      // of the line, when the report holds the source
  std::optional<std::uint32_t> offset;   // without lines: of the instruction, bytes from the begin of the function
  std::uint32_t instructions = 0;
  std::uint64_t samples = 0;
  std::optional<double> share_pct;           // of the kernel's samples
  std::vector<LineStall> stalls;             // largest first
  std::optional<double> executed;            // instructions, by warps
  std::optional<double> executed_share_pct;  // of the kernel's
  std::optional<double> active_threads;      // of 32, in an executed instruction
  std::optional<LineWaste> sectors;          // of global memory, 32 bytes each
  std::optional<LineWaste> wavefronts;       // of shared memory; waste is bank conflicts

  // Of the kernel's samples, or of its executed instructions (HotCode::by_samples).
  std::optional<double> share(bool by_samples) const { return by_samples ? share_pct : executed_share_pct; }
};

struct HotCode {
  std::vector<HotLine> lines;  // hottest first; then those that waste most
  std::size_t of_lines = 0;    // how many lines, or instructions, were measured
  std::uint64_t samples = 0;
  bool by_samples = false;  // otherwise by executed instructions: there are too few samples, or none
  bool has_places = false;
};

// Every line of the profile; instructions without a line are one entry per function.
std::vector<HotLine> code_lines(const model::CodeProfile& profile, const knowledge::MetricCatalogue& metrics);
// Every instruction, with its place when it is known.
std::vector<HotLine> code_instructions(const model::CodeProfile& profile, const knowledge::MetricCatalogue& metrics);

// The lines worth showing, by the profile of the kernel with most samples; absent when none was measured.
HotCode hot_code(const std::vector<model::CodeProfile>& profiles, std::string_view kernel, const knowledge::MetricCatalogue& metrics);

}  // namespace frx::report
