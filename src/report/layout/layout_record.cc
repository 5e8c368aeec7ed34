#include "report/layout/layout_record.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/safe_text.h"
#include "base/text.h"
#include "report/operators/json_members.h"

namespace frx::report {
namespace {

// A count of some copies says nothing beside one of all.
void forget_partial_copies(LayoutRecordTotals& totals) {
  totals.contiguous_calls.reset();
  totals.copies.reset();
  totals.layout_time_us.reset();
  totals.time_overhead_pct.reset();
}

using LayoutJson = nlohmann::json;

constexpr std::size_t most_findings = 100'000;
constexpr std::string_view layout_schema = "layout.v1";

// Takes members of known types; the first that is of another one is the problem.
class LayoutRecordReader {
 public:
  explicit LayoutRecordReader(std::string_view name) : name_(name) {}

  Result<LayoutRecord> read(const LayoutJson& root) {
    LayoutRecord record;
    record.file = name_;
    take(root, "", "model", record.model);
    take(root, "", "gpu", record.gpu);
    if (const LayoutJson* const trace = member(root, "", "trace")) read_trace(*trace, record);
    if (const LayoutJson* const totals = member(root, "", "totals")) read_totals(*totals, record.totals);
    for_each(root, "findings", [&](const LayoutJson& one, const std::string& at) { record.findings.push_back(finding_of(one, at)); });
    for_each(root, "not_assessed",
             [&](const LayoutJson& one, const std::string& at) { take(one, at, "detector", record.not_assessed.emplace_back()); });
    if (!problem_.empty()) return fail(ErrorKind::malformed, "{}", problem_).at(std::string(name_));
    return record;
  }

 private:
  void refuse(const std::string& where, std::string_view expected, const LayoutJson& found) {
    if (problem_.empty()) problem_ = fmt::format("{}: expected {}, found {}", printable(where), expected, words_of(found));
  }
  static std::string words_of(const LayoutJson& value) {
    if (value.is_string()) return "a text";
    if (value.is_number()) return value.dump();
    if (value.is_boolean()) return "true or false";
    return value.is_array() ? "a list" : value.is_object() ? "an object" : "null";
  }
  static std::string path(const std::string& at, std::string_view key) {
    return at.empty() ? std::string(key) : fmt::format("{}.{}", at, key);
  }

  // nullptr where it is absent or null, or there is no object that it could be of.
  const LayoutJson* value_at(const LayoutJson& object, const char* key) {
    if (!object.is_object()) return nullptr;
    const auto at = object.find(key);
    return at == object.end() || at->is_null() ? nullptr : &*at;
  }
  // The same of an object.
  const LayoutJson* member(const LayoutJson& object, const std::string& at, const char* key) {
    const LayoutJson* const value = value_at(object, key);
    if (value == nullptr || value->is_object()) return value;
    refuse(path(at, key), "an object", *value);
    return nullptr;
  }
  void take(const LayoutJson& object, const std::string& at, const char* key, std::string& into) {
    const LayoutJson* const value = value_at(object, key);
    if (value == nullptr) return;
    if (!value->is_string()) return refuse(path(at, key), "a text", *value);
    into = value->get<std::string>();
  }
  void take(const LayoutJson& object, const std::string& at, const char* key, bool& into) {
    const LayoutJson* const value = value_at(object, key);
    if (value == nullptr) return;
    if (!value->is_boolean()) return refuse(path(at, key), "true or false", *value);
    into = value->get<bool>();
  }
  void take(const LayoutJson& object, const std::string& at, const char* key, std::optional<double>& into) {
    const LayoutJson* const value = value_at(object, key);
    if (value == nullptr) return;
    const double number = value->is_number() ? value->get<double>() : -1;
    if (!(number >= 0) || !std::isfinite(number)) return refuse(path(at, key), "a number from 0 on", *value);
    into = number;
  }
  void take(const LayoutJson& object, const std::string& at, const char* key, std::uint64_t& into) {
    std::optional<double> number;
    take(object, at, key, number);
    if (number && *number > static_cast<double>(largest_whole)) return refuse(path(at, key), "a count", *value_at(object, key));
    if (number) into = static_cast<std::uint64_t>(*number);
  }

  template <typename Each>
  void for_each(const LayoutJson& root, const char* key, Each each) {
    const LayoutJson* const list = value_at(root, key);
    if (list == nullptr) return;
    if (!list->is_array() || list->size() > most_findings) return refuse(key, "a list of objects", *list);
    for (std::size_t i = 0; i < list->size() && problem_.empty(); ++i) {
      const std::string at = fmt::format("{}[{}]", key, i);
      (*list)[i].is_object() ? each((*list)[i], at) : refuse(at, "an object", (*list)[i]);
    }
  }

  void read_trace(const LayoutJson& trace, LayoutRecord& record) {
    take(trace, "trace", "name", record.trace);
    take(trace, "trace", "sha256", record.sha256);
    take(trace, "trace", "level", record.level);
    take(trace, "trace", "cpu_only", record.is_cpu_only);
    if (value_at(trace, "steps") != nullptr) take(trace, "trace", "steps", record.steps.emplace());
  }

