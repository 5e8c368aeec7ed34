#include "derive/ranks/fleet.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/parallel.h"
#include "derive/compare/two_samples.h"
#include "derive/ranks/clock_line.h"
#include "derive/ranks/fleet_conclusion.h"
#include "derive/ranks/fleet_step.h"

namespace frx::derive::ranks {
namespace {

using knowledge::FleetRules;
using knowledge::FleetThreshold;

double least_of(const FleetThreshold& threshold, double whole) { return std::max(threshold.least_ns, threshold.least_share * whole); }

// Steps that more than half of the ranks have.
std::vector<std::int64_t> steps_of_most(const std::vector<FleetRank>& ranks, std::uint64_t& left_out) {
  std::map<std::int64_t, std::size_t> seen;
  for (const FleetRank& rank : ranks) {
    for (const std::int64_t step : rank.steps) ++seen[step];
  }
  std::vector<std::int64_t> steps;
  for (const auto& [step, count] : seen) {
    if (2 * count > ranks.size()) steps.push_back(step);
  }
  left_out = seen.size() - steps.size();
  return steps;
}

// In its first step a rank has not worked since a collective, so what is its own work is not known.
enum class Presence : std::uint8_t { none, known, in_part };

bool has_known_work(const StepMember& member) {
  return std::ranges::all_of(member.calls, [](const StepCall& call) { return call.own_work.has_value(); });
}

struct RankSums {
  RankClock clock;
  ClockLine line;
};

class Reduction {
 public:
  Reduction(const std::vector<FleetRank>& ranks, FleetCalls& calls, const Interner& words, const FleetRules& rules)
      : ranks_(ranks), source_(calls), words_(words), rules_(rules), sums_(ranks.size()), calls_(ranks.size()) {
    evidence_.ranks.resize(ranks.size());
  }

  Result<Fleet> run() {
    const std::vector<std::int64_t> steps = steps_of_most(ranks_, fleet_.steps_left_out);
    fleet_.steps = steps.size();
    for (const std::int64_t step : steps) TRY(reduce(step));
    conclude(evidence_, ranks_, rules_, fleet_);
    fleet_.noise_ns = compare::upper_median(noise_);
    conclude_clocks();
    return std::move(fleet_);
  }

 private:
  Result<> read(std::int64_t step) {
    std::vector<std::optional<Error>> errors(ranks_.size());
    for_each_in_parallel(ranks_.size(), [&](std::size_t i) {
      calls_[i].clear();
      if (!std::ranges::binary_search(ranks_[i].steps, step)) return;
      std::vector<FleetCall> found;
      if (const Result<> done = source_.read(i, step, found); !done) {
        errors[i] = done.error();
      } else {
        calls_[i] = sums_[i].clock.take(found);
      }
    });
    for (const std::optional<Error>& error : errors) {
      if (error) return Failure{*error};
    }
    return {};
  }

  // By group, within a group by rank.
  std::vector<StepMember> members() const {
    std::vector<StepMember> all;
    for (std::uint32_t rank = 0; rank < calls_.size(); ++rank) {
      const std::vector<StepCall>& calls = calls_[rank];
      for (std::size_t begin = 0, end = 0; begin < calls.size(); begin = end) {
        while (end < calls.size() && calls[end].group == calls[begin].group) ++end;
        all.push_back({calls[begin].group, rank, std::span(calls).subspan(begin, end - begin)});
      }
    }
    std::ranges::stable_sort(all, {}, &StepMember::group);
    return all;
  }

  struct Meeting {
    GroupEvidence* evidence = nullptr;
    std::vector<EndTrack>* tracks = nullptr;  // by member
    std::span<StepMember> members;
    StepGroup found;
  };

  // Groups of which all ranks are here, as far as any step has shown them.
  std::vector<Meeting> meetings(std::vector<StepMember>& all) {
    std::vector<Meeting> list;
    for (std::size_t begin = 0, end = 0; begin < all.size(); begin = end) {
      while (end < all.size() && all[end].group == all[begin].group) ++end;
      const std::span<StepMember> some = std::span(all).subspan(begin, end - begin);
      GroupEvidence& group = evidence_.groups[some[0].group];
      std::vector<EndTrack>& tracks = tracks_[some[0].group];
      if (some.size() > group.ranks.size()) {
        group.ranks.clear();
        for (const StepMember& member : some) group.ranks.push_back(member.rank);
        tracks.assign(some.size(), {});
      }
      const bool same = std::ranges::equal(some, group.ranks, {}, &StepMember::rank);
      if (some.size() > 1 && same) list.push_back({&group, &tracks, some, {}});
    }
    return list;
  }

