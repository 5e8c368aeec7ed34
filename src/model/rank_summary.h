// What is kept of the recording of one rank when it is summarised where it lies: small, and enough to be analysed with thousands of others.
//
// Times are nanoseconds of the clock of the rank, which is no clock of any other rank. Texts are kept once, in `words`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace frx::model {

// A kernel that communicates, as this rank saw it.
struct RankCall {
  static constexpr std::uint32_t no_group = 0xFFFFFFFF;  // a send or a receive, which is no collective

  std::uint32_t what = 0;   // "allreduce of 100 Float", of the words
  std::uint32_t group = 0;  // who takes part, of the words; no_group
  std::int64_t step = 0;    // number of the step that launched it
  std::int64_t start = 0, duration = 0;
  std::int64_t stream = -1;  // -1: not said

  std::int64_t end() const { return start + duration; }
  friend bool operator==(const RankCall&, const RankCall&) = default;
};

// What a word of RankCall::what stands for, where the recording says so.
struct CollectiveShape {
  std::uint32_t what = 0;  // of the words
  std::string kind, type;  // "allreduce", "Float", as the file has them
  std::uint64_t in_elements = 0, out_elements = 0;
  std::uint64_t bytes = 0;  // of the message; 0: the type is not known

  friend bool operator==(const CollectiveShape&, const CollectiveShape&) = default;
};

// What is asked of every rank of thousands, so that it is read without the rest.
struct RankHead {
  std::string trace;         // the name of the file that was summarised
  std::string node;          // the machine; "": not said
  std::string gpu;           // "NVIDIA H100", "2 x NVIDIA A100"; "": not said
  std::int32_t device = -1;  // of the only GPU used; -1: none or several
  std::optional<std::int64_t> rank, world_size;
  std::int64_t base_time_ns = 0;                // added to the times of calls, it gives the time since 1970; 0: not said
  bool clock_broken = false;                    // times between events are invalid: there are no calls
  bool described = false;                       // collectives by arguments beside their kernels, and not by their names alone
  bool cut_short = false;                       // the recording ended early
  std::uint64_t outside_steps = 0;              // collectives launched in no step, which are left out
  std::uint64_t point_to_point = 0;             // sends and receives
  std::vector<std::int64_t> steps;              // numbers of those that count, ascending
  std::optional<double> step_time_ns;           // their mean
  std::optional<double> exposed_communication;  // share of a step in which it communicates and nothing computes
  std::optional<double> busy;                   // share of a step in which the GPU works
  std::string label;                            // what its own recording says limits it; "": nothing

  friend bool operator==(const RankHead&, const RankHead&) = default;
};

struct RankSummary {
  RankHead head;
  std::vector<std::string> words;
  std::vector<CollectiveShape> shapes;  // by `what`
  std::vector<RankCall> calls;          // by step, within a step by start
  std::string recording;                // the rest of what the analysis of this rank tells (report/rank_recording.h)

  friend bool operator==(const RankSummary&, const RankSummary&) = default;
};

// A file: of one rank, or of several that were merged, by rank and name of the trace.
struct RankSummaries {
  std::string source;
  std::vector<RankSummary> ranks;
};

}  // namespace frx::model