  void read_totals(const LayoutJson& totals, LayoutRecordTotals& into) {
    const std::string at = "totals";
    take(totals, at, "contiguous_calls_per_step", into.contiguous_calls);
    take(totals, at, "copies_per_step", into.copies);
    take(totals, at, "layout_bytes_per_step", into.layout_bytes);
    take(totals, at, "bytes_per_step", into.bytes);
    take(totals, at, "layout_time_us_per_step", into.layout_time_us);
    take(totals, at, "gpu_time_us_per_step", into.gpu_time_us);
    take(totals, at, "bw_overhead_pct", into.bw_overhead_pct);
    take(totals, at, "time_overhead_pct", into.time_overhead_pct);
    take(totals, at, "coverage_pct", into.coverage_pct);
    bool is_partial = false;
    take(totals, at, "copies_partial", is_partial);
    if (is_partial) forget_partial_copies(into);
  }

  void read_site(const LayoutJson& site, const std::string& at, LayoutRecordSite& into) {
    take(site, at, "module", into.module);
    take(site, at, "file", into.file);
    take(site, at, "line", into.line);
    take(site, at, "function", into.function);
    take(site, at, "op_path", into.op_path);
    take(site, at, "beside", into.beside);
    take(site, at, "shapes", into.shapes);
    take(site, at, "text", into.text);
    take(site, at, "backward", into.backward);
  }

  void take_best(const LayoutJson& saving, const std::string& at, const char* key, std::optional<double>& into) {
    if (const LayoutJson* const share = member(saving, at, key)) take(*share, path(at, key), "best", into);
  }

  LayoutRecordFinding finding_of(const LayoutJson& one, const std::string& at) {
    LayoutRecordFinding finding;
    take(one, at, "id", finding.id);
    take(one, at, "detector", finding.detector);
    take(one, at, "pattern", finding.pattern);
    take(one, at, "title", finding.title);
    take(one, at, "risk", finding.risk);
    if (finding.detector.empty() && problem_.empty()) problem_ = fmt::format("{}.detector: expected the id of a detector", at);
    std::string severity;
    take(one, at, "severity", severity);
    finding.severity = severity_of(severity, path(at, "severity"));
    if (const LayoutJson* const site = member(one, at, "site")) read_site(*site, path(at, "site"), finding.site);
    take(one, at, "freq_per_step", finding.freq);
    take(one, at, "bytes_per_step", finding.bytes);
    take(one, at, "time_us_per_step", finding.time_us);
    take(one, at, "confidence", finding.confidence);
    if (const LayoutJson* const fix = member(one, at, "fix")) take(*fix, path(at, "fix"), "text", finding.fix);
    if (const LayoutJson* const saving = member(one, at, "saving")) {
      take_best(*saving, path(at, "saving"), "bytes_pct", finding.best_bytes_pct);
      take_best(*saving, path(at, "saving"), "time_pct", finding.best_time_pct);
    }
    return finding;
  }

  LayoutSeverity severity_of(std::string_view word, const std::string& at) {
    for (const LayoutSeverity severity : {LayoutSeverity::low, LayoutSeverity::medium, LayoutSeverity::high}) {
      if (word == name_of(severity)) return severity;
    }
    if (problem_.empty()) problem_ = fmt::format("{}: expected LOW, MEDIUM or HIGH, found '{}'", at, printable(clip(word, 40)));
    return LayoutSeverity::low;
  }

  std::string_view name_;
  std::string problem_;
};

}  // namespace

Result<LayoutRecord> read_layout_record(std::string_view name, std::string_view json) {
  const LayoutJson root = LayoutJson::parse(json, nullptr, false);
  const LayoutJson* object = &root;
  if (text_of(root, "schema").empty()) {
    if (const LayoutJson* const result = object_in(&root, "result")) object = result;
  }
  if (text_of(*object, "schema") != layout_schema) {
    return fail(ErrorKind::malformed, "expected a report of layouts, an object with \"schema\": \"{}\"", layout_schema)
        .at(std::string(name))
        .hint("frx layout analyze TRACE --json writes one");
  }
  return LayoutRecordReader(name).read(*object);
}

LayoutRecord record_of(const LayoutReport& report) {
  LayoutRecord record;
  record.file = report.source;
  record.model = report.model;
  record.trace = report.source;
  record.sha256 = report.sha256;
  record.gpu = report.gpu;
  record.level = fmt::format("L{}", static_cast<int>(report.level));
  record.steps = report.totals.steps;
  record.is_cpu_only = report.is_cpu_only;
  const LayoutTotals& totals = report.totals;
  record.totals = {totals.contiguous_calls, totals.copies,          totals.layout_bytes,      totals.bytes,       totals.layout_time_us,
                   totals.busy_us,          totals.bw_overhead_pct, totals.time_overhead_pct, totals.coverage_pct};
  if (!totals.knows_copies) forget_partial_copies(record.totals);
  for (const LayoutFinding& finding : report.findings) {
    const derive::layout::Site& site = finding.site;
    LayoutRecordFinding one;
    one.id = finding.id;
    one.detector = finding.detector;
    one.pattern = finding.pattern;
    one.title = finding.title;
    one.fix = finding.fix;
    one.risk = finding.risk;
    one.severity = finding.severity;
    one.site = {site.module, site.file, site.function, site.op_path, site.beside, site.shapes, site.text(), site.line, site.backward};
    one.freq = finding.freq_per_step;
    one.bytes = finding.bytes_per_step;
    one.time_us = finding.time_us_per_step;
    if (finding.saved_bytes_pct) one.best_bytes_pct = finding.saved_bytes_pct->best;
    if (finding.saved_time_pct) one.best_time_pct = finding.saved_time_pct->best;
    one.confidence = finding.confidence;
    record.findings.push_back(std::move(one));
  }
  for (const NotAssessed& one : report.not_assessed) record.not_assessed.push_back(one.detector);
  return record;
}

}  // namespace frx::report
