#include "derive/ranks/fleet_step.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "derive/compare/two_samples.h"
#include "derive/ranks/wrapping.h"
#include "model/rank_summary.h"

namespace frx::derive::ranks {

// Outside of communication, since the first call.
std::int64_t RankClock::own_at(std::int64_t time) const {
  const std::int64_t covered_later = covered_until_ > time ? minus(covered_until_, time) : 0;
  return minus(minus(time, origin_), minus(communicated_, covered_later));
}

std::vector<StepCall> RankClock::take(std::span<const FleetCall> calls) {
  std::vector<StepCall> found;
  for (const FleetCall& call : calls) {
    const std::int64_t duration = std::max<std::int64_t>(call.duration, 0), end = plus(call.start, duration);
    if (!begun_) {
      begun_ = true;
      origin_ = covered_until_ = call.start;
    }
    const std::int64_t own_at_start = own_at(call.start);
    if (end > covered_until_) {
      communicated_ = plus(communicated_, minus(end, std::max(covered_until_, call.start)));
      covered_until_ = end;
    }
    if (call.group == model::RankCall::no_group) continue;
    StepCall one{call.what, call.group, duration, end, std::nullopt};
    const auto last = std::ranges::find(last_own_, call.group, &std::pair<std::uint32_t, std::int64_t>::first);
    if (last != last_own_.end()) {
      one.own_work = minus(own_at_start, last->second);
      last->second = own_at(end);
    } else {
      last_own_.emplace_back(call.group, own_at(end));
    }
    found.push_back(one);
  }
  std::ranges::stable_sort(found, {}, &StepCall::group);
  return found;
}

double EndTrack::add(double time, double distance) {
  double off = 0;
  const std::size_t known = std::min(count_, kept);
  if (known >= fewest) {
    // The clocks drift: by the middle of the slopes from one collective to the next, and from the middle of where those lines lead.
    std::vector<double> slopes, expected;
    for (std::size_t i = 1; i < known; ++i) {
      const std::size_t at = (count_ - i) % kept, before = (count_ - i - 1) % kept;
      const double apart = times_[at] - times_[before];
      slopes.push_back(apart != 0 ? (distances_[at] - distances_[before]) / apart : 0);
    }
    const double slope = compare::upper_median(slopes);
    for (std::size_t i = 0; i < known; ++i) expected.push_back(distances_[i] + slope * (time - times_[i]));
    off = std::abs(distance - compare::upper_median(expected));
  }
  times_[count_ % kept] = time;
  distances_[count_ % kept] = distance;
  ++count_;
  return off;
}

namespace {

std::string what_at(const StepMember& member, std::size_t nth, const Interner& words) {
  return nth < member.calls.size() ? printable(words[member.calls[nth].what]) : "nothing";
}

// The first call at which a member differs from the first member; "" where all agree.
std::string difference(std::span<const StepMember> members, const std::vector<FleetRank>& ranks, const Interner& words) {
  for (const StepMember& other : members.subspan(1)) {
    const auto at = std::ranges::mismatch(members[0].calls, other.calls, {}, &StepCall::what, &StepCall::what);
    const auto nth = static_cast<std::size_t>(at.in1 - members[0].calls.begin());
    if (nth == members[0].calls.size() && nth == other.calls.size()) continue;
    return fmt::format("in {} rank {} has {} where rank {} has {} (number {} of a step)", printable(words[other.group]),
                       ranks[members[0].rank].rank, what_at(members[0], nth, words), ranks[other.rank].rank, what_at(other, nth, words),
                       nth + 1);
  }
  return {};
}

std::uint64_t signature_of(std::span<const StepCall> calls, std::size_t members) {
  // Mixes each value, so that a size and an operation do not make up for each other.
  std::uint64_t hash = 0xcbf29ce484222325;
  const auto add = [&](std::uint64_t value) {
    value = (value + 0x9e3779b97f4a7c15) * 0xbf58476d1ce4e5b9;
    hash = (hash ^ value ^ (value >> 31)) * 0x100000001b3;
    hash ^= hash >> 29;
  };
  add(members);
  for (const StepCall& call : calls) add(call.what);
  return hash;
}

// Of a collective, by member.
class Moment {
 public:
  Moment(std::span<StepMember> members, std::size_t nth) : members_(members), nth_(nth) {}

  // How far the members' ends are from where their clocks put them, at most.
  double see_ends(std::vector<EndTrack>& tracks) {
    // Relative to the end of the first member: clocks may be years apart, and a double holds what is left.
    std::vector<double> ends;
    for (const StepMember& member : members_) ends.push_back(static_cast<double>(minus(call(member).end, call(members_[0]).end)));
    std::vector<double> sorted = ends;
    const double middle = compare::upper_median(sorted);
    double apart = 0;
    for (std::size_t i = 0; i < members_.size(); ++i) {
      const auto time = static_cast<double>(call(members_[i]).end);
      apart = std::max(apart, tracks[i].add(time, ends[i] - middle));
      members_[i].end_time += time;
      members_[i].end_distance += ends[i] - middle;
    }
    return apart;
  }

  std::int64_t longest() const {
    std::int64_t most = 0;
    for (const StepMember& member : members_) most = std::max(most, call(member).duration);
    return most;
  }

  // What each came later than the middle one by work of its own. The time of the transfer is returned.
  double compare() {
    std::vector<double> durations, works;
    for (const StepMember& member : members_) {
      durations.push_back(static_cast<double>(call(member).duration));
      if (call(member).own_work) works.push_back(static_cast<double>(*call(member).own_work));
    }
    const double transfer = std::ranges::min(durations);
    for (std::size_t i = 0; i < members_.size(); ++i) members_[i].waited_ns += durations[i] - transfer;
    if (works.size() < members_.size()) return transfer;
    // Of two, the earlier one is in time: the upper of the middle durations, the lower of the middle works.
    std::vector<double> sorted = durations;
    const double usual = compare::upper_median(sorted), usual_work = lower_median(works);
    for (std::size_t i = 0; i < members_.size(); ++i) {
      const double own = static_cast<double>(*call(members_[i]).own_work) - usual_work;
      members_[i].late_ns += std::max(0.0, std::min(usual - durations[i], own));
    }
    return transfer;
  }

 private:
  const StepCall& call(const StepMember& member) const { return member.calls[nth_]; }
  static double lower_median(std::vector<double>& values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
    std::ranges::nth_element(values, middle);
    return *middle;
  }

  std::span<StepMember> members_;
  std::size_t nth_;
};

}  // namespace

StepGroup compare_members(std::span<StepMember> members, std::vector<EndTrack>& tracks, const std::vector<FleetRank>& ranks,
                          const Interner& words, const knowledge::FleetRules& rules) {
  StepGroup group;
  group.mismatch = difference(members, ranks, words);
  if (!group.mismatch.empty()) return group;
  const std::span<const StepCall> calls = members[0].calls;
  group.signature = signature_of(calls, members.size());
  group.collectives = calls.size();
  for (std::size_t nth = 0; nth < calls.size(); ++nth) {
    Moment moment(members, nth);
    const double apart = moment.see_ends(tracks), longest = static_cast<double>(moment.longest());
    if (apart > std::max(rules.together_ns, rules.together_share * longest)) continue;
    ++group.together;
    group.transfer_ns += moment.compare();
  }
  for (StepMember& member : members) {
    member.end_time /= static_cast<double>(calls.size());
    member.end_distance /= static_cast<double>(calls.size());
  }
  return group;
}

}  // namespace frx::derive::ranks
