// The pages of rules about code and of the detectors of memory layouts.

#include "base/text.h"
#include "report/pages/page_makers.h"

namespace frx::report {
namespace {

struct CodeKind {
  std::string_view folder, subject, sample;
};
constexpr CodeKind code_kinds[] = {
    {"cuda", "CUDA source", "kernel.cu"}, {"ptx", "PTX", "kernel.ptx"}, {"cubin", "device code", "kernel.cubin"}};

void add_traits(const frx::Value& root, RulePage& page) {
  add_trait(page, "Severity", root["severity"].text());
  add_trait(page, "Confidence", root["confidence"].text());
  add_trait(page, "Category", root["category"].text());
  const std::string_view tier = root["tier"].text();
  add_trait(page, "Tier", tier == "pedantic" ? "pedantic: shown with --pedantic, or where another layer confirms it" : "");
}

void add_conditions(const frx::Value& root, RulePage& page) {
  page.conditions.push_back({"It is found where", condition_text(root["when"].text())});
  if (root["unconfirmed_when"]) {
    page.conditions.push_back(
        {"Left out until a compiler or another layer confirms it where also", condition_text(root["unconfirmed_when"].text())});
  }
  if (root["pedantic_when"]) page.conditions.push_back({"Of the pedantic tier where also", condition_text(root["pedantic_when"].text())});
  const frx::Value overrides = root["architecture_overrides"];
  std::vector<std::string> severities;
  for (std::size_t i = 0; i < overrides.size(); ++i) {
    const frx::Value special = overrides.value(i);
    if (special["when"])
      page.conditions.push_back({fmt::format("On {}, instead, where", overrides.key(i)), condition_text(special["when"].text())});
    if (special["severity"]) severities.push_back(fmt::format("{} on {}", special["severity"].text(), overrides.key(i)));
  }
  add_trait(page, "Severity elsewhere", join(severities, ", "));
}

void add_blind(const CodeKind& kind, const frx::Value& root, RulePage& page) {
  page.blind.emplace_back("Where the code does not determine what the condition needs, nothing is found: that is no proof of its absence.");
  if (kind.folder == "cuda") {
    if (root["tier"].text() == "pedantic" || root["pedantic_when"]) {
      page.blind.emplace_back(root["once_per_analysis"]
                                  ? "Without --pedantic, one finding of the pedantic tier stands for all of an analysis."
                                  : "Findings of the pedantic tier are left out without --pedantic.");
    }
    if (root["scope"].text() == "launch")
      page.blind.emplace_back("Launches in files that were not given, and those whose sizes are known at run time only.");
  }
  add_blind_cases(page);
}

void add_ways_to_check(const CodeKind& kind, const frx::Value& root, RulePage& page) {
  if (root["ncu_signals"]) page.checks.push_back(fmt::format("A profile that agrees has {}", root["ncu_signals"].text()));
  add_checks_of_cards(page);
  page.commands.push_back(fmt::format("frx analyze {}", kind.sample));
  if (root["ncu_signals"] || !page.cards.empty()) page.commands.push_back(fmt::format("frx analyze {} report.ncu-rep", kind.sample));
}

RulePage page_of(const CodeKind& kind, const frx::Value& root, const PageMaker& maker) {
  RulePage page{.kind = RulePage::Kind::rule, .id = root["id"].text(), .title = title_of_id(root["id"].text()), .subject = kind.subject};
  page.file = file_of(root);
  add_traits(root, page);
  page.says.emplace_back(root["message"].text());
  add_conditions(root, page);
  add_cards(root["recommendations"].texts(), maker.expertise.catalogue(), page);
  if (!page.cards.empty()) page.why.push_back(page.cards.front()->why);
  add_cases(root["cases"], page);
  if (!root["suggestion"].text().empty()) page.fixes.push_back(root["suggestion"].text());
  page.refuted = root["refute"].text();
  const std::string subject = fmt::format("{}_{}", kind.folder, root["scope"].text());
  for (const PageCondition& condition : page.conditions) maker.names.add(condition.expression, subject, page.names);
  maker.names.add(page.says[0], subject, page.names);
  maker.names.add(root["ncu_signals"].text(), "kernel", page.names);
  add_blind(kind, root, page);
  add_ways_to_check(kind, root, page);
  return page;
}

RulePage page_of_detector(const frx::Value& root, const PageMaker& maker) {
  RulePage page{.kind = RulePage::Kind::rule,
                .id = root["id"].text(),
                .title = std::string(root["title"].text()),
                .subject = "memory layouts of a trace"};
  page.file = file_of(root);
  page.says.emplace_back(root["says"].text());
  add_trait(page, "Needs", root["needs"].text());
  const frx::Value patterns = root["patterns"], without = root["without"];
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    const frx::Value pattern = patterns.item(i);
    page.conditions.push_back({fmt::format("Pattern {} where", pattern["id"].text()), condition_text(pattern["when"].text())});
    maker.names.add(pattern["when"].text(), "layout", page.names);
    page.fixes.push_back(pattern["fix"].text());
  }
  for (std::size_t i = 0; i < without.size(); ++i)
    page.blind.push_back(fmt::format("Without {}: {}.", without.key(i), without.value(i).text()));
  add_cases(root["cases"], page);
  page.commands = {"frx layout analyze trace.json", "frx layout trial --plan plan.json -- python3 train.py"};
  return page;
}

}  // namespace

void add_code_rules(PageMaker& maker) {
  for (const CodeKind& kind : code_kinds) {
    for (const frx::Value& root : maker.library().folder(fmt::format("code_rules/{}", kind.folder)))
      maker.pages.push_back(page_of(kind, root, maker));
  }
}

void add_layout_detectors(PageMaker& maker) {
  for (const frx::Value& root : maker.library().folder("layout/detectors")) maker.pages.push_back(page_of_detector(root, maker));
}

}  // namespace frx::report
