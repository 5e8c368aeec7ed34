// Numbers that are unique in a process only, made unique in the file: tracks and correlations.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "model/timeline.h"

namespace frx::ingest::nsys {

// What identifies a thread holds its process: 24 bits of the thread, 24 of the process, the rest of the machine.
constexpr std::int64_t process_of(std::int64_t global_thread) { return global_thread & ~std::int64_t{0xFFFFFF}; }
constexpr std::int64_t pid_of(std::int64_t global_thread) { return (global_thread >> 24) & 0xFFFFFF; }
constexpr std::int64_t tid_of(std::int64_t global_thread) { return global_thread & 0xFFFFFF; }

class Tracks {
 public:
  explicit Tracks(model::Timeline& timeline) : timeline_(timeline) {}

  std::uint32_t of_thread(std::int64_t global_thread);
  // Ranges that begin on one thread and may end on another, of a process.
  std::uint32_t of_ranges(std::int64_t global_thread);
  // A stream of a context; work of two processes on one device has two tracks.
  std::uint32_t of_stream(std::int64_t process, std::int64_t device, std::int64_t context, std::int64_t stream);
  // Copies of managed memory, which no stream orders.
  std::uint32_t of_managed_memory(std::int64_t process, std::int64_t device);

  // The number that joins a call with its work over all processes; no_id for 0, which joins nothing.
  std::uint32_t correlation(std::int64_t process, std::int64_t id);

 private:
  using StreamKey = std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t>;
  std::uint32_t add(model::Track track);

  model::Timeline& timeline_;
  std::unordered_map<std::int64_t, std::uint32_t> threads_, ranges_;
  std::map<StreamKey, std::uint32_t> streams_;
  StreamKey last_key_ = {-1, -1, -1, -1};
  std::uint32_t last_stream_ = 0;
  std::int64_t last_thread_ = -1;
  std::uint32_t last_thread_track_ = 0;
  std::vector<std::int64_t> processes_;  // that have the upper bits of a correlation for themselves
  std::map<std::pair<std::int64_t, std::int64_t>, std::uint32_t> others_;
};

}  // namespace frx::ingest::nsys
