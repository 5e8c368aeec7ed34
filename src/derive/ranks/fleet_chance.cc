#include "derive/ranks/fleet_chance.h"

#include <algorithm>
#include <cmath>

#include "derive/compare/two_samples.h"

namespace frx::derive::ranks {
namespace {

// Of the gaps between hits, those at multiples of the period.
constexpr double periodic_share = 0.8;
constexpr std::size_t fewest_gaps = 4;
// Where half of all values lie within this of the median, they deviate by one.
constexpr double median_distance = 0.67449;
// Beyond so many steps no memory is spent on when they were.
constexpr std::uint64_t remembered_steps = 65'536;

double log_of_choices(double n, double k) { return std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1); }

}  // namespace

double chance_of_hits(std::uint64_t hits, std::uint64_t tries, double p) {
  if (hits == 0 || p >= 1) return 1;
  const auto n = static_cast<double>(tries);
  double sum = 0;
  for (std::uint64_t i = hits; i <= tries; ++i) {
    const auto k = static_cast<double>(i);
    const double term = std::exp(log_of_choices(n, k) + k * std::log(p) + (n - k) * std::log1p(-p));
    sum += term;
    if (k > n * p && term < sum * 1e-12) break;  // what follows is smaller still
  }
  return std::min(1.0, sum);
}

Middle middle_of(std::vector<double>& values) {
  const double median = compare::upper_median(values);
  for (double& value : values) value = std::abs(value - median);
  return {median, compare::upper_median(values) / median_distance};
}

Hits::Hits(std::uint64_t steps, std::uint64_t hits, double excess, double ratio, std::span<const std::uint64_t> at)
    : steps_(steps), hits_(hits), excess_(excess), ratio_(ratio) {
  for (const std::uint64_t step : at) remember(step);
}

void Hits::remember(std::uint64_t step) {
  if (step >= remembered_steps) return;
  bits_.resize(std::max<std::size_t>(bits_.size(), step / 64 + 1));
  bits_[step / 64] |= std::uint64_t{1} << (step % 64);
}

void Hits::add(bool hit, double excess, double ratio) {
  if (hit) remember(steps_);
  ++steps_;
  if (!hit) return;
  ++hits_;
  excess_ += excess;
  ratio_ += ratio;
}

Record Hits::record() const {
  Record record;
  record.steps = steps_;
  record.hits = hits_;
  if (hits_ == 0) return record;
  record.excess_ns = excess_ / static_cast<double>(hits_);
  record.ratio = ratio_ / static_cast<double>(hits_);
  return record;
}

std::optional<std::uint64_t> Hits::period() const {
  std::vector<std::uint64_t> gaps;
  std::optional<std::uint64_t> before;
  for (std::uint64_t step = 0; step < bits_.size() * 64; ++step) {
    if (!(bits_[step / 64] >> (step % 64) & 1)) continue;
    if (before) gaps.push_back(step - *before);
    before = step;
  }
  if (gaps.size() < fewest_gaps) return std::nullopt;
  const std::uint64_t period = compare::upper_median(gaps);
  if (period < 2) return std::nullopt;
  const auto fitting = std::ranges::count_if(gaps, [&](std::uint64_t gap) { return gap % period == 0; });
  return static_cast<double>(fitting) >= periodic_share * static_cast<double>(gaps.size()) ? std::optional(period) : std::nullopt;
}

double chance_of_a_step(const std::vector<const Hits*>& all, double least) {
  std::vector<const Hits*> order = all;
  std::ranges::stable_sort(order, {}, [](const Hits* one) { return one->record().share(); });
  // A tenth may be late; of few ranks half, since one or two are a large share of them.
  order.resize(order.size() - std::max(order.size() / 10, std::min<std::size_t>(order.size() / 2, 10)));
  double steps = 0, hits = 0;
  for (const Hits* one : order) {
    steps += static_cast<double>(one->steps());
    hits += static_cast<double>(one->hits());
  }
  return steps > 0 ? std::clamp((hits + 1) / steps, least, 1.0) : 1;
}

namespace {

double by_chance(const std::vector<const Evidence*>& all, const Hits& (Evidence::*hits)() const, const knowledge::FleetRules& rules) {
  std::vector<const Hits*> list;
  for (const Evidence* one : all) list.push_back(&(one->*hits)());
  return chance_of_a_step(list, rules.step_by_chance);
}

bool is_chance(const Hits& hits, double chance_of_step, std::size_t all, const knowledge::FleetRules& rules) {
  if (hits.steps() < rules.fewest_steps || hits.hits() == 0) return true;
  // Each of them is looked at twice.
  return chance_of_hits(hits.hits(), hits.steps(), chance_of_step) * 2 * static_cast<double>(all) > rules.chance;
}

}  // namespace

Verdicts::Verdicts(const std::vector<const Evidence*>& all, const knowledge::FleetRules& rules)
    : all_(all.size()),
      rules_(rules),
      clear_by_chance_(by_chance(all, &Evidence::clear, rules)),
      leaning_by_chance_(by_chance(all, &Evidence::leaning, rules)) {}

Record Verdicts::of(const Evidence& one) const {
  Record leaning = one.leaning().record(), clear = one.clear().record();
  if (leaning.share() >= rules_.always_share && !is_chance(one.leaning(), leaning_by_chance_, all_, rules_)) {
    leaning.habit = Habit::always;
    return leaning;
  }
  if (is_chance(one.clear(), clear_by_chance_, all_, rules_)) return clear;
  clear.habit = Habit::sometimes;
  clear.period = one.clear().period();
  return clear;
}

std::uint64_t Verdicts::steps_needed() const {
  const double allowed = rules_.chance / 2 / static_cast<double>(std::max<std::size_t>(all_, 1));
  if (leaning_by_chance_ >= 1) return UINT64_MAX;
  const double needed = std::ceil(std::log(allowed) / std::log(leaning_by_chance_));
  return std::max<std::uint64_t>(rules_.fewest_steps, static_cast<std::uint64_t>(needed));
}

}  // namespace frx::derive::ranks
