// The available advice and its conditions: the cards, the rules and the constants of data/recommendations.
//
// One YAML per card. A rule is for one bottleneck and names cards; an unknown card, label, reading or name in a condition is an error that
// names file and line, so that a typing error never silences advice.
#pragma once

#include <array>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "advise/circumstances.h"
#include "advise/constants.h"
#include "advise/names.h"
#include "advise/prediction.h"
#include "base/made_once.h"
#include "base/result.h"
#include "knowledge/knowledge.h"

namespace frx::advise {

// A check after the change.
struct Step {
  std::string_view metric;  // the counter to collect
  model::Metric reading;    // its reading in the catalogue
  std::string_view label;
  std::string_view direction;  // decrease, increase, stable
  std::optional<double> threshold_good;
  std::string_view expected;
};

// Other words of a card, for programs that its own do not fit.
struct Wording {
  Value when;  // the condition under which they replace those of the card; what is empty stays as it is there
  std::string_view title, why;
  std::vector<std::string_view> actions, validation, caveats;
};

struct Card {
  std::string_view id;
  std::string_view title;
  std::string_view category;
  std::vector<std::string_view> applies_to;
  std::vector<std::pair<std::string_view, std::string_view>> prerequisites;
  std::string_view impact;  // high, medium, low
  std::string_view effort;  // config, low, medium, high, custom_cuda
  std::string_view safety;  // high, medium, low
  std::string_view risk;    // "" = the opposite of safety
  std::optional<std::pair<double, double>> speedup_pct;
  Value never_when;       // the condition that removes the card
  Value unverified_when;  // that a premise of the card was not measured
  std::string_view why;
  std::vector<std::string_view> actions;
  std::vector<std::string_view> validation;
  std::vector<Step> steps;
  std::vector<Prediction> predictions;
  std::vector<std::string_view> caveats;
  std::vector<Wording> wordings;  // the first whose condition holds counts
  Value source;
  std::string where;
};

struct Rule {
  std::string_view id;
  std::string_view bottleneck;
  Domain domain = Domain::kernel;  // in which the bottleneck is diagnosed
  double min_score = 0;
  Value when;           // the condition that must hold; empty: always
  Value suppressed_if;  // that must not hold; empty: never does
  double boost = 0;
  // The cards reduce the work itself, so the distance to the roof does not bound their gain.
  bool cuts_work = false;
  std::vector<const Card*> cards;
  std::string_view explanation;
  std::string where;
};

// Advice that is suppressed, with the reason shown.
struct WithheldRule {
  std::string_view id;  // of the card
  std::string_view bottleneck;
  knowledge::Expression when;
  std::vector<std::string_view> unless_active;
  std::vector<std::string_view> blocked_by;
  std::vector<std::pair<std::string_view, knowledge::Expression>> evidence;  // named numbers
  std::string_view reason;
};

class Catalogue {
  // How one of its things is reached by number.
  template <typename Thing>
  using Reader = const Thing& (Catalogue::*)(std::size_t) const;
  template <typename Thing>
  auto all(std::size_t count, Reader<Thing> at) const {
    return std::views::iota(std::size_t{0}, count) |
           std::views::transform([this, at](std::size_t i) -> const Thing& { return (this->*at)(i); });
  }

 public:
  // The texts live in the library of `knowledge`, which must outlive the catalogue.
  static Result<Catalogue> load(const knowledge::Knowledge& knowledge);
  // Cards, rules and conditions are read when a diagnosis asks for them. Of data that frx comes with, which tests have read as a whole.
  static Result<Catalogue> load_unchecked(const knowledge::Knowledge& knowledge);

  // A condition of a rule or card, with the names of the domain.
  const knowledge::Expression& condition(Domain domain, const Value& text) const { return names_.kept(domain, text.text()); }

  Catalogue(Catalogue&&) = default;  // not copied: rules point at cards
  Catalogue& operator=(Catalogue&&) = default;

  // All of them, each of which is read: the rules in the order of the file.
  auto cards() const { return all(card_files_.size(), &Catalogue::card_at); }
  auto rules() const { return all(rule_entries_.size(), &Catalogue::rule_at); }
  auto withheld() const { return all(withheld_entries_.size(), &Catalogue::withheld_at); }
  // Those about a bottleneck that `is_diagnosed`, in the order of the file.
  template <typename IsDiagnosed>
  std::vector<const Rule*> rules_about(const IsDiagnosed& is_diagnosed) const {
    return about(rule_entries_, is_diagnosed, &Catalogue::rule_at);
  }
  template <typename IsDiagnosed>
  std::vector<const WithheldRule*> withheld_about(const IsDiagnosed& is_diagnosed) const {
    return about(withheld_entries_, is_diagnosed, &Catalogue::withheld_at);
  }
  const Constants& constants() const { return constants_; }
  const Names& names() const { return names_; }
  // How many GPUs the program uses, where that is known.
  const knowledge::Expression& gpus(Domain domain) const { return names_.kept(domain, "num_gpus"); }
  // nullptr: no card is called so.
  const Card* card(std::string_view id) const;

 private:
  // A rule, of which only the bottleneck was read.
  struct Entry {
    Value value;
    std::string_view bottleneck;
  };
  // A card stands in a file of its name.
  struct CardFile {
    std::string_view id;
    Value root;
  };

  Catalogue() = default;
  template <typename Thing, typename IsDiagnosed>
  std::vector<const Thing*> about(const std::vector<Entry>& entries, const IsDiagnosed& is_diagnosed, Reader<Thing> at) const {
    std::vector<const Thing*> rules;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (is_diagnosed(entries[i].bottleneck)) rules.push_back(&(this->*at)(i));
    }
    return rules;
  }
  void find_cards();
  static std::vector<Entry> entries_in(const Value& list);
  std::optional<std::size_t> place_of_card(std::string_view id) const;
  const Card& card_at(std::size_t i) const;
  const Rule& rule_at(std::size_t i) const;
  const WithheldRule& withheld_at(std::size_t i) const;
  Result<Rule> read_rule(const Value& entry) const;
  Result<WithheldRule> read_withheld_rule(const Value& entry) const;
  Result<> check() const;
  Result<> check_relations() const;
  Result<> check_conditions() const;

  const knowledge::Knowledge* knowledge_ = nullptr;
  std::vector<CardFile> card_files_;
  std::vector<Entry> rule_entries_, withheld_entries_;
  MadeOnce<Card> cards_;
  MadeOnce<Rule> rules_;
  MadeOnce<WithheldRule> withheld_;
  Names names_;
  Constants constants_;
};

}  // namespace frx::advise
