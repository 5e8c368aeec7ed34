#include "report/pages/rule_page.h"

#include <algorithm>

#include "base/text.h"
#include "report/pages/page_makers.h"

namespace frx::report {

std::string title_of_id(std::string_view id) {
  std::string title(id);
  std::ranges::replace(title, '_', ' ');
  if (!title.empty()) title[0] = to_upper(title.substr(0, 1))[0];
  return title;
}

std::string file_of(const frx::Value& root) {
  const std::string where = root.where();
  return where.substr(0, where.rfind(':'));
}

std::string condition_text(std::string_view written) {
  std::string text;
  for (const char c : written) {
    if (c != ' ' || (!text.empty() && text.back() != ' ')) text += c == '\n' ? ' ' : c;
  }
  return std::string(trim(text));
}

void add_trait(RulePage& page, std::string_view name, std::string_view value) {
  if (!value.empty()) page.traits.emplace_back(name, value);
}

namespace {

// "{a: 1, b: true}" as "a: 1, b: true".
std::string words_of(const frx::Value& given) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < given.size(); ++i) words.push_back(fmt::format("{}: {}", given.key(i), given.value(i).text()));
  return join(words, ", ");
}

}  // namespace

void add_cases(const frx::Value& cases, RulePage& page) {
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const frx::Value one = cases.item(i);
    page.cases.push_back({one["name"].text(), one["expect"].text(), one["source"].text(), words_of(one["given"])});
  }
}

void add_cards(const std::vector<std::string_view>& ids, const advise::Catalogue& catalogue, RulePage& page) {
  for (const std::string_view id : ids) {
    const advise::Card* card = catalogue.card(id);
    if (card && std::ranges::find(page.cards, card) == page.cards.end()) page.cards.push_back(card);
  }
}

void add_proposed_cards(std::string_view label, const advise::Catalogue& catalogue, RulePage& page) {
  for (const advise::Rule& rule : catalogue.rules()) {
    if (rule.bottleneck != label) continue;
    for (const advise::Card* card : rule.cards) {
      if (std::ranges::find(page.cards, card) == page.cards.end()) page.cards.push_back(card);
    }
  }
}

void add_checks_of_cards(RulePage& page) {
  for (const advise::Card* card : page.cards) {
    for (const advise::Step& step : card->steps) {
      std::string check = fmt::format("{}: {}", step.label, step.expected.empty() ? step.direction : step.expected);
      if (std::ranges::find(page.checks, check) == page.checks.end()) page.checks.push_back(std::move(check));
    }
  }
}

void add_blind_cases(RulePage& page) {
  for (const PageCase& one : page.cases) {
    if (one.name.empty() || one.expect != "cannot tell") continue;
    page.blind.push_back(fmt::format("Inconclusive: {}.", one.name));
  }
}

std::string address_of(const RulePage& page) {
  return fmt::format("{}/{}.md", page.kind == RulePage::Kind::rule ? "rules" : "labels", page.id);
}

std::shared_ptr<const RulePages> RulePages::of(std::shared_ptr<const Expertise> expertise) {
  auto all = std::make_shared<RulePages>();
  PageMaker maker{*expertise, PageNames(expertise->knowledge()), all->pages_};
  for (const auto add : {add_code_rules, add_layout_detectors, add_kernel_labels, add_run_labels, add_code_labels, add_diagnoses})
    add(maker);
  all->expertise_ = std::move(expertise);
  return all;
}

std::vector<const RulePage*> RulePages::with_id(std::string_view id) const {
  std::vector<const RulePage*> found;
  for (const RulePage& page : pages_) {
    if (page.id == id) found.push_back(&page);
  }
  return found;
}

Result<std::vector<const RulePage*>> RulePages::look_up(std::string_view id) const {
  std::vector<const RulePage*> found = with_id(id);
  if (!found.empty()) return found;
  std::vector<std::string_view> ids;
  for (const RulePage& page : pages_) ids.push_back(page.id);
  const std::string_view near = nearest(id, ids);
  std::vector<std::string> hints;
  if (!near.empty()) hints.emplace_back(near);
  for (const std::string_view one : ids) {  // "coalesced" stands in several of them
    if (hints.size() < 3 && id.size() >= 4 && one.find(id) != one.npos && std::ranges::find(hints, one) == hints.end())
      hints.emplace_back(one);
  }
  return fail(ErrorKind::not_enough, "no rule or label is called '{}'", printable(id))
      .hint(hints.empty() ? "frx explain --list names all of them" : "near to it: " + join_with_and(hints));
}

}  // namespace frx::report
