// Made-up recordings of PyTorch programs whose layout faults are known, because the program that was simulated is known.
//
// A program is a list of blocks (clean_blocks.cc, faulty_blocks.cc): clean ones, ones that look like faults and are none, and faulty ones.
// torch.h carries it out and keeps what really happened (seen.h); what has to be found follows from that by the definitions of the
// advisor's specification (expected.cc), not from the recording and not from how frx reads one.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "layout/recorder.h"

namespace frx::testing::layout {

// Names of detectors as layout.v1 writes them.
inline constexpr std::string_view non_contiguous = "non_contiguous", contiguous_churn = "contiguous_churn", permute_storm = "permute_storm",
                                  channels_last = "channels_last", memory_bound = "memory_bound", stride_instability = "stride_instability";
std::vector<std::string_view> detectors();

// One thing at one site. Where stacks are not recorded, sites of one operator path are one site.
struct Expectation {
  std::string_view detector;
  std::vector<Site> sites;          // any of them
  std::set<std::string> operators;  // any of them, or of what holds it; empty: any
  bool is_backward = false;
  bool is_required = true;          // else it may be reported: another view of the same fault, or on the edge of a threshold
  double per_step = 0;              // 0: not said
  std::int64_t bytes_per_step = 0;  // 0: not said
  std::string why;
};

struct FaultyTrace {
  std::string json;
  Recording recording;
  Gpu gpu;
  std::vector<std::string> blocks;  // by name, faulty ones with a "!"
  std::vector<Expectation> expectations;
  std::set<std::string_view> assessable;  // detectors that this recording shows enough for
  int steps = 0;                          // steady ones
};

// The ways of recording, in the order of their rows.
const std::vector<Recording>& recordings();

// The same for the same number. Recordings and faults take turns.
FaultyTrace faulty_trace(std::uint64_t number);

}  // namespace frx::testing::layout
