#include "report/tune/candidate.h"

#include <algorithm>
#include <array>

namespace frx::report {

std::string_view name_of(TuneRisk risk) {
  constexpr std::array<std::string_view, 3> names = {"low", "medium", "high"};
  return names[static_cast<std::size_t>(risk)];
}

Variables TuneCandidate::variables() const {
  Variables all;
  for (const TuneAction& action : actions) all.insert(all.end(), action.variables.begin(), action.variables.end());
  std::ranges::stable_sort(all, {}, &Variables::value_type::first);
  return all;
}

TuneTier TuneCandidate::tier() const {
  TuneTier highest = TuneTier::safe;
  for (const TuneAction& action : actions) highest = std::max(highest, action.tier);
  return highest;
}

TuneRisk TuneCandidate::risk() const {
  TuneRisk highest = TuneRisk::low;
  for (const TuneAction& action : actions) highest = std::max(highest, action.risk);
  return highest;
}

bool TuneCandidate::has(std::string_view type) const { return std::ranges::find(actions, type, &TuneAction::type) != actions.end(); }

}  // namespace frx::report
