#include "derive/ranks/lateness.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace frx::derive::ranks {
namespace {

using model::RunFact;

double log_choose(double n, double k) { return std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1); }

// The probability of `hits` or more of `tries`, each hit having the probability `p`.
double tail(std::uint64_t hits, std::uint64_t tries, double p) {
  if (p >= 1 || hits == 0) return 1;
  double sum = 0;
  const auto n = static_cast<double>(tries);
  for (std::uint64_t i = hits; i <= tries; ++i) {
    const auto k = static_cast<double>(i);
    sum += std::exp(log_choose(n, k) + k * std::log(p) + (n - k) * std::log1p(-p));
  }
  return sum;
}

// A collective with waiting.
struct Waiting {
  std::uint32_t members = 0;
  std::uint32_t last = 0;                                    // participant
  double total = 0;                                          // ns attributed to all
  std::vector<std::pair<std::uint32_t, double>> attributed;  // by participant, where any
};

// That a sum of independent parts, each between 0 and its weight, exceeds its mean by `excess` or more, at most (Hoeffding 1963).
double tail_of_sum(double excess, double squared_weights) {
  if (excess <= 0 || squared_weights <= 0) return 1;
  return std::exp(-2 * excess * excess / squared_weights);
}

class Judge {
 public:
  Judge(const Matching& matching, const std::vector<RankTimes>& times) : matching_(matching), times_(times) {
    result_.ranks.resize(times.size());
  }

  Lateness run() {
    for (const Matched& one : matching_.collectives) add(one);
    double all = 0, lost = 0;
    for (const RankLateness& rank : result_.ranks) all += rank.blamed_ns;
    for (std::size_t i = 0; i < times_.size(); ++i) {
      RankLateness& rank = result_.ranks[i];
      rank.steps_ns = times_[i].steps_ns;
      rank.blamed_share = all > 0 ? rank.blamed_ns / all : 0;
      rank.waited_share = times_[i].steps_ns > 0 ? rank.waited_ns / times_[i].steps_ns : 0;
      rank.held_up_share = times_[i].steps_ns > 0 ? rank.blamed_ns / times_[i].steps_ns : 0;
      rank.lost_share = std::min(rank.waited_share, times_[i].exposed_communication);
      lost += rank.lost_share;
    }
    result_.lost_share = times_.empty() ? 0 : lost / static_cast<double>(times_.size());
    result_.verdict = verdict();
    return std::move(result_);
  }

 private:
  void add(const Matched& one) {
    if (!one.together) return;
    ++result_.counted;
    const std::span<const std::int64_t> durations = matching_.durations_of(one);
    if (!shows_waiting(durations)) return;
    const std::vector<std::uint32_t>& members = matching_.members[one.members];
    const WaitingShares shares = share_waiting(durations);
    Waiting wait{one.members, 0, 0, {}};
    for (std::size_t i = 0; i < members.size(); ++i) {
      result_.ranks[members[i]].waited_ns += shares.waited[i];
      result_.ranks[members[i]].blamed_ns += shares.attributed[i];
      wait.total += shares.attributed[i];
      if (shares.attributed[i] > 0) wait.attributed.emplace_back(members[i], shares.attributed[i]);
    }
    const std::uint32_t last = members[static_cast<std::size_t>(std::ranges::min_element(durations) - durations.begin())];
    ++result_.ranks[last].last;
    ++result_.with_waiting;
    wait.last = last;
    waits_.push_back(std::move(wait));
  }

