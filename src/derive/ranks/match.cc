#include "derive/ranks/match.h"

#include <algorithm>
#include <map>

#include "derive/compare/two_samples.h"
#include "derive/ranks/wrapping.h"

namespace frx::derive::ranks {
namespace {

// Ranks leave a collective within some ten microseconds of each other, and waiting is computed from durations: an end that is off by less
// than a tenth of the collective does not invalidate them.
constexpr std::int64_t always_together_ns = 100'000;
constexpr std::int64_t share_of_duration = 10;
// How many neighbours on each side determine the offset of two clocks. Few, because clocks drift; enough to outvote broadcasts.
constexpr std::size_t neighbours = 8;

using Calls = std::span<const Collective>;
// By group, then by step, then by participant.
using Parts = std::map<std::uint32_t, std::map<std::int64_t, std::map<std::uint32_t, Calls>>>;

std::vector<std::int64_t> common_steps(const std::vector<Participant>& participants, std::uint64_t& left_out) {
  std::map<std::int64_t, std::size_t> seen;
  for (const Participant& one : participants) {
    for (const std::int64_t step : one.steps) ++seen[step];
  }
  std::vector<std::int64_t> common;
  for (const auto& [step, count] : seen) {
    if (count == participants.size()) common.push_back(step);
  }
  left_out = seen.size() - common.size();
  return common;
}

std::vector<Collective> ordered(const Sequence& sequence, const std::vector<std::int64_t>& steps) {
  std::vector<Collective> calls;
  std::ranges::copy_if(sequence.calls, std::back_inserter(calls),
                       [&](const Collective& call) { return std::ranges::binary_search(steps, call.step); });
  std::ranges::stable_sort(calls, {}, [](const Collective& call) { return std::pair(call.group, call.step); });
  return calls;
}

void cut_up(Calls calls, std::uint32_t participant, Parts& parts) {
  for (std::size_t begin = 0, end = 0; begin < calls.size(); begin = end) {
    while (end < calls.size() && calls[end].group == calls[begin].group && calls[end].step == calls[begin].step) ++end;
    parts[calls[begin].group][calls[begin].step][participant] = calls.subspan(begin, end - begin);
  }
}

std::size_t first_difference(Calls a, Calls b) {
  const auto at = std::ranges::mismatch(a, b, {}, &Collective::what, &Collective::what);
  return static_cast<std::size_t>(at.in1 - a.begin());
}

class Matcher {
 public:
  Matcher(const std::vector<Participant>& participants, const Interner& words) : participants_(participants), words_(words) {}

  Matching run() {
    std::vector<std::vector<Collective>> calls;
    const std::vector<std::int64_t> steps = common_steps(participants_, result_.steps_left_out);
    result_.steps = steps.size();
    for (const Participant& one : participants_) calls.push_back(ordered(*one.sequence, steps));
    Parts parts;
    for (std::uint32_t i = 0; i < calls.size(); ++i) cut_up(calls[i], i, parts);
    for (const auto& [group, by_step] : parts) match_group(by_step);
    return std::move(result_);
  }

 private:
  using ByStep = std::map<std::int64_t, std::map<std::uint32_t, Calls>>;

  static std::vector<std::uint32_t> members_of(const ByStep& by_step) {
    std::map<std::uint32_t, bool> members;
    for (const auto& [step, calls] : by_step) {
      for (const auto& [participant, unused] : calls) members[participant] = true;
    }
    std::vector<std::uint32_t> list;
    for (const auto& [participant, unused] : members) list.push_back(participant);
    return list;
  }

  void match_group(const ByStep& by_step) {
    const std::vector<std::uint32_t> members = members_of(by_step);
    if (members.size() < 2) {
      for (const auto& [step, calls] : by_step) result_.alone += calls.begin()->second.size();
      return;
    }
    const auto members_id = static_cast<std::uint32_t>(result_.members.size());
    result_.members.push_back(members);
    const std::size_t first = result_.collectives.size();
    std::vector<std::int64_t> ends;  // as Matching::durations
    for (const auto& [step, calls] : by_step) {
      std::vector<Calls> sides;
      for (const std::uint32_t member : members) sides.push_back(calls.contains(member) ? calls.at(member) : Calls());
      if (agree(members, sides, by_step, step)) take(members_id, sides, step, ends);
    }
    see_who_ended_together(std::span(result_.collectives).subspan(first), ends, members.size());
  }

  bool agree(const std::vector<std::uint32_t>& members, const std::vector<Calls>& sides, const ByStep& by_step, std::int64_t step) {
    for (std::size_t i = 1; i < sides.size(); ++i) {
      const std::size_t at = first_difference(sides[0], sides[i]);
      if (at == sides[0].size() && at == sides[i].size()) continue;
      const auto what = [&](Calls side) { return at < side.size() ? std::string(words_[side[at].what]) : std::string(); };
      const std::uint32_t group = by_step.at(step).begin()->second.front().group;
      result_.mismatches.push_back({group, step, participants_[members[0]].rank, participants_[members[i]].rank, sides[0].size(),
                                    sides[i].size(), at + 1, what(sides[0]), what(sides[i])});
      return false;
    }
    return true;
  }

  void take(std::uint32_t members, const std::vector<Calls>& sides, std::int64_t step, std::vector<std::int64_t>& ends) {
    for (std::size_t i = 0; i < sides[0].size(); ++i) {
      result_.collectives.push_back(
          {sides[0][i].what, sides[0][i].group, step, static_cast<std::uint32_t>(i + 1), members, result_.durations.size(), 0, false});
      for (const Calls& side : sides) {
        result_.durations.push_back(side[i].duration);
        ends.push_back(side[i].end);
      }
    }
  }

  // `ends`: of all members of one collective, then of the next.
  void see_who_ended_together(std::span<Matched> collectives, const std::vector<std::int64_t>& ends, std::size_t members) {
    std::vector<std::int64_t> nearby;
    const auto distance = [&](std::size_t i, std::size_t member) { return minus(ends[i * members + member], ends[i * members]); };
    for (std::size_t i = 0; i < collectives.size(); ++i) {
      const std::size_t begin = i < neighbours ? 0 : i - neighbours, end = std::min(collectives.size(), i + neighbours + 1);
      for (std::size_t member = 1; member < members; ++member) {
        nearby.clear();
        for (std::size_t k = begin; k < end; ++k) nearby.push_back(distance(k, member));
        const std::int64_t usual = compare::upper_median(nearby);
        collectives[i].apart = std::max(collectives[i].apart, magnitude(minus(distance(i, member), usual)));
      }
      const std::int64_t longest = std::ranges::max(result_.durations_of(collectives[i]));
      collectives[i].together = collectives[i].apart <= std::max(always_together_ns, longest / share_of_duration);
      result_.together += collectives[i].together;
    }
  }

  const std::vector<Participant>& participants_;
  const Interner& words_;
  Matching result_;
};

}  // namespace

Matching match(const std::vector<Participant>& participants, const Interner& words) { return Matcher(participants, words).run(); }

}  // namespace frx::derive::ranks