  Result<> reduce(std::int64_t step) {
    TRY(read(step));
    std::vector<StepMember> all = members();
    std::vector<Meeting> met = meetings(all);
    for_each_in_parallel(met.size(),
                         [&](std::size_t i) { met[i].found = compare_members(met[i].members, *met[i].tracks, ranks_, words_, rules_); });
    std::vector<double> late(ranks_.size()), waited(ranks_.size());
    std::vector<Presence> present(ranks_.size(), Presence::none);
    for (const Meeting& one : met) add(one, late, waited, present);
    see_late(late, waited, present);
    see_slow(met);
    return {};
  }

  void add(const Meeting& one, std::vector<double>& late, std::vector<double>& waited, std::vector<Presence>& present) {
    if (!one.found.mismatch.empty()) {
      ++fleet_.mismatches;
      if (fleet_.first_mismatch.empty()) fleet_.first_mismatch = one.found.mismatch;
      return;
    }
    fleet_.collectives += one.found.collectives;
    fleet_.together += one.found.together;
    one.evidence->collectives += one.found.collectives;
    for (const StepMember& member : one.members) {
      // The same delay is seen in each group that waits for the rank.
      late[member.rank] = std::max(late[member.rank], member.late_ns);
      waited[member.rank] += member.waited_ns;
      if (one.found.together > 0 && present[member.rank] == Presence::none) present[member.rank] = Presence::known;
      if (!has_known_work(member)) present[member.rank] = Presence::in_part;
      sums_[member.rank].line.add(member.group, one.members.size(), member.end_time, member.end_distance);
    }
  }

  void see_late(const std::vector<double>& late, const std::vector<double>& waited, const std::vector<Presence>& present) {
    std::vector<double> values;
    for (std::size_t i = 0; i < late.size(); ++i) {
      if (present[i] == Presence::known) values.push_back(late[i]);
    }
    const Middle middle = middle_of(values);
    noise_.push_back(middle.deviation);
    for (std::size_t i = 0; i < late.size(); ++i) {
      if (present[i] != Presence::known) continue;
      RankEvidence& rank = evidence_.ranks[i];
      rank.late.add(late[i], middle.median, rules_.late.noise_times * middle.deviation, least_of(rules_.late, ranks_[i].step_ns));
      rank.waited_ns += waited[i];
    }
  }

  void see_slow(std::vector<Meeting>& met) {
    std::map<std::uint64_t, std::vector<Meeting*>> alike;
    for (Meeting& one : met) {
      // What did not end together in one group would be missing in its sum.
      if (one.found.together > 0 && one.found.together == one.found.collectives) alike[one.found.signature].push_back(&one);
    }
    for (const auto& [signature, groups] : alike) {
      std::vector<double> times;
      for (const Meeting* one : groups) times.push_back(one->found.transfer_ns);
      const Middle middle = middle_of(times);
      for (const Meeting* one : groups) {
        one->evidence->transfer_ns += one->found.transfer_ns;
        ++one->evidence->steps;
        if (groups.size() < rules_.fewest_peers) continue;
        const double excess = one->found.transfer_ns - middle.median;
        one->evidence->slow.add(excess, 0, rules_.slow_link.noise_times * middle.deviation, least_of(rules_.slow_link, middle.median),
                                middle.median > 0 ? one->found.transfer_ns / middle.median : 0);
      }
    }
  }

  void conclude_clocks() {
    bool with_time_of_day = true;
    double offset = 0;
    for (std::size_t i = 0; i < sums_.size(); ++i) {
      if (!sums_[i].line.known()) continue;
      with_time_of_day = with_time_of_day && ranks_[i].base_time_ns != 0;
      offset = std::max(offset, std::abs(sums_[i].line.middle_ns()));
      fleet_.clocks.drift_ppm = std::max(fleet_.clocks.drift_ppm, std::abs(sums_[i].line.drift_ppm()));
    }
    if (with_time_of_day && fleet_.collectives > 0) fleet_.clocks.offset_ns = offset;
  }

  const std::vector<FleetRank>& ranks_;
  FleetCalls& source_;
  const Interner& words_;
  const FleetRules& rules_;
  std::vector<RankSums> sums_;
  FleetEvidence evidence_;
  std::map<std::uint32_t, std::vector<EndTrack>> tracks_;  // of a group, by member
  std::vector<std::vector<StepCall>> calls_;               // of the step, by rank
  std::vector<double> noise_;                              // by step
  Fleet fleet_;
};

}  // namespace

Result<Fleet> fleet_of(const std::vector<FleetRank>& ranks, FleetCalls& calls, const Interner& words, const FleetRules& rules) {
  return Reduction(ranks, calls, words, rules).run();
}

}  // namespace frx::derive::ranks
