#include "advise/catalogue.h"

#include <algorithm>

#include "base/text.h"

namespace frx::advise {
namespace {

constexpr std::string_view engine_file = "data/recommendations/engine.yaml";
constexpr std::string_view rules_file = "data/recommendations/rules.yaml";
constexpr std::string_view signals_file = "data/recommendations/signals.yaml";

template <typename Map>
Result<> check_word(const Value& root, std::string_view key, std::string_view word, const Map& known) {
  if (known.contains(word)) return {};
  std::vector<std::string> words;
  for (const auto& entry : known) words.emplace_back(entry.first);
  return fail(ErrorKind::malformed, "expected one of {} for '{}', found '{}'", join(words, ", "), key, word)
      .at(root[key] ? root[key].where() : root.where());
}

Result<Step> read_step(const Value& entry, const knowledge::MetricCatalogue& metrics) {
  Step step;
  TRY_ASSIGN(step.metric, read_text(entry, "metric"));
  TRY_ASSIGN(step.label, read_text(entry, "label"));
  TRY_ASSIGN(step.direction, read_text(entry, "direction"));
  TRY_ASSIGN(step.expected, read_text(entry, "expected"));
  TRY_ASSIGN(const std::string_view reading, read_text(entry, "reading"));
  const std::optional<model::Metric> metric = metrics.with_id(reading);
  if (!metric) {
    return fail(ErrorKind::malformed, "no metric is called '{}'", reading)
        .at(entry["reading"].where())
        .hint(fmt::format("did you mean '{}'?", metrics.nearest_id(reading)));
  }
  step.reading = *metric;
  const bool known = step.direction == "decrease" || step.direction == "increase" || step.direction == "stable";
  if (!known) {
    return fail(ErrorKind::malformed, "expected decrease, increase or stable, found '{}'", step.direction).at(entry["direction"].where());
  }
  if (entry["threshold_good"]) {
    TRY_ASSIGN(step.threshold_good, read_number(entry, "threshold_good"));
  }
  return step;
}

Result<> read_speedup(const Value& root, Card& card) {
  const Value range = root["speedup_pct"];
  if (!range) return {};
  const std::optional<double> low = range.size() == 2 ? range.item(0).number() : std::nullopt;
  const std::optional<double> high = range.size() == 2 ? range.item(1).number() : std::nullopt;
  if (!low || !high || *low > *high) {
    return fail(ErrorKind::malformed, "expected 'speedup_pct: [low, high]'").at(range.where());
  }
  card.speedup_pct = {*low, *high};
  return {};
}

Result<> read_wordings(const Value& root, Card& card) {
  TRY_ASSIGN(const Value list, root.list("wordings"));
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Value entry = list.item(i);
    Wording wording{
        entry["when"],           entry["title"].text(), entry["why"].text(), entry["actions"].texts(), entry["validation"].texts(),
        entry["caveats"].texts()};
    if (!wording.when) return fail(ErrorKind::malformed, "other words of a card need a condition as 'when'").at(entry.where());
    card.wordings.push_back(std::move(wording));
  }
  return {};
}

Result<Card> read_card(const Value& root, const knowledge::MetricCatalogue& metrics, const Constants& constants) {
  Card card;
  card.source = root;
  card.where = root.where();
  TRY_ASSIGN(card.id, read_text(root, "id"));
  if (card.where.find("/" + std::string(card.id) + ".yaml:") == std::string::npos) {
    return fail(ErrorKind::malformed, "card '{}' does not stand in a file of its name", card.id).at(root["id"].where());
  }
  TRY_ASSIGN(card.title, read_text(root, "title"));
  TRY_ASSIGN(card.category, read_text(root, "category"));
  TRY(check_word(root, "category", card.category, constants.bundle_labels));
  TRY_ASSIGN(card.impact, read_text(root, "impact"));
  TRY(check_word(root, "impact", card.impact, constants.default_speedup_pct));
  TRY_ASSIGN(card.effort, read_text(root, root["implementation_effort"] ? "implementation_effort" : "effort"));
  TRY_ASSIGN(card.safety, read_text(root, "safety"));
  TRY(check_word(root, "safety", card.safety, constants.safety));
  card.never_when = root["never_when"];
  card.unverified_when = root["unverified_when"];
  card.risk = root["risk"].text();
  if (!card.risk.empty()) TRY(check_word(root, "risk", card.risk, constants.safety_by_risk));
  TRY(read_speedup(root, card));
  TRY_ASSIGN(card.why, read_text(root, "why"));
  card.applies_to = root["applies_to"].texts();
  card.actions = root["actions"].texts();
  card.validation = root["validation"].texts();
  card.caveats = root["caveats"].texts();
  TRY(read_wordings(root, card));
  const Value prerequisites = root["prerequisites"];
  for (std::size_t i = 0; i < prerequisites.size(); ++i) {
    card.prerequisites.emplace_back(prerequisites.key(i), prerequisites.value(i).text());
  }
  TRY_ASSIGN(const Value steps, root.list("validation_steps"));
  for (std::size_t i = 0; i < steps.size(); ++i) {
    TRY_ASSIGN(Step step, read_step(steps.item(i), metrics));
    card.steps.push_back(step);
  }
  TRY_ASSIGN(const Value predictions, root.list("predictions"));
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    TRY_ASSIGN(Prediction prediction, read_prediction(predictions.item(i), metrics));
    card.predictions.push_back(prediction);
  }
  return card;
}

}  // namespace

