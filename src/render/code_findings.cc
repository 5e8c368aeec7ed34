#include "render/code_findings.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "render/json.h"

namespace frx::render {
namespace {

using model::CodeFinding;
using model::Severity;
using model::TextPlace;

Json number_or_null(std::uint32_t number) { return number == 0 ? Json(nullptr) : Json(number); }

void add_place(const TextPlace& place, Json& json) {
  json["filename"] = place.file;
  json["line"] = number_or_null(place.line);
  json["column"] = number_or_null(place.column);
  json["source_file"] = text_or_null(place.source_file);
  json["source_line"] = number_or_null(place.source_line);
}

Json place_json(const TextPlace& place) {
  Json json = object_for(5);
  add_place(place, json);
  return json;
}

}  // namespace

std::string place_text(const TextPlace& place) {
  std::string text = printable(file_name_in(place.file));
  if (place.line > 0) text += fmt::format(":{}", place.line);
  if (place.line > 0 && place.column > 0) text += fmt::format(":{}", place.column);
  if (place.source_line > 0) text += fmt::format(" ({}:{})", printable(file_name_in(place.source_file)), place.source_line);
  return text;
}

void add_findings(Page& page, std::span<const CodeFinding> findings, std::size_t limit) {
  const std::size_t shown = std::min(limit, findings.size());
  page.section("FINDINGS", shown, findings.size());
  if (findings.empty()) page.paragraph("None.");
  std::set<std::string_view> said;
  for (const CodeFinding& finding : findings.first(shown)) {
    const std::string severity(name_of(finding.severity));
    page.hanging(fmt::format("[{}] ", to_upper(severity)), finding.code, 2, tone_of_priority(severity), Tone::bold);
    std::string where = place_text(finding.place);
    if (!finding.more_places.empty()) where += fmt::format(" and {} more", finding.more_places.size());
    if (!finding.kernel.empty()) where = fmt::format("[{}] {}", clip(printable(readable_symbol(finding.kernel)), page.width() / 2), where);
    page.paragraph(where, 4, Tone::dim);
    page.paragraph(finding.message, 4);
    if (!finding.snippet.empty()) page.raw("      " + page.paint(Tone::dim, clip(printable(trim(finding.snippet)), page.width() - 6)));
    if (said.insert(finding.code).second) page.hanging("Do: ", finding.suggestion, 4);  // the same for each of its kind
  }
}

void add_labels(Page& page, std::span<const diagnose::CodeLabelFinding> labels) {
  for (const diagnose::CodeLabelFinding& label : labels) {
    page.hanging(fmt::format("{:.2f}  ", label.score),
                 fmt::format("{} ({}, {}): {}", label.display, label.id, name_of(label.proof), label.evidence));
  }
}

Json finding_json(const CodeFinding& finding) {
  Json json = object_for(20);
  json["severity"] = name_of(finding.severity);
  json["code"] = finding.code;
  json["kind"] = finding.code;
  json["category"] = finding.category;
  json["confidence"] = finding.confidence;
  json["message"] = finding.message;
  json["suggestion"] = text_or_null(finding.suggestion);
  json["how_to_disprove"] = text_or_null(finding.refute);
  json["kernel_name"] = text_or_null(finding.kernel);
  json["kernel"] = text_or_null(finding.kernel);
  add_place(finding.place, json);
  json["more_places"] = Json::array();
  for (const TextPlace& place : finding.more_places) json["more_places"].push_back(place_json(place));
  json["snippet"] = text_or_null(finding.snippet);
  json["recommendations"] = Json::array();
  for (const std::string_view id : finding.recommendations) json["recommendations"].push_back(id);
  json["rule"] = finding.rule_place;
  return json;
}

Json findings_json(std::span<const CodeFinding> findings) {
  Json list = Json::array();
  for (const CodeFinding& finding : findings) list.push_back(finding_json(finding));
  return list;
}

}  // namespace frx::render
