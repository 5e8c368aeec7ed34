#include "report/judge/judgement.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/text.h"

namespace frx::report {
namespace {

using knowledge::JudgeCategory;
using model::Finding;

// A finding holds by its condition; a graded support says only what counters indicate.
constexpr double of_support = 0.5;
constexpr double of_consequence = 0.6;  // what another finding explains stands behind it
constexpr double of_finding = 0.3;      // a rule that fires supports its category, whatever the share of time
constexpr double least_support = 0.05;
constexpr std::size_t most_quoted = 4;

struct Candidate {
  const JudgeCategory* category = nullptr;
  const Finding* finding = nullptr;  // nullptr: by the counters alone
  double weight = 0;
  std::optional<double> support;
};

class RuleJudge {
 public:
  RuleJudge(const JudgeSubject& subject, const knowledge::Knowledge& knowledge, const knowledge::JudgeKnowledge& judge,
            const JudgeDemands& demands)
      : subject_(subject), knowledge_(knowledge), judge_(judge), demands_(demands), light_(speed_of_light(subject)) {}

  Judgement answer() {
    Judgement judgement;
    for (const JudgeCategory& category : judge_.categories()) judgement.support.emplace_back(category.id, support_of(category, subject_));
    const std::vector<Candidate> ranked = candidates();
    const std::size_t wanted = demands_.contract == JudgeContract::dual ? 2 : demands_.bottlenecks;
    for (const Candidate& candidate : ranked) {
      if (judgement.bottlenecks.size() < wanted) judgement.bottlenecks.push_back(bottleneck_of(candidate));
    }
    if (judgement.bottlenecks.size() < wanted) {
      judgement.notes.push_back(
          fmt::format("the counters of the profile support {} of {} bottlenecks; `frx profile --preset full` collects more",
                      judgement.bottlenecks.size(), wanted));
    }
    if (subject_.kernel->primary == "inconclusive" || subject_.kernel->primary == "insufficient_ncu_data") {
      judgement.notes.push_back(
          fmt::format("no rule explains the time of this kernel ({}): the order is that of its counters", subject_.kernel->primary));
    }
    return judgement;
  }

 private:
  // The category with the most support of those that are about a unit at its limit.
  const JudgeCategory* category_of(const Finding& finding) const {
    if (const JudgeCategory* const one = judge_.category_of_label(finding.id())) return one;
    if (finding.id() != "at_hardware_limit") return nullptr;
    return judge_.category(light_.memory_pct.value_or(0) >= light_.compute_pct.value_or(0) ? "memory-bound" : "compute-bound");
  }

  // What leads first, then by weight, at most one of each category.
  std::vector<Candidate> candidates() const {
    std::vector<Candidate> list;
    const std::string& primary = subject_.kernel->primary;
    for (const JudgeCategory& category : judge_.categories()) {
      Candidate one{&category, nullptr, 0, support_of(category, subject_)};
      one.weight = of_support * one.support.value_or(0);
      for (const Finding& finding : subject_.kernel->findings) {
        if (category_of(finding) != &category) continue;
        double weight = of_support + of_support * finding.score;
        if (!finding.consequence_of.empty()) weight *= of_consequence;
        if (finding.id() == primary) weight = 2;
        if (weight > one.weight) one.weight = weight, one.finding = &finding;
      }
      if (one.finding || one.support.value_or(0) > least_support) list.push_back(one);
    }
    std::ranges::stable_sort(list, std::greater(), &Candidate::weight);
    return list;
  }

  // The counters that stand behind it: those of its finding first.
  std::vector<const JudgedFact*> evidence_of(const Candidate& candidate) const {
    std::vector<const JudgedFact*> facts;
    const auto add = [&](std::string_view id) {
      const JudgedFact* const fact = subject_.fact_with_id(id);
      if (fact && fact->value && facts.size() < most_quoted && std::ranges::find(facts, fact) == facts.end()) facts.push_back(fact);
    };
    if (candidate.finding) {
      for (const model::Evidence& evidence : candidate.finding->evidence) add(evidence.value.id);
    }
    for (const model::Metric metric : candidate.category->evidence) add(knowledge_.metrics[metric].id);
    return facts;
  }

  std::string interpretation_of(const JudgedFact& fact, const Candidate& candidate) const {
    if (candidate.finding) {
      for (const model::Evidence& evidence : candidate.finding->evidence) {
        if (evidence.value.id == fact.id && !evidence.because.empty()) return std::string(evidence.because);
      }
    }
    const std::optional<model::Metric> metric = knowledge_.metrics.with_id(fact.id);
    return metric ? std::string(knowledge_.metrics[*metric].meaning) : fact.label;
  }

  static std::string quoted(const std::vector<const JudgedFact*>& facts) {
    std::vector<std::string> parts;
    for (const JudgedFact* fact : facts) parts.push_back(fmt::format("{} is {}", fact->label, fact_words(*fact)));
    return join_with_and(parts);
  }

  // Of the card that answers the finding, else of the category.
  JudgedFix fix_of(const Candidate& candidate) const {
    if (candidate.finding) {
      for (const advise::Recommendation& card : subject_.report->advice.recommendations) {
        if (card.label != candidate.finding->id() || card.actions.empty()) continue;
        return {fmt::format("{}: {}.", card.title, card.actions.front()), std::string(card.why)};
      }
      if (!candidate.finding->type->suggestion.empty())
        return {std::string(candidate.finding->type->suggestion), std::string(candidate.finding->type->why)};
    }
    return {std::string(candidate.category->suggestion), candidate.finding ? std::string(candidate.finding->type->why) : std::string()};
  }

