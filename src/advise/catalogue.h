// What can be advised and when: the cards, the rules and the constants of data/recommendations.
//
// One YAML per card. A rule answers one bottleneck and names cards; an unknown card, label or reading
// is an error that names file and line, so that a typing mistake never silences advice.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "advise/constants.h"
#include "advise/prediction.h"
#include "advise/signal_map.h"
#include "base/result.h"
#include "knowledge/knowledge.h"

namespace frx::advise {

// What to look at afterwards.
struct Step {
  std::string_view metric;      // the counter to collect
  model::Metric reading;        // its reading in the catalogue
  std::string_view label;
  std::string_view direction;   // decrease, increase, stable
  std::optional<double> threshold_good;
  std::string_view expected;
};

struct Card {
  std::string_view id;
  std::string_view title;
  std::string_view category;
  std::vector<std::string_view> applies_to;
  std::vector<std::pair<std::string_view, std::string_view>> prerequisites;
  std::string_view impact;      // high, medium, low
  std::string_view effort;      // config, low, medium, high, custom_cuda
  std::string_view safety;      // high, medium, low
  std::string_view risk;        // "" = the opposite of safety
  std::optional<std::pair<double, double>> speedup_pct;
  std::vector<Condition> never_when;       // any of them removes the card
  std::vector<Condition> unverified_when;  // any of them: what the card relies on was not measured
  std::string_view why;
  std::vector<std::string_view> actions;
  std::vector<std::string_view> validation;
  std::vector<Step> steps;
  std::vector<Prediction> predictions;
  std::vector<std::string_view> caveats;
  std::string where;
};

struct Rule {
  std::string_view id;
  std::string_view bottleneck;
  double min_score = 0;
  std::vector<Condition> signals;        // all must hold
  std::vector<Condition> suppressed_if;  // none may hold
  double boost = 0;
  // The cards cut the work itself, so the distance to the roof does not bound what they can give.
  bool cuts_work = false;
  std::vector<const Card*> cards;
  std::string_view explanation;
  std::string where;
};

class Catalogue {
 public:
  // The texts live in the library of `knowledge`, which must outlive the catalogue.
  static Result<Catalogue> load(const knowledge::Knowledge& knowledge);

  Catalogue(Catalogue&&) = default;  // not copied: rules point at cards
  Catalogue& operator=(Catalogue&&) = default;

  const std::vector<Card>& cards() const { return cards_; }
  const std::vector<Rule>& rules() const { return rules_; }  // in the order of the file
  const Constants& constants() const { return constants_; }
  const Card* card(std::string_view id) const;

 private:
  Catalogue() = default;
  Result<> read_cards(const knowledge::Knowledge& knowledge);
  Result<> read_rules(const knowledge::Knowledge& knowledge);
  Result<Rule> read_rule(const Value& entry, const knowledge::Knowledge& knowledge) const;
  Result<> check_relations() const;

  std::vector<Card> cards_;
  std::vector<Rule> rules_;
  Constants constants_;
};

}  // namespace frx::advise
