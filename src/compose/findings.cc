#include "compose/findings.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "compose/payloads.h"

namespace frx::compose {
namespace {

using model::Finding;
using model::Layer;
using model::TextPlace;

// "./a.cu" is a.cu to a scanner, which knows files as the repository does.
std::string_view without_dot(std::string_view path) {
  while (path.starts_with("./")) path.remove_prefix(2);
  return path;
}

answer::Place scanned(const TextPlace& place) {
  return {without_dot(place.file), place.line, place.column, place.end_line, place.end_column};
}

void put_place(JsonObject& out, const TextPlace& place) {
  out.add("filename", place.file, "line", unless_zero(place.line), "column", unless_zero(place.column), "source_file",
          unless_empty(place.source_file), "source_line", unless_zero(place.source_line));
}

}  // namespace

std::string place_text(const TextPlace& place) {
  std::string text = printable(file_name_in(place.file));
  if (place.line > 0) text += fmt::format(":{}", place.line);
  if (place.line > 0 && place.column > 0) text += fmt::format(":{}", place.column);
  if (place.source_line > 0) text += fmt::format(" ({}:{})", printable(file_name_in(place.source_file)), place.source_line);
  return text;
}

void add_findings(Document& page, std::span<const Finding> findings, std::size_t limit, std::string_view none) {
  const std::size_t shown = std::min(limit, findings.size());
  page.section("Findings", shown, findings.size());
  if (findings.empty()) page.paragraph(none);
  std::set<std::string_view> said;
  for (const Finding& finding : findings.first(shown)) {
    const std::string severity(name_of(finding.severity));
    page.hanging(fmt::format("[{}] ", to_upper(severity)), finding.id(), 2, tone_of_priority(severity), Tone::bold);
    Text where = as_name(place_text(finding.place()));
    if (!finding.more_places().empty()) where = where + fmt::format(" and {} more", finding.more_places().size());
    if (!finding.kernel.empty()) where = "[" + as_name(readable_symbol(finding.kernel), Fit::half) + "] " + where;
    page.paragraph(where, 4, Tone::dim);
    page.paragraph(finding.message.view(), 4);
    if (!finding.snippet.empty()) page.source_line(trim(finding.snippet), 6);
    if (said.insert(finding.id()).second) page.hanging("Do: ", finding.type->suggestion, 4);  // the same for each of its kind
  }
}

std::string evidence_words(const model::Finding& finding) {
  if (finding.verdict == model::Verdict::cannot_tell) return "";
  if (finding.is_clear()) return "measured, and it does not hold";
  if (finding.type->category == report::layout_category) return std::string(finding.message.view());
  if (finding.type->layer == Layer::profiler) return fmt::format("score {:.2f}", finding.score);
  if (is_code(finding.type->layer) && finding.places.empty()) return std::string(finding.message.view());
  const TextPlace& place = finding.place();
  if (is_code(finding.type->layer)) return place.line == 0 ? "" : fmt::format("{}:{}", printable(file_name_in(place.file)), place.line);
  std::vector<std::string> words;
  for (const model::Evidence& evidence : finding.evidence) {
    if (words.size() < 2) words.push_back(fmt::format("{} {:.4g} {}", evidence.value.label, evidence.value.value(), evidence.value.unit));
  }
  return join(words, ", ");
}

std::string_view severity_of(const model::Finding* label) {
  if (!label) return "unknown";
  return label->score >= 0.6 ? "high" : label->score >= 0.3 ? "medium" : "low";
}

void add_labels(Document& page, std::span<const model::Finding> labels) {
  for (const model::Finding& label : labels) {
    page.hanging(fmt::format("{:.2f}  ", label.score),
                 fmt::format("{} ({}, {}): {}", label.display(), label.id(), name_of(label.proof), label.message.view()));
  }
}

void put_finding(JsonObject& out, const Finding& finding) {
  out.add("severity", name_of(finding.severity), "code", finding.id(), "kind", finding.id(), "category", finding.type->category,
          "confidence", finding.confidence, "message", finding.message, "suggestion", unless_empty(finding.type->suggestion),
          "how_to_disprove", unless_empty(finding.type->refute), "kernel_name", unless_empty(finding.kernel), "kernel",
          unless_empty(finding.kernel));
  put_place(out, finding.place());
  if (!finding.more_kernels.empty()) out.add("more_kernels", finding.more_kernels);
  out.list("more_places", finding.more_places(), put_place);
  out.add("snippet", unless_empty(finding.snippet), "recommendations", finding.recommendations, "rule", finding.type->where);
  if (finding.type->layer == Layer::source) out.add("tier", finding.tier == model::Tier::by_default ? "default" : "pedantic");
}

answer::KnownBy known_by(model::Reach reach) {
  switch (reach) {
    case model::Reach::line: return answer::KnownBy::line;
    case model::Reach::file: return answer::KnownBy::file;
    case model::Reach::analysis: return answer::KnownBy::rule;
  }
  return {};
}

answer::Issue issue_of(const Finding& finding) {
  answer::Issue issue{.rule = finding.id(),
                      .category = finding.type->category,
                      .severity = name_of(finding.severity),
                      .confidence = finding.confidence,
                      .message = finding.message,
                      .advice = finding.type->suggestion,
                      .kernel = finding.kernel,
                      .place = scanned(finding.place()),
                      .more_places = {},
                      .snippet = finding.snippet,
                      .known_by = known_by(finding.reach)};
  for (const TextPlace& place : finding.more_places()) issue.more_places.push_back(scanned(place));
  return issue;
}

}  // namespace frx::compose