  LateVerdict verdict() {
    if (matching_.collectives.empty()) return LateVerdict::no_collectives;
    const auto matched = static_cast<double>(matching_.collectives.size());
    if (static_cast<double>(result_.counted) < LatenessRule::together_share * matched) return LateVerdict::not_together;
    if (result_.lost_share < LatenessRule::lost_share) return LateVerdict::little_waiting;
    const std::vector<std::size_t> suspects = suspected();
    if (suspects.size() * 2 > times_.size()) return LateVerdict::no_single_rank;
    std::vector<bool> suspected(times_.size());
    for (const std::size_t one : suspects) suspected[one] = true;
    std::vector<double> shares;  // by Matching::members: how likely one of them is a suspect
    for (const auto& members : matching_.members) {
      const auto inside = std::ranges::count_if(members, [&](std::uint32_t member) { return suspected[member]; });
      shares.push_back(static_cast<double>(inside) / static_cast<double>(members.size()));
    }
    const Blame blame = blame_of(suspected, shares);
    // As many other sets of this size could have been suspected.
    const auto ranks = static_cast<double>(times_.size()), size = static_cast<double>(suspects.size());
    const double sets = std::exp(log_choose(ranks, size));
    const double by_number = sets * tail(blame.last, waits_.size(), blame.last_by_chance / static_cast<double>(waits_.size()));
    const double by_size = sets * tail_of_sum(blame.ns - blame.ns_by_chance, blame.squared_ns);
    if (!(std::min(by_number, by_size) <= LatenessRule::chance)) {
      const bool often = static_cast<double>(blame.last) >= LatenessRule::late_share * static_cast<double>(waits_.size());
      return often ? LateVerdict::chance : LateVerdict::no_single_rank;
    }
    result_.last = blame.last;
    result_.late = suspects;
    for (const std::size_t one : suspects) result_.blamed_share += result_.ranks[one].blamed_share;
    add_interval(suspected);
    return LateVerdict::late;
  }

  // What is attributed to the suspects, and what it would be if all members of each group were alike.
  struct Blame {
    std::uint64_t last = 0;
    double last_by_chance = 0;
    double ns = 0, ns_by_chance = 0, squared_ns = 0;
  };
  Blame blame_of(const std::vector<bool>& suspected, const std::vector<double>& shares) const {
    Blame blame;
    for (const Waiting& wait : waits_) {
      blame.last += suspected[wait.last];
      blame.last_by_chance += shares[wait.members];
      blame.ns += ns_of(wait, suspected);
      blame.ns_by_chance += wait.total * shares[wait.members];
      blame.squared_ns += wait.total * wait.total;
    }
    return blame;
  }

  static double ns_of(const Waiting& wait, const std::vector<bool>& suspected) {
    double ns = 0;
    for (const auto& [member, attributed] : wait.attributed) ns += suspected[member] ? attributed : 0;
    return ns;
  }

  // Of the share, a ratio of sums over collectives.
  void add_interval(const std::vector<bool>& suspected) {
    constexpr double quantile = 1.96;
    double squares = 0, total = 0;
    for (const Waiting& wait : waits_) {
      const double residual = ns_of(wait, suspected) - result_.blamed_share * wait.total;
      squares += residual * residual;
      total += wait.total;
    }
    const double half = total > 0 ? quantile * std::sqrt(squares) / total : 0;
    result_.blamed_share_low = std::max(0.0, result_.blamed_share - half);
    result_.blamed_share_high = std::min(1.0, result_.blamed_share + half);
  }

  // The fewest ranks that explain enough of the waiting.
  std::vector<std::size_t> suspected() const {
    std::vector<std::size_t> order(times_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::ranges::greater{}, [&](std::size_t i) { return result_.ranks[i].blamed_share; });
    double sum = 0;
    std::size_t count = 0;
    while (count < order.size() && sum < LatenessRule::late_share) sum += result_.ranks[order[count++]].blamed_share;
    order.resize(count);
    return order;
  }

  const Matching& matching_;
  const std::vector<RankTimes>& times_;
  std::vector<Waiting> waits_;
  Lateness result_;
};

}  // namespace

Lateness lateness_of(const Matching& matching, const std::vector<RankTimes>& times) { return Judge(matching, times).run(); }

bool shows_waiting(std::span<const std::int64_t> durations) {
  const auto [shortest, longest] = std::ranges::minmax(durations);
  const double least = std::max(static_cast<double>(LatenessRule::wait_ns), LatenessRule::wait_share * static_cast<double>(shortest));
  return static_cast<double>(longest - shortest) > least;
}