std::optional<std::size_t> Catalogue::place_of_card(std::string_view id) const {
  const auto at = std::ranges::find(card_files_, id, &CardFile::id);
  return at == card_files_.end() ? std::nullopt : std::optional(static_cast<std::size_t>(at - card_files_.begin()));
}

const Card* Catalogue::card(std::string_view id) const {
  const std::optional<std::size_t> at = place_of_card(id);
  return at ? &card_at(*at) : nullptr;
}

const Card& Catalogue::card_at(std::size_t i) const {
  return cards_.at(i, [&] { return read_card(card_files_[i].root, knowledge_->metrics, constants_).value(); });
}
const Rule& Catalogue::rule_at(std::size_t i) const {
  return rules_.at(i, [&] { return read_rule(rule_entries_[i].value).value(); });
}
const WithheldRule& Catalogue::withheld_at(std::size_t i) const {
  return withheld_.at(i, [&] { return read_withheld_rule(withheld_entries_[i].value).value(); });
}

void Catalogue::find_cards() {
  for (const Value& root : knowledge_->library.folder("recommendations")) {
    std::string_view id = root.document()->file;
    if (id == engine_file || id == rules_file || id == signals_file) continue;
    id.remove_prefix(id.rfind('/') + 1);
    card_files_.push_back({id.substr(0, id.rfind('.')), root});
  }
  cards_ = MadeOnce<Card>(card_files_.size());
}

std::vector<Catalogue::Entry> Catalogue::entries_in(const Value& list) {
  std::vector<Entry> entries;
  entries.reserve(list.size());
  for (std::size_t i = 0; i < list.size(); ++i) entries.push_back({list.item(i), list.item(i)["bottleneck"].text()});
  return entries;
}

Result<Rule> Catalogue::read_rule(const Value& entry) const {
  Rule rule;
  rule.where = entry.where();
  TRY_ASSIGN(rule.id, read_text(entry, "id"));
  TRY_ASSIGN(rule.bottleneck, read_text(entry, "bottleneck"));
  const std::optional<Domain> domain = names_.domain_of(rule.bottleneck);
  if (!domain) {
    return fail(ErrorKind::malformed, "no bottleneck is called '{}'", rule.bottleneck)
        .at(entry["bottleneck"].where())
        .hint("labels stand in data/bottlenecks, data/run_labels and data/code_labels");
  }
  rule.domain = *domain;
  TRY_ASSIGN(rule.min_score, read_number(entry, "min_score"));
  TRY_ASSIGN(rule.boost, read_number(entry, "priority_boost"));
  if (entry["signals"]) {
    return fail(ErrorKind::malformed, "'signals' is written as an expression now: when: one_signal and not another")
        .at(entry["signals"].where());
  }
  rule.when = entry["when"];
  rule.suppressed_if = entry["suppressed_if"];
  TRY_ASSIGN(rule.explanation, read_text(entry, "explanation"));
  rule.cuts_work = entry["cuts_work"].boolean().value_or(false);
  const Value ids = entry["recommendations"];
  for (const std::string_view id : ids.texts()) {
    const Card* const known = card(id);
    if (known == nullptr) return fail(ErrorKind::malformed, "no card is called '{}'", id).at(ids.where());
    rule.cards.push_back(known);
  }
  if (rule.cards.empty()) return fail(ErrorKind::malformed, "rule '{}' recommends nothing", rule.id).at(rule.where);
  return rule;
}

