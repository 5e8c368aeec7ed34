// SARIF 2.1.0 (OASIS, "Static Analysis Results Interchange Format") and the annotations of GitHub Actions.

#include <map>

#include "base/text.h"
#include "compose/code_findings.h"
#include "compose/json.h"

namespace frx::compose {
namespace {

using model::CodeFinding;
using model::Severity;
using model::TextPlace;

std::string_view level_of(Severity severity) {
  switch (severity) {
    case Severity::high: return "error";
    case Severity::medium: return "warning";
    case Severity::low: return "note";
  }
  return "none";
}

// "uncoalesced_access" as people say it: "Uncoalesced access".
std::string title_of(std::string_view code) {
  std::string title(code);
  for (char& c : title) c = c == '_' ? ' ' : c;
  if (!title.empty() && title[0] >= 'a' && title[0] <= 'z') title[0] = static_cast<char>(title[0] - 32);
  return title;
}

// RFC 3986: what is not unreserved, and no '/', becomes %XX.
std::string uri_of(std::string_view path) {
  constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/";
  std::string uri = path.starts_with('/') ? "file://" : "";
  for (const char c : path) {
    if (plain.find(c) != plain.npos)
      uri += c;
    else
      uri += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return uri;
}

Json location_json(const TextPlace& place) {
  Json physical{{"artifactLocation", {{"uri", uri_of(place.file)}}}};
  if (place.line > 0) {
    Json region{{"startLine", place.line}};
    if (place.column > 0) region["startColumn"] = place.column;
    if (place.end_line >= place.line && place.end_column > 0) {
      region["endLine"] = place.end_line;
      region["endColumn"] = place.end_column;
    }
    physical["region"] = std::move(region);
  }
  return {{"physicalLocation", std::move(physical)}};
}

Json rule_json(const CodeFinding& finding) {
  Json rule{
      {"id", finding.code}, {"name", title_of(finding.code)}, {"shortDescription", {{"text", title_of(finding.code)}}}};
  if (!finding.suggestion.empty()) rule["help"] = {{"text", finding.suggestion}};
  rule["defaultConfiguration"] = {{"level", level_of(finding.severity)}};
  rule["properties"] = {{"category", finding.category}, {"precision", finding.confidence}};
  return rule;
}

Json result_json(const CodeFinding& finding, std::size_t rule) {
  Json result{{"ruleId", finding.code},
              {"ruleIndex", rule},
              {"level", level_of(finding.severity)},
              {"message", {{"text", finding.message}}}};
  Json location = location_json(finding.place);
  if (!finding.kernel.empty())
    location["logicalLocations"] = Json::array({{{"name", finding.kernel}, {"kind", "function"}}});
  result["locations"] = Json::array({std::move(location)});
  if (!finding.more_places.empty()) {
    Json related = Json::array();
    for (const TextPlace& place : finding.more_places) related.push_back(location_json(place));
    result["relatedLocations"] = std::move(related);
  }
  return result;
}

// Values of an annotation's properties, and its message: the escapes of the runner.
std::string escaped(std::string_view text, bool is_property) {
  std::string result;
  for (const char c : text) {
    if (c == '%')
      result += "%25";
    else if (c == '\r')
      result += "%0D";
    else if (c == '\n')
      result += "%0A";
    else if (is_property && c == ':')
      result += "%3A";
    else if (is_property && c == ',')
      result += "%2C";
    else
      result += c;
  }
  return result;
}

std::string_view command_of(Severity severity) {
  switch (severity) {
    case Severity::high: return "error";
    case Severity::medium: return "warning";
    case Severity::low: return "notice";
  }
  return "notice";
}

}  // namespace

Json sarif_json(std::span<const CodeFinding> findings, std::span<const FailedFile> failed, std::string_view version) {
  Json rules = Json::array(), results = Json::array(), notices = Json::array();
  std::map<std::string_view, std::size_t> index;
  for (const CodeFinding& finding : findings) {
    const auto [rule, is_new] = index.emplace(finding.code, rules.size());
    if (is_new) rules.push_back(rule_json(finding));
    results.push_back(result_json(finding, rule->second));
  }
  for (const FailedFile& file : failed) {
    TextPlace place;
    place.file = file.path;
    notices.push_back({{"level", "error"},
                       {"message", {{"text", file.message}}},
                       {"locations", Json::array({location_json(place)})}});
  }
  Json driver{{"name", "frx"}, {"fullName", "Fournex"}, {"semanticVersion", version}, {"rules", std::move(rules)}};
  Json invocation{{"executionSuccessful", failed.empty()}, {"toolExecutionNotifications", std::move(notices)}};
  Json run{{"tool", {{"driver", std::move(driver)}}},
           {"invocations", Json::array({std::move(invocation)})},
           {"columnKind", "utf16CodeUnits"},
           {"results", std::move(results)}};
  return {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
          {"version", "2.1.0"},
          {"runs", Json::array({std::move(run)})}};
}

std::string github_text(std::span<const CodeFinding> findings, std::span<const FailedFile> failed) {
  std::string text;
  for (const CodeFinding& finding : findings) {
    text += fmt::format("::{} file={}", command_of(finding.severity), escaped(finding.place.file, true));
    if (finding.place.line > 0) text += fmt::format(",line={}", finding.place.line);
    if (finding.place.line > 0 && finding.place.column > 0) text += fmt::format(",col={}", finding.place.column);
    const std::string in = finding.kernel.empty() ? "" : " (kernel " + printable(finding.kernel) + ")";
    const std::string advice = finding.suggestion.empty() ? "" : "\n" + std::string(finding.suggestion);
    text += fmt::format(",title={}::{}\n", escaped(finding.code, true), escaped(finding.message + in + advice, false));
  }
  for (const FailedFile& file : failed)
    text += fmt::format("::error file={}::{}\n", escaped(file.path, true), escaped(file.message, false));
  return text;
}

}  // namespace frx::compose