  // What is left to gain is bounded by the time at stake, else by the distance of the busiest unit from its limit.
  std::string improvement_of(const Candidate& candidate) const {
    const Kernel& kernel = *subject_.kernel;
    if (candidate.finding && candidate.finding->time_at_stake && kernel.duration_us && *kernel.duration_us > 0) {
      const double share = std::clamp(*candidate.finding->time_at_stake / (1000 * *kernel.duration_us), 0.0, 1.0);
      return fmt::format("At most {:.0f} % of the time of this kernel is at stake.", 100 * share);
    }
    if (const std::optional<double> headroom = light_.headroom_pct())
      return fmt::format("At most {:.0f} % less time: the busiest unit is at {:.1f} % of its peak.", *headroom, *light_.efficiency_pct);
    return "Not bounded: the profile has neither a duration nor both speeds of light.";
  }

  std::string summary_of(const Candidate& candidate) const {
    if (candidate.finding) return fmt::format("{}: {}", candidate.finding->display(), candidate.finding->type->why);
    return fmt::format("{}: its counters indicate it, and no rule fires for it.", candidate.category->title);
  }

  JudgedBottleneck bottleneck_of(const Candidate& candidate) const {
    JudgedBottleneck one;
    const std::vector<const JudgedFact*> facts = evidence_of(candidate);
    one.category = demands_.contract == JudgeContract::dual ? candidate.category->id : std::string(coarse_of(candidate));
    one.summary = summary_of(candidate);
    const std::string cause = candidate.finding ? std::string(candidate.finding->display()) : std::string(candidate.category->title);
    one.root_cause = facts.empty() ? cause + "." : fmt::format("{}: {}.", cause, quoted(facts));
    const JudgedFix fix = fix_of(candidate);
    one.suggestion = fix.fix;
    one.expected_improvement = improvement_of(candidate);
    one.confidence = confidence_of(candidate);
    one.origin = "rules";
    for (const JudgedFact* fact : facts) one.priority_metrics.push_back(fact->key);
    one.causes = causes_of(candidate, facts, fix);
    return one;
  }

  // Of the three coarse categories: the speed of light decides between a unit that is busy and none that is.
  std::string_view coarse_of(const Candidate& candidate) const {
    if (light_.bound == "underutilized") return "underutilized";
    if (candidate.category->coarse != "underutilized") return candidate.category->coarse;
    const std::string_view coarse = coarse_category(light_);
    return coarse.empty() ? "underutilized" : coarse;
  }

  double confidence_of(const Candidate& candidate) const {
    if (!candidate.finding) return 0.3;
    const bool leads = candidate.finding->id() == subject_.kernel->primary;
    return std::clamp((leads ? 0.6 : 0.4) + 0.3 * candidate.finding->score, 0.0, 0.9);
  }

  // One cause by the counters of the finding, one by what the category has besides.
  std::vector<JudgedCause> causes_of(const Candidate& candidate, const std::vector<const JudgedFact*>& facts, const JudgedFix& fix) const {
    std::vector<JudgedCause> causes;
    const std::size_t wanted = demands_.contract == JudgeContract::dual ? 1 : demands_.causes;
    const std::size_t each = std::max<std::size_t>(1, (facts.size() + wanted - 1) / std::max<std::size_t>(1, wanted));
    for (std::size_t i = 0; i < wanted && i * each < facts.size(); ++i) {
      JudgedCause cause;
      const auto last = std::min(facts.size(), (i + 1) * each);
      const std::vector<const JudgedFact*> part(facts.begin() + static_cast<std::ptrdiff_t>(i * each),
                                                facts.begin() + static_cast<std::ptrdiff_t>(last));
      cause.cause = i == 0 && candidate.finding ? fmt::format("{}: {}", candidate.finding->display(), quoted(part)) : quoted(part);
      for (const JudgedFact* fact : part) {
        cause.evidence.push_back({fact->key, fact->value, std::string(trim(fact->unit)), interpretation_of(*fact, candidate)});
      }
      for (std::size_t k = 0; k < std::min<std::size_t>(1, demands_.fixes); ++k) cause.fixes.push_back(fix);
      causes.push_back(std::move(cause));
    }
    return causes;
  }

  const JudgeSubject& subject_;
  const knowledge::Knowledge& knowledge_;
  const knowledge::JudgeKnowledge& judge_;
  const JudgeDemands& demands_;
  SpeedOfLight light_;
};

}  // namespace

std::string_view coarse_category(const SpeedOfLight& light) {
  if (light.bound == "unknown" || light.bound == "insufficient_metrics") return {};
  if (light.bound == "underutilized") return "underutilized";
  return *light.memory_pct >= *light.compute_pct ? "memory" : "compute";
}

std::optional<double> support_of(const JudgeCategory& category, const JudgeSubject& subject) {
  const auto lookup = [&](std::uint32_t slot) { return subject.readings.value(model::Metric{static_cast<std::uint16_t>(slot)}); };
  std::optional<double> support = category.support.number(lookup);
  if (support) support = std::clamp(*support, 0.0, 1.0);
  for (const Finding& finding : subject.kernel->findings) {
    const bool is_of_it = std::ranges::find(category.labels, finding.id()) != category.labels.end();
    if (is_of_it) support = std::max(support.value_or(0), of_finding + (1 - of_finding) * finding.score);
  }
  return support;
}

Judgement judge_by_rules(const JudgeSubject& subject, const knowledge::Knowledge& knowledge, const knowledge::JudgeKnowledge& judge,
                         const JudgeDemands& demands) {
  return RuleJudge(subject, knowledge, judge, demands).answer();
}

}  // namespace frx::report
