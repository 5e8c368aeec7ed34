// Which call launched a piece of GPU work, where a file may hold several processes.
//
// Correlations and External ids are unique in one process only, and the processes of a training give the same numbers to the same calls.
// The work of a GPU does not name its process, so that it is found first.
#pragma once

#include <cstdint>
#include <vector>

#include "derive/trace/attribution.h"
#include "derive/trace/rows_by_id.h"

namespace frx::derive::trace {

// Does the call (a row) come after the GPU work (a row), by more than clocks differ? Then it did not launch it, or times are wrong.
bool is_late(const model::Timeline& timeline, std::uint32_t call, std::uint32_t event);

class Launches {
 public:
  // Finds the process of each GPU by a sample of its work: of the processes that have calls with nearly all of its correlations, the one
  // of which the fewest come after the work; of several, the one whose calls come the least time before it. O(n log n) in the number of
  // events.
  Launches(const model::Timeline& timeline, const std::vector<GpuWork>& work);

  // Sets the calls of all pieces of `work`, which are in order of start; `none` where the process of the GPU has no call with that
  // correlation. Where a call launched work of that name already, two processes use one GPU: the call is that of the next process.
  void join(std::vector<GpuWork>& work) const;

  // By track, see Attribution.
  const std::vector<std::uint32_t>& process_of_track() const { return process_; }

  // An id of an event, made unique in the file: equal for events of one process and for the work of its GPU. RowsById::no_id for
  // Timeline::no_id, and where the process of a GPU is not known.
  std::uint64_t in_file(std::uint32_t id, std::uint32_t event) const { return in_process(id, process_[timeline_.track[event]]); }

 private:
  std::uint64_t in_process(std::uint32_t id, std::uint32_t process) const;
  template <typename Take>
  void for_each_call_with(std::uint32_t correlation, Take take) const;
  void find_processes_of_gpus(const std::vector<GpuWork>& work);
  std::uint32_t unused_call_for(const GpuWork& one, const std::vector<std::uint32_t>& launched) const;

  const model::Timeline& timeline_;
  std::vector<std::uint32_t> process_;  // by track
  bool one_process_;                    // all ids are unique in the file
  RowsById calls_;
};

}  // namespace frx::derive::trace
