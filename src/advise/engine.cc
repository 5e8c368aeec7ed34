#include "advise/engine.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace frx::advise {
namespace {

constexpr std::string_view low_confidence_demoted = "low_confidence_demoted";
constexpr std::string_view risk_demoted = "risk_demoted";
constexpr std::string_view unverified_demoted = "unverified_demoted";
constexpr std::string_view dependency_ordered = "dependency_ordered";

double clamp01(double value) { return std::clamp(value, 0.0, 1.0); }

// Halves are rounded up. The offset is for sums like 0.53925, which binary arithmetic leaves just below.
double rounded(double value, int digits) {
  const double scale = std::pow(10.0, digits);
  return std::floor(value * scale + 0.5 + 1e-7) / scale;
}

// The first row whose limit `value` reaches.
template <typename T>
const T* at_least(const std::vector<Row<T>>& rows, double value) {
  for (const Row<T>& row : rows) {
    if (value >= row.limit) return &row.value;
  }
  return nullptr;
}

double lookup(const Weights& weights, std::string_view word, double otherwise) {
  const auto at = weights.find(word);
  return at == weights.end() ? otherwise : at->second;
}

double speedup_component(const Constants& constants, const Card& card) {
  const auto [low, high] = card.speedup_pct ? *card.speedup_pct : constants.default_speedup_pct.at(card.impact);
  const double middle = (low + high) / 2;
  for (const Row<double>& row : constants.speedup_steps) {
    if (middle < row.limit) return row.value;
  }
  return constants.speedup_above;
}

class Engine {
 public:
  Engine(const Catalogue& catalogue, std::span<const Diagnosed> diagnosed)
      : catalogue_(catalogue), constants_(catalogue.constants()), diagnosed_(diagnosed) {}

  Proposals run() {
    for (const Rule* const rule : catalogue_.rules_about(is_diagnosed_)) apply(*rule);
    for (Proposal& proposal : result_.proposals) rate(proposal);
    drop_equivalents();
    order_dependents();
    std::stable_sort(result_.proposals.begin(), result_.proposals.end(),
                     [](const Proposal& a, const Proposal& b) { return a.score > b.score; });
    bundle();
    withhold();
    return std::move(result_);
  }

 private:
  std::optional<std::size_t> with_label(std::string_view id) const {
    for (std::size_t i = 0; i < diagnosed_.size(); ++i) {
      if (diagnosed_[i].label == id) return i;
    }
    return std::nullopt;
  }

  Proposal* proposed(std::string_view id) {
    for (Proposal& proposal : result_.proposals) {
      if (proposal.card->id == id) return &proposal;
    }
    return nullptr;
  }

  // A condition of a rule or card, in the domain of the diagnosis.
  bool meets(const Circumstances& circumstances, const Value& condition) const {
    return circumstances.meet(catalogue_.condition(circumstances.domain(), condition));
  }

  void apply(const Rule& rule) {
    const std::optional<std::size_t> at = with_label(rule.bottleneck);
    if (std::max(diagnosed_[*at].score, diagnosed_[*at].local_score) < rule.min_score) return;
    const Circumstances& circumstances = *diagnosed_[*at].circumstances;
    if ((rule.when && !meets(circumstances, rule.when)) || meets(circumstances, rule.suppressed_if)) return;
    for (const Card* card : rule.cards) {
      if (meets(circumstances, card->never_when)) continue;
      Proposal* known = proposed(card->id);
      if (!known) {
        result_.proposals.push_back({card, &rule, nullptr, *at, {}, 0, {}, {}, {}, {}, {}});
      } else if (rule.boost > known->rule->boost) {
        known->rule = &rule;
        known->diagnosed = *at;
      }
    }
  }

  void rate(Proposal& proposal) const {
    const Card& card = *proposal.card;
    const Diagnosed& cause = diagnosed_[proposal.diagnosed];
    Components& parts = proposal.components;
    parts.speedup = speedup_component(constants_, card);
    parts.confidence = clamp01(cause.score);
    const double* exposure = at_least(constants_.exposure_by_gpus, gpus(*cause.circumstances));
    parts.cost_savings = rounded(clamp01(constants_.cost_speedup * parts.speedup + constants_.cost_exposure * (exposure ? *exposure : 0)),
                                 constants_.score_digits);
    parts.ease = lookup(constants_.ease, card.effort, constants_.ease_unknown);
    parts.safety = card.risk.empty() ? lookup(constants_.safety, card.safety, 0) : lookup(constants_.safety_by_risk, card.risk, 0);
    parts.priority_boost = std::min(proposal.rule->boost, constants_.boost_cap);
    proposal.score = score_of(constants_, parts, proposal.guardrails);
    if (meets(*cause.circumstances, card.unverified_when)) {
      proposal.score = rounded(proposal.score * constants_.unverified_factor, constants_.score_digits);
      proposal.guardrails.push_back(unverified_demoted);
    }
    const auto fits = [&](const Wording& wording) { return meets(*cause.circumstances, wording.when); };
    const auto wording = std::ranges::find_if(card.wordings, fits);
    if (wording != card.wordings.end()) proposal.wording = &*wording;
    proposal.risk = card.risk.empty() ? constants_.risk_by_safety.at(card.safety) : card.risk;
    if (const std::string_view* word = at_least(constants_.priority, proposal.score)) proposal.priority = *word;
    proposal.tier = tier_of(proposal);
    explain(proposal);
  }

