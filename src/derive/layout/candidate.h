// What a detector of memory layout found at one place of the program, before it is judged, worded and ranked (data/layout, report/layout).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "derive/layout/layout_trace.h"

namespace frx::derive::layout {

// A share of what could be saved in a step: nothing where there is no number for it.
struct SavedPerStep {
  double low_ns = 0, best_ns = 0;        // of GPU time, or of CPU time where `of_cpu`
  double low_bytes = 0, best_bytes = 0;  // of memory traffic
  bool of_cpu = false;
};

struct Candidate {
  std::string_view detector;         // "non_contiguous", of data/layout
  std::string_view pattern;          // "hidden_copy", of the same file
  std::uint32_t node = none;         // the first operator that shows it; its site is that of the finding
  std::vector<std::uint32_t> nodes;  // all operators that show it, in steady steps, ascending
  // Per step.
  double count = 0;
  std::optional<double> bytes;  // of memory traffic that it causes; absent: not known
  double time_ns = 0;           // of GPU time
  std::optional<SavedPerStep> saving;
  double confidence = 0;  // 0 to 1
  // GPU work (indices) that the fix removes or makes faster: what two findings share is saved once.
  std::vector<std::uint32_t> removed_work;
  // What conditions of data/layout ask for beside the numbers above, and what its words show.
  std::map<std::string, double, std::less<>> facts;
  std::map<std::string, std::string, std::less<>> words;
  std::vector<std::string> caveats;
};

}  // namespace frx::derive::layout
