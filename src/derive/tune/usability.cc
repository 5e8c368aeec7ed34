#include "derive/tune/usability.h"

#include <algorithm>
#include <map>
#include <set>

namespace frx::derive::tune {
namespace {

using OneSetting = Settings::value_type;

// The probability that a setting fails of which nothing is known.
constexpr double unknown_setting_fails = 0.08;
// One that is suspected alone fails in nearly every combination.
constexpr double most_blame = 0.97;

bool failed_otherwise(const FinishedRun& run, const SearchRules& rules) {
  return run.request.configuration && !run.counts() && !run.outcome.ran_out_of_memory &&
         !(run.outcome.peak_memory_ratio > rules.max_memory_ratio);
}

std::set<OneSetting> proven_settings(const History& history) {
  std::set<OneSetting> proven;
  for (const FinishedRun& run : history.runs) {
    if (!run.request.configuration || !run.counts()) continue;
    const Settings& settings = history.pool[*run.request.configuration].settings;
    proven.insert(settings.begin(), settings.end());
  }
  return proven;
}

bool has_all(const Settings& whole, const Settings& part) { return std::ranges::includes(whole, part); }

}  // namespace

std::vector<double> usability_of(const History& history) {
  const std::set<OneSetting> proven = proven_settings(history);
  std::map<OneSetting, double> blame;
  std::vector<const Settings*> failed_together;
  for (const FinishedRun& run : history.runs) {
    if (!failed_otherwise(run, history.rules)) continue;
    const Settings& settings = history.pool[*run.request.configuration].settings;
    std::vector<OneSetting> suspects;
    std::ranges::copy_if(settings, std::back_inserter(suspects), [&](const OneSetting& one) { return !proven.contains(one); });
    if (suspects.empty()) failed_together.push_back(&settings);
    for (const OneSetting& suspect : suspects) {
      double& one = blame[suspect];
      // Failures of two runs accuse what they have in common.
      one = 1 - (1 - one) * (1 - most_blame / static_cast<double>(suspects.size()));
    }
  }
  std::vector<double> usability(history.pool.size(), 1.0);
  for (std::size_t i = 0; i < usability.size(); ++i) {
    const Settings& settings = history.pool[i].settings;
    for (const OneSetting& one : settings) {
      if (proven.contains(one)) continue;
      const auto found = blame.find(one);
      usability[i] *= 1 - (found == blame.end() ? unknown_setting_fails : found->second);
    }
    if (std::ranges::any_of(failed_together, [&](const Settings* part) { return has_all(settings, *part); }))
      usability[i] *= 1 - most_blame;
  }
  return usability;
}

}  // namespace frx::derive::tune
