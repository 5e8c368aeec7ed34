#include "compose/code_findings.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "compose/payloads.h"

namespace frx::compose {
namespace {

using model::CodeFinding;
using model::TextPlace;

answer::Place scanned(const TextPlace& place) { return {place.file, place.line, place.column, place.end_line, place.end_column}; }

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

void add_findings(Document& page, std::span<const CodeFinding> findings, std::size_t limit) {
  const std::size_t shown = std::min(limit, findings.size());
  page.section("Findings", shown, findings.size());
  if (findings.empty()) page.paragraph("None.");
  std::set<std::string_view> said;
  for (const CodeFinding& finding : findings.first(shown)) {
    const std::string severity(name_of(finding.severity));
    page.hanging(fmt::format("[{}] ", to_upper(severity)), finding.code, 2, tone_of_priority(severity), Tone::bold);
    Text where = as_name(place_text(finding.place));
    if (!finding.more_places.empty()) where = where + fmt::format(" and {} more", finding.more_places.size());
    if (!finding.kernel.empty()) where = "[" + as_name(readable_symbol(finding.kernel), Fit::half) + "] " + where;
    page.paragraph(where, 4, Tone::dim);
    page.paragraph(finding.message, 4);
    if (!finding.snippet.empty()) page.source_line(trim(finding.snippet), 6);
    if (said.insert(finding.code).second) page.hanging("Do: ", finding.suggestion, 4);  // the same for each of its kind
  }
}

void add_labels(Document& page, std::span<const diagnose::CodeLabelFinding> labels) {
  for (const diagnose::CodeLabelFinding& label : labels) {
    page.hanging(fmt::format("{:.2f}  ", label.score),
                 fmt::format("{} ({}, {}): {}", label.display, label.id, name_of(label.proof), label.evidence));
  }
}

void put_finding(JsonObject& out, const CodeFinding& finding) {
  out.add("severity", name_of(finding.severity), "code", finding.code, "kind", finding.code, "category", finding.category, "confidence",
          finding.confidence, "message", finding.message, "suggestion", unless_empty(finding.suggestion), "how_to_disprove",
          unless_empty(finding.refute), "kernel_name", unless_empty(finding.kernel), "kernel", unless_empty(finding.kernel));
  put_place(out, finding.place);
  out.list("more_places", finding.more_places, put_place);
  out.add("snippet", unless_empty(finding.snippet), "recommendations", finding.recommendations, "rule", finding.rule_place);
}

answer::Issue issue_of(const CodeFinding& finding) {
  answer::Issue issue{.rule = finding.code,
                      .category = finding.category,
                      .severity = name_of(finding.severity),
                      .confidence = finding.confidence,
                      .message = finding.message,
                      .advice = finding.suggestion,
                      .kernel = finding.kernel,
                      .place = scanned(finding.place),
                      .more_places = {}};
  for (const TextPlace& place : finding.more_places) issue.more_places.push_back(scanned(place));
  return issue;
}

}  // namespace frx::compose
