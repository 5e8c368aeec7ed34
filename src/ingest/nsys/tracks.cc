#include "ingest/nsys/tracks.h"

#include <fmt/format.h>

#include <algorithm>

namespace frx::ingest::nsys {
namespace {

using model::Timeline;

// Correlations count from 1, so the upper four bits are free for the number of the process; what does not fit is numbered from `others` on.
constexpr int bits = 28;
constexpr std::size_t most_processes = 14;
constexpr std::uint32_t others = 0xE0000000;
constexpr std::int64_t of_memory = -2;  // in the place of a stream

}  // namespace

std::uint32_t Tracks::add(model::Track track) {
  timeline_.tracks.push_back(std::move(track));
  return static_cast<std::uint32_t>(timeline_.tracks.size() - 1);
}

std::uint32_t Tracks::of_thread(std::int64_t global_thread) {
  if (global_thread == last_thread_) return last_thread_track_;
  auto [at, is_new] = threads_.try_emplace(global_thread, 0);
  if (is_new) at->second = add({fmt::to_string(pid_of(global_thread)), fmt::to_string(tid_of(global_thread)), -1, -1, -1});
  last_thread_ = global_thread;
  return last_thread_track_ = at->second;
}

std::uint32_t Tracks::of_ranges(std::int64_t global_thread) {
  auto [at, is_new] = ranges_.try_emplace(process_of(global_thread), 0);
  if (is_new) at->second = add({fmt::to_string(pid_of(global_thread)), "ranges", -1, -1, -1});
  return at->second;
}

std::uint32_t Tracks::of_stream(std::int64_t process, std::int64_t device, std::int64_t context, std::int64_t stream) {
  const StreamKey key{process, device, context, stream};
  if (key == last_key_) return last_stream_;
  auto [at, is_new] = streams_.try_emplace(key, 0);
  if (is_new) {
    std::string name = stream == of_memory ? "managed memory" : fmt::to_string(stream);
    at->second = add({fmt::to_string(device), std::move(name), static_cast<std::int32_t>(device), stream == of_memory ? -1 : stream, -1});
  }
  last_key_ = key;
  return last_stream_ = at->second;
}

std::uint32_t Tracks::of_managed_memory(std::int64_t process, std::int64_t device) { return of_stream(process, device, -1, of_memory); }

std::uint32_t Tracks::correlation(std::int64_t process, std::int64_t id) {
  if (id <= 0) return Timeline::no_id;
  auto at = std::ranges::find(processes_, process);
  if (at == processes_.end() && processes_.size() < most_processes) at = processes_.insert(at, process);
  if (at != processes_.end() && id < std::int64_t{1} << bits)
    return static_cast<std::uint32_t>(at - processes_.begin()) << bits | static_cast<std::uint32_t>(id);
  const auto known = others_.find({process, id});
  if (known != others_.end()) return known->second;
  if (others_.size() >= Timeline::no_id - others) return Timeline::no_id;
  return others_.emplace(std::pair(process, id), static_cast<std::uint32_t>(others + others_.size())).first->second;
}

}  // namespace frx::ingest::nsys