WaitingShares share_waiting(std::span<const std::int64_t> durations) {
  std::vector<std::size_t> order(durations.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return durations[i]; });
  WaitingShares shares{std::vector<double>(order.size()), std::vector<double>(order.size())};
  if (order.size() < 2) return shares;
  // From the last arrival backwards, adding up each rank's share: while `i` ranks are missing, they share the waiting equally.
  double shared = 0;
  const auto others = static_cast<double>(order.size() - 1);
  for (std::size_t i = order.size() - 1; i > 0; --i) {
    const double moment = static_cast<double>(durations[order[i]] - durations[order[i - 1]]);
    shared += moment * static_cast<double>(order.size() - i) / static_cast<double>(i) / others;
    shares.attributed[order[i - 1]] = shared;
  }
  for (const std::size_t i : order) shares.waited[i] = static_cast<double>(durations[i] - durations[order[0]]);
  return shares;
}

WaitingMatrix waiting_matrix(const Matching& matching, const Lateness& lateness, std::size_t most) {
  const std::size_t all = lateness.ranks.size();
  WaitingMatrix matrix;
  matrix.chosen.resize(all);
  std::iota(matrix.chosen.begin(), matrix.chosen.end(), std::size_t{0});
  const auto involved = [&](std::size_t i) { return std::max(lateness.ranks[i].waited_ns, lateness.ranks[i].blamed_ns); };
  std::ranges::stable_sort(matrix.chosen, std::ranges::greater{}, involved);
  matrix.chosen.resize(std::min(most, all));
  std::ranges::sort(matrix.chosen);
  constexpr std::size_t not_chosen = static_cast<std::size_t>(-1);
  std::vector<std::size_t> place(all, not_chosen);
  for (std::size_t i = 0; i < matrix.chosen.size(); ++i) place[matrix.chosen[i]] = i;
  matrix.ns.assign(matrix.chosen.size(), std::vector<double>(matrix.chosen.size()));
  for (const Matched& one : matching.collectives) {
    const std::span<const std::int64_t> durations = matching.durations_of(one);
    if (!one.together || !shows_waiting(durations)) continue;
    const std::vector<std::uint32_t>& members = matching.members[one.members];
    std::vector<std::size_t> order(members.size());  // by arrival
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::ranges::greater{}, [&](std::size_t i) { return durations[i]; });
    // What each of those that are missing is charged with from the first arrival to that of each member.
    std::vector<std::pair<std::size_t, double>> charged;
    double sum = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (i > 0) sum += static_cast<double>(durations[order[i - 1]] - durations[order[i]]) / static_cast<double>(order.size() - i);
      if (place[members[order[i]]] != not_chosen) charged.emplace_back(place[members[order[i]]], sum);
    }
    for (std::size_t i = 0; i < charged.size(); ++i) {
      for (std::size_t j = i + 1; j < charged.size(); ++j)
        matrix.ns[charged[i].first][charged[j].first] += charged[j].second - charged[i].second;
    }
  }
  return matrix;
}

model::RunFacts without_waiting(const model::RunFacts& facts, double lost_share) {
  model::RunFacts result = facts;
  const double lost = std::clamp(lost_share, 0.0, 0.99);
  if (lost == 0) return result;
  const auto shrink = [&](RunFact fact, double less) {
    if (facts[fact]) result.set(fact, std::clamp((*facts[fact] - less) / (1 - lost), 0.0, 1.0));
  };
  for (const RunFact fact : {RunFact::input_wait_fraction, RunFact::input_fraction, RunFact::copy_fraction, RunFact::sync_fraction,
                             RunFact::allocator_fraction, RunFact::first_use_fraction, RunFact::host_fraction, RunFact::device_fraction,
                             RunFact::unknown_fraction, RunFact::compute_fraction}) {
    shrink(fact, 0);
  }
  shrink(RunFact::communication_fraction, lost);
  shrink(RunFact::gpu_busy_fraction, lost);
  if (result[RunFact::gpu_busy_fraction]) result.set(RunFact::gpu_utilization_pct, 100 * *result[RunFact::gpu_busy_fraction]);
  return result;
}

}  // namespace frx::derive::ranks