  double gpus(const Circumstances& circumstances) const {
    return circumstances.number(catalogue_.gpus(circumstances.domain())).value_or(1);
  }

  std::string_view tier_of(const Proposal& proposal) const {
    const auto& guardrails = proposal.guardrails;
    if (std::find(guardrails.begin(), guardrails.end(), low_confidence_demoted) != guardrails.end()) {
      return constants_.last_tier;
    }
    for (const Tier& tier : constants_.tiers) {
      if (proposal.score >= tier.score && proposal.components.ease >= tier.ease && proposal.components.safety >= tier.safety) {
        return tier.name;
      }
    }
    return constants_.last_tier;
  }

  void explain(Proposal& proposal) const {
    const Components& parts = proposal.components;
    const std::pair<std::string_view, double> values[] = {{"speedup", parts.speedup},
                                                          {"confidence", parts.confidence},
                                                          {"ease", parts.ease},
                                                          {"safety", parts.safety},
                                                          {"cost_savings", parts.cost_savings}};
    for (const auto& [name, value] : values) {
      const std::string_view* words = at_least(constants_.why_ranked.at(name), value);
      if (words) proposal.why_ranked.push_back(*words);
    }
    if (proposal.why_ranked.empty()) proposal.why_ranked.push_back(constants_.why_generic);
    for (const std::string_view guardrail : proposal.guardrails) add_guardrail_words(proposal, guardrail);
  }

  void add_guardrail_words(Proposal& proposal, std::string_view guardrail) const {
    const auto words = constants_.why_guardrail.find(guardrail);
    if (words != constants_.why_guardrail.end()) proposal.why_ranked.push_back(words->second);
  }

  void drop_equivalents() {
    for (const Equivalent& pair : constants_.equivalents) {
      if (!proposed(pair.keep)) continue;
      std::erase_if(result_.proposals, [&](const Proposal& p) { return p.card->id == pair.drop; });
    }
  }

  void order_dependents() {
    for (const Dependency& pair : constants_.dependencies) {
      Proposal* dependent = proposed(pair.dependent);
      const Proposal* first = proposed(pair.after);
      if (!dependent || !first || dependent->score < first->score) continue;
      dependent->score = rounded(clamp01(first->score - constants_.dependency_gap), constants_.score_digits);
      dependent->guardrails.push_back(dependency_ordered);
      add_guardrail_words(*dependent, dependency_ordered);
    }
  }

  void bundle() {
    std::vector<Bundle> all;
    for (const Proposal& proposal : result_.proposals) {
      const std::string_view category = proposal.card->category;
      auto at = std::find_if(all.begin(), all.end(), [&](const Bundle& b) { return b.category == category; });
      if (at == all.end()) at = all.insert(all.end(), {constants_.bundle_labels.at(category), category, {}});
      at->ids.push_back(proposal.card->id);
    }
    std::erase_if(all, [&](const Bundle& b) { return b.ids.size() < constants_.bundle_min; });
    result_.bundles = std::move(all);
  }

  void withhold() {
    for (const WithheldRule* const rule : catalogue_.withheld_about(is_diagnosed_)) {
      const std::optional<std::size_t> at = with_label(rule->bottleneck);
      if (!diagnosed_[*at].circumstances->meet(rule->when)) continue;
      const bool active = std::ranges::any_of(rule->unless_active, [&](std::string_view id) { return proposed(id) != nullptr; });
      if (active) continue;
      Withheld entry{catalogue_.card(rule->id), rule->reason, rule->blocked_by, {}};
      for (const auto& [name, number] : rule->evidence) {
        std::optional<double> value = diagnosed_[*at].circumstances->number(number);
        if (value) value = rounded(*value, constants_.score_digits);
        entry.evidence.emplace_back(name, value);
      }
      result_.withheld.push_back(std::move(entry));
    }
  }

  const Catalogue& catalogue_;
  const Constants& constants_;
  std::span<const Diagnosed> diagnosed_;
  const std::function<bool(std::string_view)> is_diagnosed_ = [this](std::string_view id) { return with_label(id).has_value(); };
  Proposals result_;
};

}  // namespace

double score_of(const Constants& constants, const Components& parts, std::vector<std::string_view>& guardrails) {
  double score = constants.weight_speedup * parts.speedup + constants.weight_confidence * parts.confidence +
                 constants.weight_cost * parts.cost_savings + constants.weight_ease * parts.ease + constants.weight_safety * parts.safety +
                 std::min(parts.priority_boost, constants.boost_cap);
  if (parts.confidence < constants.low_confidence.confidence_below) {
    score *= constants.low_confidence.factor;
    guardrails.push_back(low_confidence_demoted);
  }
  if (parts.safety < constants.risk.safety_below && parts.speedup < constants.risk.speedup_below) {
    score *= constants.risk.factor;
    guardrails.push_back(risk_demoted);
  }
  return rounded(clamp01(score), constants.score_digits);
}

Proposals propose(const Catalogue& catalogue, std::span<const Diagnosed> diagnosed) { return Engine(catalogue, diagnosed).run(); }

}  // namespace frx::advise
