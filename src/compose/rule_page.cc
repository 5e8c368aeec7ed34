#include "compose/rule_page.h"

#include <map>

#include "base/text.h"
#include "base/units.h"
#include "compose/parts.h"

namespace frx::compose {
namespace {

using answer::JsonObject;
using report::PageCase;
using report::RulePage;
using report::RulePages;
using Pages = std::vector<const RulePage*>;

constexpr std::size_t sources_shown = 2;  // of each expectation
constexpr std::size_t cards_in_full = 3;

std::string_view word_for(RulePage::Kind kind) { return kind == RulePage::Kind::rule ? "rule" : "label"; }

// "{fact} in words" with what is filled in as code.
Text with_names(std::string_view words) {
  Text text;
  while (!words.empty()) {
    const std::size_t open = words.find('{'), close = words.find('}', open);
    if (open == words.npos || close == words.npos) break;
    // What stands in backticks already is one name.
    const bool is_quoted = open > 0 && words[open - 1] == '`' && words.substr(close + 1).starts_with('`');
    text = text + std::string(words.substr(0, is_quoted ? open - 1 : open)) + as_name(words.substr(open, close + 1 - open));
    words.remove_prefix(close + (is_quoted ? 2 : 1));
  }
  return text + std::string(words);
}

void add_what_it_says(Document& page, const RulePage& rule) {
  page.section("What it says", answer::Part::verdict);
  for (const auto& [name, value] : rule.traits) page.fact(name, value, 18);
  for (const std::string& words : rule.says) page.hanging(rule.says.size() > 1 ? "- " : "", with_names(words));
  if (rule.why.empty()) return;
  page.section("Why it matters");
  for (const std::string_view why : rule.why) page.paragraph(why);
}

void add_decision(Document& page, const RulePage& rule) {
  page.section("How it is decided");
  for (const report::PageCondition& condition : rule.conditions) {
    page.paragraph(condition.says + ":");
    page.paragraph(as_name(condition.expression), 4);
  }
  if (rule.names.empty()) return;
  page.section("The names in it");
  for (const report::PageName& name : rule.names) {
    const std::string unit = name.unit.empty() ? "" : fmt::format(" ({})", name.unit);
    page.hanging("- ", as_name(name.name) + fmt::format("{}: {}", unit, name.meaning));
  }
}

// "cannot tell" of the data is what reports call inconclusive.
std::string_view word_for(std::string_view expect) { return expect == "cannot tell" ? "inconclusive" : expect; }

void add_source(Document& page, const PageCase& one) {
  page.paragraph(fmt::format("{} ({}):", one.name.empty() ? "a case" : one.name, word_for(one.expect)));
  if (one.source.empty()) return page.paragraph(as_name(one.given), 4);
  page.add(answer::Verbatim{std::string(trim(one.source))});
  page.blank();
}

void add_examples(Document& page, const RulePage& rule) {
  if (rule.cases.empty()) return;
  page.section("Examples", fmt::format("({} in {}, each of them a test)", count_text(rule.cases.size(), "case"), rule.file));
  std::vector<const PageCase*> others;
  for (const std::string_view expect : {"fires", "silent", "clear", "cannot tell"}) {
    std::size_t shown = 0;
    for (const PageCase& one : rule.cases) {
      if (one.expect != expect) continue;
      if (shown++ < sources_shown)
        add_source(page, one);
      else if (!one.name.empty())
        others.push_back(&one);
    }
  }
  if (others.empty()) return;
  page.paragraph("Further cases:");
  for (const PageCase* one : others) page.hanging("- ", fmt::format("{}: {}", one->name, word_for(one->expect)), 4);
}

void add_cards(Document& page, const RulePage& rule) {
  std::size_t shown = 0;
  for (const advise::Card* card : rule.cards) {
    page.hanging("- ", fmt::format("{} ({})", card->title, card->id), 2, Tone::plain, Tone::bold);
    if (++shown > cards_in_full) continue;
    for (const std::string_view action : card->actions) page.hanging("- ", action, 4);
  }
}

void add_fix_and_checks(Document& page, const RulePage& rule) {
  if (!rule.blind.empty() || !rule.refuted.empty()) page.section("What it does not see");
  for (const std::string& words : rule.blind) page.hanging("- ", words);
  page.hanging("It is wrong where: ", rule.refuted);
  if (!rule.fixes.empty() || !rule.cards.empty()) page.section("How to fix it", answer::Part::advice);
  for (const std::string_view fix : rule.fixes) page.paragraph(with_names(fix));
  add_cards(page, rule);
  page.section("How to check it", answer::Part::advice);
  for (const std::string& check : rule.checks) page.hanging("- ", check);
  for (const std::string& command : rule.commands) page.command(command, 2);
  if (rule.subject == "CUDA source")
    page.paragraph(fmt::format("A comment `frx: ignore {}` in the line, or in the one above it, suppresses a finding.", rule.id));
}

Document document_of(const Pages& pages) {
  Document page;
  for (const RulePage* rule : pages) {
    page.title(rule->title, fmt::format("({} {}, about {})", word_for(rule->kind), rule->id, rule->subject));
    add_what_it_says(page, *rule);
    add_decision(page, *rule);
    add_examples(page, *rule);
    add_fix_and_checks(page, *rule);
  }
  return page;
}

void put_page(JsonObject& out, const RulePage* page) {
  out.add("id", page->id, "kind", word_for(page->kind), "title", page->title, "about", page->subject, "page", address_of(*page), "file",
          page->file);
  out.list("traits", page->traits, [](JsonObject& one, const auto& trait) { one.add("name", trait.first, "value", trait.second); });
  out.add("says", page->says, "why", page->why);
  out.list("conditions", page->conditions, [](JsonObject& one, const report::PageCondition& condition) {
    one.add("says", condition.says, "expression", condition.expression);
  });
  out.list("names", page->names, [](JsonObject& one, const report::PageName& name) {
    one.add("name", name.name, "unit", answer::unless_empty(name.unit), "meaning", name.meaning, "counter",
            answer::unless_empty(name.counter));
  });
  out.list("cases", page->cases, [](JsonObject& one, const PageCase& sample) {
    one.add("name", answer::unless_empty(sample.name), "expect", word_for(sample.expect), "source", answer::unless_empty(sample.source),
            "given", answer::unless_empty(sample.given));
  });
  out.add("does_not_see", page->blind, "refuted_by", answer::unless_empty(page->refuted), "fixes", page->fixes);
  out.list("recommendations", page->cards, [](JsonObject& one, const advise::Card* card) {
    one.add("id", card->id, "title", card->title, "actions", card->actions, "caveats", card->caveats);
  });
  out.add("checks", page->checks, "commands", page->commands);
}

Document document_of_list(const RulePages& pages) {
  Document page;
  page.headline = fmt::format("{} rules and labels", pages.all().size());
  Table table{{{"id", 38, false, 0, true}, {"kind", 6}, {"about", 0}}};
  for (const RulePage& one : pages.all()) table.add({one.id, word_for(one.kind), one.subject});
  page.add(std::move(table));
  return page;
}

}  // namespace

answer::Answer answer_of(std::shared_ptr<const RulePages> pages, Pages shown) {
  answer::Answer answer{.what = "a rule or label", .mode = "rule"};
  answer.document = [shown](answer::Detail) { return document_of(shown); };
  answer.payload = [shown](JsonObject& out) {
    out.add("schema", "rule_page_v1", "id", shown.front()->id);
    out.list("pages", shown, put_page);
  };
  answer.kept = {std::move(pages)};
  return answer;
}

answer::Answer list_of(std::shared_ptr<const RulePages> pages) {
  answer::Answer answer{.what = "the rules and labels", .mode = "rules"};
  answer.document = [&all = *pages](answer::Detail) { return document_of_list(all); };
  answer.payload = [&all = *pages](JsonObject& out) {
    out.add("schema", "rule_list_v1");
    out.list("pages", all.all(), [](JsonObject& one, const RulePage& page) {
      one.add("id", page.id, "kind", word_for(page.kind), "title", page.title, "about", page.subject, "page", address_of(page), "file",
              page.file);
    });
  };
  answer.kept = {std::move(pages)};
  return answer;
}

std::vector<RulePageFile> files_of(const RulePages& pages) {
  std::map<std::string, Pages> by_address;
  for (const RulePage& page : pages.all()) by_address[address_of(page)].push_back(&page);
  std::vector<RulePageFile> files;
  std::map<std::string, std::vector<std::pair<std::string, std::string>>> indices;
  for (const auto& [address, shown] : by_address) {
    Document page = document_of(shown);
    page.paragraph("Written by ./dev reference from " + shown.front()->file + ": changes are made there.");
    indices[address.substr(0, address.find('/'))].emplace_back(shown.front()->id,
                                                               fmt::format("({}): {}", shown.front()->subject, shown.front()->title));
    files.push_back({address, std::move(page)});
  }
  for (auto& [folder, index] : indices) {
    Document page;
    page.title(folder == "rules" ? "Rules" : "Labels");
    page.paragraph("Each has a page of its name in this folder, which frx explain prints, too.");
    files.push_back({folder + "/README.md", std::move(page), std::move(index)});
  }
  return files;
}

answer::RulePageOf page_of_rules(std::shared_ptr<const RulePages> pages, RulePage::Kind kind) {
  return [pages = std::move(pages), kind](std::string_view id) -> std::optional<answer::RulePage> {
    Pages shown;
    for (const RulePage* page : pages->with_id(id)) {
      if (page->kind == kind) shown.push_back(page);
    }
    if (shown.empty()) return std::nullopt;
    return answer::RulePage{address_of(*shown.front()), document_of(shown)};
  };
}

}  // namespace frx::compose
