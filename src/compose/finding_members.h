// What JSON says about a finding of static analysis, for either way of writing it (json_members.h).
#pragma once

#include <optional>

#include "compose/json_members.h"
#include "report/code_report.h"

namespace frx::compose {

inline std::optional<std::uint32_t> unless_zero(std::uint32_t number) { return number == 0 ? std::nullopt : std::optional(number); }

template <typename Out>
void put_place(Out& out, const model::TextPlace& place) {
  out.member("filename", place.file);
  out.member("line", unless_zero(place.line));
  out.member("column", unless_zero(place.column));
  out.member("source_file", unless_empty(place.source_file));
  out.member("source_line", unless_zero(place.source_line));
}

// The documented fields and their aliases (kind, kernel), and where it shows.
template <typename Out>
void put_finding(Out& out, const model::CodeFinding& finding) {
  out.member("severity", name_of(finding.severity));
  out.member("code", finding.code);
  out.member("kind", finding.code);
  out.member("category", finding.category);
  out.member("confidence", finding.confidence);
  out.member("message", finding.message);
  out.member("suggestion", unless_empty(finding.suggestion));
  out.member("how_to_disprove", unless_empty(finding.refute));
  out.member("kernel_name", unless_empty(finding.kernel));
  out.member("kernel", unless_empty(finding.kernel));
  put_place(out, finding.place);
  out.list("more_places", finding.more_places, [](auto& inner, const model::TextPlace& place) { put_place(inner, place); });
  out.member("snippet", unless_empty(finding.snippet));
  out.member("recommendations", finding.recommendations);
  out.member("rule", finding.rule_place);
}

}  // namespace frx::compose