Result<WithheldRule> Catalogue::read_withheld_rule(const Value& entry) const {
  WithheldRule rule;
  TRY_ASSIGN(rule.id, read_text(entry, "id"));
  TRY_ASSIGN(rule.bottleneck, read_text(entry, "bottleneck"));
  const std::optional<Domain> domain = names_.domain_of(rule.bottleneck);
  if (!domain) return fail(ErrorKind::malformed, "no bottleneck is called '{}'", rule.bottleneck).at(entry["bottleneck"].where());
  TRY_ASSIGN(rule.when, names_.condition(*domain, entry["when"]));
  TRY_ASSIGN(rule.reason, read_text(entry, "reason"));
  rule.unless_active = entry["unless_active"].texts();
  rule.blocked_by = entry["blocked_by"].texts();
  for (const std::string_view name : entry["evidence"].texts()) {
    TRY_ASSIGN(knowledge::Expression value, names_.expression(*domain, name, entry["evidence"].where()));
    rule.evidence.emplace_back(name, std::move(value));
  }
  return rule;
}

// The relations between cards must name existing cards.
Result<> Catalogue::check_relations() const {
  std::vector<std::string_view> ids;
  for (const Equivalent& pair : constants_.equivalents) ids.insert(ids.end(), {pair.keep, pair.drop});
  for (const Dependency& pair : constants_.dependencies) ids.insert(ids.end(), {pair.dependent, pair.after});
  for (std::size_t i = 0; i < withheld_entries_.size(); ++i) {
    const WithheldRule& rule = withheld_at(i);
    ids.push_back(rule.id);
    ids.insert(ids.end(), rule.unless_active.begin(), rule.unless_active.end());
  }
  for (const std::string_view id : ids) {
    if (!place_of_card(id)) return fail(ErrorKind::malformed, "no card is called '{}'", id).at(std::string(engine_file));
  }
  return {};
}

// Those of a card with the names of each domain in which a rule proposes it.
Result<> Catalogue::check_conditions() const {
  for (const Rule& rule : rules()) {
    std::vector<Value> conditions = {rule.when, rule.suppressed_if};
    for (const Card* card : rule.cards) {
      conditions.insert(conditions.end(), {card->never_when, card->unverified_when});
      for (const Wording& wording : card->wordings) conditions.push_back(wording.when);
    }
    for (const Value& condition : conditions) {
      if (condition) TRY(names_.condition(rule.domain, condition));
    }
  }
  return {};
}

// Everything, also what nothing asks for.
Result<> Catalogue::check() const {
  for (std::size_t i = 0; i < card_files_.size(); ++i) {
    TRY(cards_.try_at(i, [&] { return read_card(card_files_[i].root, knowledge_->metrics, constants_); }));
  }
  for (std::size_t i = 0; i < rule_entries_.size(); ++i) {
    TRY(rules_.try_at(i, [&] { return read_rule(rule_entries_[i].value); }));
  }
  TRY(check_conditions());
  for (std::size_t i = 0; i < withheld_entries_.size(); ++i) {
    TRY(withheld_.try_at(i, [&] { return read_withheld_rule(withheld_entries_[i].value); }));
  }
  return check_relations();
}

Result<Catalogue> Catalogue::load(const knowledge::Knowledge& knowledge) {
  TRY(knowledge::CodeFactCatalogue::load(knowledge.library));
  TRY_ASSIGN(Catalogue catalogue, load_unchecked(knowledge));
  TRY(catalogue.check());
  return catalogue;
}

Result<Catalogue> Catalogue::load_unchecked(const knowledge::Knowledge& knowledge) {
  Catalogue catalogue;
  catalogue.knowledge_ = &knowledge;
  const Value engine = knowledge.library.file(engine_file);
  if (!engine.is_map()) return fail(ErrorKind::malformed, "expected a map of constants").at(std::string(engine_file));
  TRY_ASSIGN(catalogue.constants_, read_constants(engine));
  TRY_ASSIGN(catalogue.names_, Names::load(knowledge));
  catalogue.find_cards();
  const Value rules = knowledge.library.file(rules_file)["rules"];
  if (!rules.is_list()) return fail(ErrorKind::malformed, "expected a list of rules").at(std::string(rules_file));
  catalogue.rule_entries_ = entries_in(rules);
  catalogue.rules_ = MadeOnce<Rule>(catalogue.rule_entries_.size());
  TRY_ASSIGN(const Value withheld, engine.list("withheld"));
  catalogue.withheld_entries_ = entries_in(withheld);
  catalogue.withheld_ = MadeOnce<WithheldRule>(catalogue.withheld_entries_.size());
  return catalogue;
}

}  // namespace frx::advise
