#include <algorithm>
#include <set>

#include "analyse/why_stories.h"
#include "analyse/why_words.h"
#include "base/text.h"
#include "base/units.h"
#include "knowledge/code_facts.h"
#include "knowledge/code_labels.h"
#include "knowledge/code_rules.h"

namespace frx::analyse {
namespace {

using model::Finding;

void add_place(std::string& text, const model::TextPlace& place) {
  if (place.line > 0) add_story_lines(text, "at", fmt::format("{}:{}:{}", printable(place.file.view()), place.line, place.column));
}

void add_code_evidence(std::string& text, const Finding& finding) {
  for (const model::Evidence& line : finding.evidence) {
    text += line.is_known ? fmt::format("  because  {} = {}\n", line.value.id, format_number(line.value.value()))
                          : fmt::format("  unknown  {}\n", line.value.id);
  }
}

void add_finding(std::string& text, const CodeStory& code, const Finding& finding, std::string_view shown) {
  text += fmt::format("{}: {} ({}, confidence {}){}{}{}\n", code.of, finding.id(), name_of(finding.severity), finding.confidence,
                      finding.kernel.view().empty() ? "" : " in ", printable(finding.kernel.view()), shown);
  add_place(text, finding.place());
  add_story_lines(text, "rule", finding.type->where);
  add_story_lines(text, "", finding.type->rule);
  add_code_evidence(text, finding);
  add_story_lines(text, "in words", finding.message.view());
  add_story_lines(text, "refute", finding.type->refute);
}

std::string rule_found(const CodeStory& code, std::string_view id) {
  std::string text;
  for (const Finding& finding : code.findings) {
    if (finding.id() == id) add_finding(text, code, finding, "");
  }
  for (const Finding& finding : code.withheld) {
    if (finding.id() == id)
      add_finding(text, code, finding,
                  finding.tier == model::Tier::unconfirmed ? "; shown where PTX or a profile confirms it" : "; shown with --pedantic");
  }
  return text;
}

std::string_view subject_word(model::CodeSubject::Scope scope) {
  switch (scope) {
    case model::CodeSubject::Scope::kernel: return "kernel";
    case model::CodeSubject::Scope::launch: return "launch";
    case model::CodeSubject::Scope::occupancy: return "occupancy";
    case model::CodeSubject::Scope::file: return "file";
  }
  return {};
}

// A rule that found nothing: it does not hold, or a fact that it needs does not follow from the code.
std::string rule_not_found(const CodeStory& code, std::string_view id, const knowledge::Knowledge& knowledge) {
  const auto rules = knowledge::CodeRules::load(knowledge.library, code.kind);
  const knowledge::CodeRule* rule = rules ? rules->with_id(id) : nullptr;
  if (!rule) return {};
  const auto count = std::ranges::find(code.asked, id, &detect::RuleCount::rule);
  const std::string_view subject = subject_word(rule->scope);
  std::string text;
  if (count == code.asked.end()) {
    text = fmt::format("{}: {} was not asked: there is no {} in it\n", code.of, id, subject);
  } else if (count->undecided == 0) {
    text = fmt::format("{}: {} does not hold: the code of {} rules it out\n", code.of, id, count_text(count->asked, subject));
  } else {
    text =
        fmt::format("{}: {} is inconclusive for {} of {}, whose code does not determine a fact that it needs{}\n", code.of, id,
                    count->undecided, count_text(count->asked, subject), count->undecided < count->asked ? "; the others rule it out" : "");
  }
  add_story_lines(text, "rule", rule->where);
  add_story_lines(text, "", rule->rule);
  return text;
}

std::string label_of_code(const CodeStory& code, std::string_view id) {
  const Finding* finding = model::find_finding(code.labels, id);
  const Finding* other = finding ? nullptr : model::find_finding(code.others, id);
  if (!finding && !other) return {};
  const Finding& one = finding ? *finding : *other;
  std::string text = finding ? fmt::format("{}: {} holds with score {:.2f} ({})\n", code.of, id, one.score, name_of(one.proof))
                             : fmt::format("{}: {} {}\n", code.of, id,
                                           one.is_clear() ? "does not hold: the code rules it out" : "is inconclusive: a fact is missing");
  add_story_lines(text, "rule", one.type->where);
  add_story_lines(text, "", one.type->rule);
  add_code_evidence(text, one);
  for (const std::string_view missing : one.missing) add_story_lines(text, "missing", missing);
  add_story_lines(text, "in words", one.message.view());
  return text;
}

std::string fact_words(const model::CodeFact& fact, std::string_view unit) {
  if (const bool* truth = std::get_if<bool>(&fact.value)) return *truth ? "true" : "false";
  if (const double* number = std::get_if<double>(&fact.value))
    return format_number(*number) + (unit.empty() ? "" : " ") + std::string(unit);
  return printable(std::get<std::string>(fact.value));
}

std::string fact_of_code(const CodeStory& code, std::string_view id, const knowledge::Knowledge& knowledge) {
  const auto catalogue = knowledge::CodeFactCatalogue::load(knowledge.library);
  const auto fact = code.facts ? model::code_fact_called(id) : std::nullopt;
  if (!fact || !catalogue || !catalogue->of(std::string(code.kind) + "_file", id)) return {};
  const knowledge::CodeFactDefinition& definition = (*catalogue)[*fact];
  const model::CodeFact* value = code.facts->find(*fact);
  std::string text = value ? fmt::format("{}: {} = {}\n", code.of, id, fact_words(*value, to_string(definition.unit.dimension)))
                           : fmt::format("{}: {} does not follow from the code\n", code.of, id);
  add_story_lines(text, "meaning", definition.meaning);
  if (value && !value->places.empty()) add_place(text, value->places.front());
  return text;
}

// A card that rules name: which of them found something.
std::string card_of_findings(const CodeStory& code, std::string_view id) {
  std::string text;
  for (const Finding& finding : code.findings) {
    if (std::ranges::find(finding.recommendations, id) == finding.recommendations.end()) continue;
    text += fmt::format("{}: {} is recommended for {}\n", code.of, id, finding.id());
    add_place(text, finding.place());
    add_story_lines(text, "because", finding.message.view());
  }
  return text;
}

std::string verdict_in_code(const void* story, std::string_view label) {
  const auto& code = *static_cast<const CodeStory*>(story);
  return verdict_words(code.labels, code.others, label);
}

}  // namespace

Result<std::string> why(const report::EvidenceReport& report, std::string_view field, const knowledge::Knowledge& knowledge) {
  std::string text;
  for (const Finding& finding : report.evidence.findings) {
    if (finding.id() != field) continue;
    text += fmt::format("{}: {} {}{}{}\n", name_of(finding.type->layer), field,
                        finding.fires()      ? "holds"
                        : finding.is_clear() ? "does not hold"
                                             : "is inconclusive",
                        finding.kernel.view().empty() ? "" : " in ", printable(finding.kernel.view()));
    add_place(text, finding.place());
    add_story_lines(text, "rule", finding.type->where);
    add_story_lines(text, "", finding.type->rule);
    add_code_evidence(text, finding);
    for (const std::string_view missing : finding.missing) add_story_lines(text, "missing", missing);
  }
  if (text.empty()) return unknown_field(field, knowledge.metrics.nearest_id(field));
  return text + "One file alone tells more of its own layer.\n";
}

CodeStory story_of(const report::PtxReport& report, std::string file) {
  const diagnose::PtxDiagnosis& ptx = report.diagnosis;
  return {"ptx", std::move(file), ptx.findings, ptx.labels, ptx.others, ptx.asked, &ptx.run, &report.advice};
}

Result<std::string> why(std::span<const CodeStory> code, std::string_view field, const knowledge::Knowledge& knowledge) {
  std::string text, absent;
  for (const CodeStory& one : code) {
    std::string story = rule_found(one, field);
    if (story.empty()) story = label_of_code(one, field);
    if (story.empty()) story = fact_of_code(one, field, knowledge);
    if (story.empty()) story = card_of_findings(one, field);
    if (story.empty() && one.advice) story = recommendation_story(*one.advice, one.of, field, knowledge, verdict_in_code, &one);
    if (story.empty()) absent += rule_not_found(one, field, knowledge);
    text += story;
  }
  if (text.empty()) text = absent;
  if (!text.empty()) return text;
  return unknown_field(field, {});
}

}  // namespace frx::analyse
