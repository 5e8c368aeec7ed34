#include <algorithm>

#include "analyse/why_stories.h"
#include "analyse/why_words.h"
#include "base/text.h"
#include "base/units.h"

namespace frx::analyse {
namespace {

using model::Finding;

std::string quantity(double value, std::string_view unit) { return unit.empty() ? format_number(value) : format_quantity(value, unit); }

// The entry of a fact in data/facts/run.yaml; empty for another name.
Value fact_entry(const knowledge::Knowledge& knowledge, std::string_view id) {
  const Value facts = knowledge.library.file("data/facts/run.yaml")["facts"];
  for (std::size_t i = 0; i < facts.size(); ++i) {
    if (facts.item(i)["id"].text() == id) return facts.item(i);
  }
  return {};
}

std::optional<model::RunFact> fact_called(std::string_view id) {
  for (std::size_t i = 0; i < model::run_fact_count; ++i) {
    if (model::run_fact_names[i].name == id) return static_cast<model::RunFact>(i);
  }
  return std::nullopt;
}

std::string fact_story(const RunStory& run, std::string_view id, const knowledge::Knowledge& knowledge) {
  const std::optional<model::RunFact> fact = fact_called(id);
  if (!fact) return {};
  const std::optional<double>& value = run.scope->facts[*fact];
  const std::string_view unit = model::run_fact_names[static_cast<std::size_t>(*fact)].unit;
  std::string text = value ? fmt::format("{}: {} = {}\n", run.of, id, quantity(*value, unit))
                           : fmt::format("{}: {} is not in this recording\n", run.of, id);
  add_story_lines(text, "from", fmt::format("{} steps, {}", run.scope->step_numbers.size(), run.scope->name));
  add_story_lines(text, "meaning", fact_entry(knowledge, id)["meaning"].text());
  return text;
}

void add_label_rule(std::string& text, const Finding& finding) {
  add_story_lines(text, "rule", finding.type->where);
  add_story_lines(text, "", finding.type->rule);
}

void add_evidence(std::string& text, const Finding& finding) {
  for (const model::Evidence& line : finding.evidence) {
    text += line.is_known ? fmt::format("  because  {} = {}\n", line.value.id, quantity(line.value.value(), line.value.unit))
                          : fmt::format("  unknown  {}\n", line.value.id);
  }
}

std::string label_story(const RunStory& run, std::string_view id) {
  const diagnose::TrainingDiagnosis& diagnosis = run.scope->diagnosis;
  std::string text;
  if (const Finding* finding = model::find_finding(diagnosis.findings, id)) {
    text = fmt::format("{}: {} holds with score {:.2f}{}\n", run.of, id, finding->score, diagnosis.primary == id ? ", and leads" : "");
    add_label_rule(text, *finding);
    add_evidence(text, *finding);
    add_story_lines(text, "in words", finding->message.view());
  } else if (const Finding* other = model::find_finding(diagnosis.others, id)) {
    text = fmt::format("{}: {} {}\n", run.of, id,
                       other->is_clear() ? "does not hold: what was recorded rules it out"
                                         : "is inconclusive: the recording does not hold what decides it");
    add_label_rule(text, *other);
    add_evidence(text, *other);
    for (const std::string_view missing : other->missing) add_story_lines(text, "missing", missing);
  }
  return text;
}

std::string confidence_story(const RunStory& run) {
  const diagnose::TrainingDiagnosis& diagnosis = run.scope->diagnosis;
  std::string text = fmt::format("{}: confidence {} ({:.2f})\n", run.of, diagnosis.confidence_level, diagnosis.confidence);
  add_story_lines(text, "because", diagnosis.confidence_reason);
  return text;
}

std::string verdict_in_run(const void* scope, std::string_view label) {
  const auto& diagnosis = static_cast<const report::RunScope*>(scope)->diagnosis;
  return verdict_words(diagnosis.findings, diagnosis.others, label);
}

std::string_view nearest_in_run(const RunStory& run, std::string_view field) {
  std::vector<std::string_view> names;
  for (const model::RunFactName& fact : model::run_fact_names) names.push_back(fact.name);
  for (const auto* list : {&run.scope->diagnosis.findings, &run.scope->diagnosis.others}) {
    for (const Finding& finding : *list) names.push_back(finding.id());
  }
  return nearest(field, names);
}

}  // namespace

Result<std::string> why(std::span<const RunStory> run, std::string_view field, const knowledge::Knowledge& knowledge) {
  std::string text;
  for (const RunStory& one : run) {
    std::string_view id = field;
    if (id == "primary_bottleneck" || id == "primary") id = one.scope->diagnosis.primary;
    std::string story = fact_story(one, id, knowledge);
    if (story.empty()) story = label_story(one, id);
    if (story.empty() && id == "confidence") story = confidence_story(one);
    if (story.empty()) story = recommendation_story(one.scope->advice, one.of, id, knowledge, verdict_in_run, one.scope);
    text += story;
  }
  if (!text.empty()) return text;
  return unknown_field(field, run.empty() ? std::string_view() : nearest_in_run(run.front(), field));
}

}  // namespace frx::analyse
