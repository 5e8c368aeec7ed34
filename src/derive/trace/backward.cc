#include "derive/trace/backward.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "derive/trace/processes.h"

namespace frx::derive::trace {
namespace {

using model::Timeline;

// An operator of the forward pass.
struct Numbered {
  std::uint32_t number = 0, track = 0;
  std::int64_t start = 0;
  std::uint32_t row = none;
  friend auto operator<=>(const Numbered&, const Numbered&) = default;
};

class ForwardPass {
 public:
  explicit ForwardPass(const Timeline& timeline) : timeline_(timeline), process_(processes_of_tracks(timeline)) {
    for (std::size_t i = 0; i < timeline.numbered_events.size(); ++i) {
      const std::uint32_t row = timeline.numbered_events[i];
      if (timeline.forward_thread[i] == 0) made_.push_back({timeline.sequence[i], timeline.track[row], timeline.start[row], row});
    }
    std::ranges::sort(made_);
    vote();
  }

  // The operator that made the node of a backward operator, by its index among the numbered events.
  std::uint32_t maker_of(std::size_t i) const {
    const std::uint32_t row = timeline_.numbered_events[i];
    const auto known = track_of_.find({process_[timeline_.track[row]], timeline_.forward_thread[i]});
    if (known == track_of_.end()) return none;
    const Numbered before{timeline_.sequence[i], known->second, timeline_.start[row], 0};
    const auto next = std::ranges::lower_bound(made_, before);
    if (next == made_.begin()) return none;
    const Numbered& last = *std::prev(next);
    return last.number == before.number && last.track == before.track ? last.row : none;
  }

 private:
  using Thread = std::pair<std::uint32_t, std::uint16_t>;  // process, "Fwd thread id"

  void vote() {
    std::map<Thread, std::map<std::uint32_t, std::uint64_t>> votes;
    for (std::size_t i = 0; i < timeline_.numbered_events.size(); ++i) {
      if (timeline_.forward_thread[i] == 0) continue;
      const std::uint32_t process = process_[timeline_.track[timeline_.numbered_events[i]]];
      const std::uint32_t track = only_track_with(timeline_.sequence[i], process);
      if (track != none) ++votes[{process, timeline_.forward_thread[i]}][track];
    }
    for (const auto& [thread, tracks] : votes) {
      track_of_[thread] = std::ranges::max_element(tracks, {}, [](const auto& vote) { return vote.second; })->first;
    }
  }

  // Tracks of one number are adjacent. At most two are used.
  std::uint32_t only_track_with(std::uint32_t number, std::uint32_t process) const {
    std::uint32_t only = none;
    auto at = std::ranges::lower_bound(made_, number, {}, &Numbered::number);
    while (at != made_.end() && at->number == number) {
      if (process_[at->track] == process) {
        if (only != none) return none;
        only = at->track;
      }
      at = std::ranges::upper_bound(at, made_.end(), std::pair(number, at->track), {},
                                    [](const Numbered& one) { return std::pair(one.number, one.track); });
    }
    return only;
  }

  const Timeline& timeline_;
  std::vector<std::uint32_t> process_;  // by track
  std::vector<Numbered> made_;
  std::map<Thread, std::uint32_t> track_of_;
};

}  // namespace

BackwardWork join_backward(const Timeline& timeline, const Attribution& attribution) {
  BackwardWork result;
  result.forward.assign(attribution.work.size(), none);
  result.is_backward.assign(attribution.work.size(), false);
  std::vector<std::uint32_t> backward, launches, of_work;
  for (std::size_t i = 0; i < timeline.numbered_events.size(); ++i) {
    if (timeline.forward_thread[i] != 0) backward.push_back(timeline.numbered_events[i]);
  }
  if (backward.empty()) return result;
  for (std::uint32_t i = 0; i < attribution.work.size(); ++i) {
    if (attribution.work[i].launch == none) continue;
    launches.push_back(attribution.work[i].launch);
    of_work.push_back(i);
  }
  const ForwardPass forward(timeline);
  const std::vector<std::uint32_t> around = innermost_around(timeline, backward, launches);
  for (std::size_t i = 0; i < around.size(); ++i) {
    if (around[i] == none) continue;
    const auto numbered = std::ranges::lower_bound(timeline.numbered_events, around[i]);
    result.forward[of_work[i]] = forward.maker_of(static_cast<std::size_t>(numbered - timeline.numbered_events.begin()));
    result.is_backward[of_work[i]] = true;
  }
  return result;
}

}  // namespace frx::derive::trace
