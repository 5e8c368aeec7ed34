#include "compose/code_findings.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "compose/finding_members.h"
#include "compose/json.h"

namespace frx::compose {
namespace {

using model::CodeFinding;
using model::Severity;
using model::TextPlace;

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
  JsonTree out(json);
  put_finding(out, finding);
  return json;
}

Json findings_json(std::span<const CodeFinding> findings) {
  Json list = Json::array();
  for (const CodeFinding& finding : findings) list.push_back(finding_json(finding));
  return list;
}

}  // namespace frx::compose
