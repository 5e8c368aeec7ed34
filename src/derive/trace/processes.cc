#include "derive/trace/processes.h"

#include <map>
#include <string_view>

namespace frx::derive::trace {

std::vector<std::uint32_t> processes_of_tracks(const model::Timeline& timeline) {
  std::map<std::string_view, std::uint32_t> numbers;
  std::vector<std::uint32_t> processes;
  processes.reserve(timeline.tracks.size());
  for (const model::Track& track : timeline.tracks)
    processes.push_back(numbers.emplace(track.pid, static_cast<std::uint32_t>(numbers.size())).first->second);
  return processes;
}

}  // namespace frx::derive::trace
