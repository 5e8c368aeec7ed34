// The pages of labels: of kernels, of runs, of PTX, and the diagnoses that several layers share.

#include <algorithm>

#include "base/text.h"
#include "model/finding.h"
#include "report/pages/page_makers.h"

namespace frx::report {
namespace {

std::string kind_words(std::string_view kind) {
  if (kind == "cause") return "cause: something that can be changed";
  if (kind == "symptom") return "symptom: it leads only where no cause explains it";
  return "state: a statement about the whole";
}

RulePage page_of_label(const frx::Value& root, std::string_view subject) {
  RulePage page{.kind = RulePage::Kind::label, .id = root["id"].text(), .title = std::string(root["display"].text()), .subject = subject};
  page.file = file_of(root);
  if (root["kind"]) add_trait(page, "Kind", kind_words(root["kind"].text()));
  if (root["risk"].boolean().value_or(false)) add_trait(page, "Risk", "it leads only where no use of time does");
  return page;
}

void add_conditions(const frx::Value& root, RulePage& page) {
  if (!root["when"]) page.conditions.push_back({"It is the answer where", "no other label holds"});
  constexpr std::pair<std::string_view, std::string_view> parts[] = {{"when", "It holds where"},
                                                                     {"score", "Score, 0 to 1"},
                                                                     {"lost", "Share of a step that it takes"},
                                                                     {"time_at_stake", "Time at stake, at most"}};
  for (const auto& [key, says] : parts) {
    if (root[key]) page.conditions.push_back({std::string(says), condition_text(root[key].text())});
  }
}

void add_explained_by(const frx::Value& root, RulePage& page) {
  std::vector<std::string> causes;
  for (const std::string_view cause : root["explained_by"].texts()) causes.emplace_back(cause);
  if (!causes.empty()) page.blind.push_back(fmt::format("It stands back, as a consequence, where these hold too: {}.", join(causes, ", ")));
}

void add_names(const PageMaker& maker, std::string_view subject, RulePage& page) {
  for (const PageCondition& condition : page.conditions) maker.names.add(condition.expression, subject, page.names);
}

RulePage page_of_kernel_label(const frx::Value& root, const PageMaker& maker) {
  RulePage page = page_of_label(root, "kernels of a profile");
  add_conditions(root, page);
  page.why.push_back(root["why"].text());
  const frx::Value evidence = root["evidence"];
  for (std::size_t i = 0; i < evidence.size(); ++i) {
    maker.names.add(evidence.key(i), "kernel", page.names);
    page.says.push_back(fmt::format("{}: {{{}}}", evidence.value(i).text(), evidence.key(i)));
  }
  add_names(maker, "kernel", page);
  add_cases(root["cases"], page);
  page.blind.emplace_back("What was not measured is never taken for zero: without the counters of the condition it is inconclusive.");
  add_explained_by(root, page);
  add_blind_cases(page);
  add_proposed_cards(page.id, maker.expertise.catalogue(), page);
  if (!root["question"].text().empty()) page.checks.emplace_back(root["question"].text());
  add_checks_of_cards(page);
  if (root["collect"]) page.commands.push_back(fmt::format("frx profile --preset {} -- ./your_app", root["collect"].text()));
  page.commands.push_back(fmt::format("frx analyze report.ncu-rep --why {}", page.id));
  return page;
}

RulePage page_of_run_label(const frx::Value& root, const PageMaker& maker) {
  RulePage page = page_of_label(root, "training runs and traces");
  add_conditions(root, page);
  page.says.emplace_back(root["why"].text());
  if (root["why_timed"]) page.says.emplace_back(root["why_timed"].text());
  add_names(maker, "run", page);
  for (const std::string& words : page.says) maker.names.add(words, "run", page.names);
  add_cases(root["cases"], page);
  if (root["missing"]) page.blind.push_back(fmt::format("It is inconclusive without {}.", root["missing"].text()));
  add_explained_by(root, page);
  add_blind_cases(page);
  add_proposed_cards(page.id, maker.expertise.catalogue(), page);
  if (!page.cards.empty()) page.why.push_back(page.cards.front()->why);
  add_checks_of_cards(page);
  page.commands = {"frx collect -- python3 train.py", fmt::format("frx analyze RUN_FOLDER --why {}", page.id)};
  return page;
}

// A label of PTX may have several entries, each with its proof.
void add_code_label(const frx::Value& entry, const PageMaker& maker) {
  const auto at = std::ranges::find_if(maker.pages, [&](const RulePage& page) {
    return page.kind == RulePage::Kind::label && page.id == entry["id"].text() && page.subject == "PTX files";
  });
  const bool is_new = at == maker.pages.end();
  if (is_new) maker.pages.push_back(page_of_label(entry, "PTX files"));
  RulePage& page = is_new ? maker.pages.back() : *at;
  page.conditions.push_back({fmt::format("It holds ({}) where", entry["proof"].text()), condition_text(entry["when"].text())});
  page.conditions.push_back({"Score, 0 to 1", condition_text(entry["score"].text())});
  page.says.emplace_back(entry["evidence"].text());
  maker.names.add(entry["when"].text(), "ptx_file", page.names);
  maker.names.add(entry["score"].text(), "ptx_file", page.names);
  maker.names.add(entry["evidence"].text(), "ptx_file", page.names);
  add_cases(entry["cases"], page);
}

void finish_code_label(const PageMaker& maker, RulePage& page) {
  page.blind.emplace_back("An entry that is unproven never leads: its sign is there, and proves nothing.");
  add_proposed_cards(page.id, maker.expertise.catalogue(), page);
  if (!page.cards.empty()) page.why.push_back(page.cards.front()->why);
  add_checks_of_cards(page);
  page.commands = {"frx analyze kernel.ptx --with-ptxas"};
}

RulePage page_of_diagnosis(const frx::Value& entry, const PageMaker& maker) {
  RulePage page = page_of_label(entry, "evidence of several layers");
  add_trait(page, "Severity", entry["severity"].text());
  for (std::size_t layer = 0; layer < model::layer_count; ++layer) {
    const std::string_view name = model::name_of(static_cast<model::Layer>(layer));
    std::vector<std::string> signs;
    for (const std::string_view sign : entry[name].texts()) signs.emplace_back(sign);
    if (!signs.empty()) page.conditions.push_back({fmt::format("Signs of layer {}", name), join(signs, " or ")});
  }
  page.says.emplace_back(
      "Each layer that shows one of its signs is a witness; all code together is one. A profile in which it was measured and does not hold "
      "contradicts the others.");
  for (const std::string_view counter : entry["counters"].texts()) maker.names.add(counter, "kernel", page.names);
  page.fixes.push_back(entry["fix"].text());
  add_cards(entry["recommendations"].texts(), maker.expertise.catalogue(), page);
  if (!page.cards.empty()) page.why.push_back(page.cards.front()->why);
  page.blind.emplace_back("Layers that were not given say nothing, neither for nor against it.");
  add_checks_of_cards(page);
  page.commands = {"frx analyze kernel.cu kernel.ptx report.ncu-rep"};
  return page;
}

}  // namespace

void add_kernel_labels(PageMaker& maker) {
  for (const frx::Value& root : maker.library().folder("bottlenecks")) maker.pages.push_back(page_of_kernel_label(root, maker));
}

void add_run_labels(PageMaker& maker) {
  for (const frx::Value& root : maker.library().folder("run_labels")) maker.pages.push_back(page_of_run_label(root, maker));
}

void add_code_labels(PageMaker& maker) {
  const std::size_t first = maker.pages.size();
  const frx::Value labels = maker.library().file("data/code_labels/ptx.yaml")["labels"];
  for (std::size_t i = 0; i < labels.size(); ++i) add_code_label(labels.item(i), maker);
  for (std::size_t i = first; i < maker.pages.size(); ++i) finish_code_label(maker, maker.pages[i]);
}

void add_diagnoses(PageMaker& maker) {
  const frx::Value diagnoses = maker.library().file("data/reconciliation/diagnoses.yaml")["diagnoses"];
  for (std::size_t i = 0; i < diagnoses.size(); ++i) maker.pages.push_back(page_of_diagnosis(diagnoses.item(i), maker));
}

}  // namespace frx::report
