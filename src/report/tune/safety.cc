#include <algorithm>

#include "report/tune/candidates.h"
#include "report/tune/tune_needs.h"

namespace frx::report {

std::vector<std::string> rejected_by_safety(const TuneCandidate& candidate, const TuneQuestion& question, const knowledge::Tuning& tuning) {
  std::vector<std::string> reasons;
  const bool allows_risk = question.settings.allow_risky_actions;
  if (!allows_risk && (candidate.tier() == TuneTier::risky || candidate.risk() == TuneRisk::high))
    reasons.emplace_back("Risk policy: candidate is high risk and --allow-risky-actions is not set");
  for (const TuneAction& action : candidate.actions) {
    if (action.requires_approval && !allows_risk)
      reasons.push_back(fmt::format("Approval: {} has to be approved, and --allow-risky-actions is not set", action.id));
    for (const knowledge::TuningNeed need : action.needs) {
      const std::string reason = reason_against(need, question, tuning);
      if (!reason.empty()) reasons.push_back(fmt::format("{}: {}", action.title, reason));
    }
  }
  // Two actions of a combination may lack the same.
  std::vector<std::string> distinct;
  for (std::string& reason : reasons) {
    if (std::ranges::find(distinct, reason) == distinct.end()) distinct.push_back(std::move(reason));
  }
  return distinct;
}

}  // namespace frx::report
