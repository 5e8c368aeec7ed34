// --why FIELD: the story of one number or label of a report.

#include <algorithm>

#include "base/text.h"
#include "base/units.h"
#include "cli/analysis.h"
#include "cli/json_output.h"

namespace frx::cli {
namespace {

std::string id_of(std::string_view field, const knowledge::MetricTables& tables) {
  if (const std::size_t dot = field.rfind('.'); dot != field.npos) field = field.substr(dot + 1);
  if (const std::string_view id = tables.metric_called(field); !id.empty()) return std::string(id);
  if (field.starts_with("avg_")) field.remove_prefix(4);
  return std::string(field);
}

void add_value(std::string& text, std::string_view of, const report::Value& value, const report::SourceFile& file) {
  text += fmt::format("{}: {} = {}\n", of, value.id, format_quantity(value.value(), value.unit));
  text += fmt::format("  from     {}\n", source_text(value, file));
  if (!value.counter.empty()) text += fmt::format("  counter  {}\n", value.counter);
  bool first = true;
  for (const std::string& line : wrap(value.meaning, 66)) {
    text += (first ? "  meaning  " : "           ") + line + "\n";
    first = false;
  }
}

// " [ncu_occupancy_low_pct = 40 %]", of those that the condition mentions; "" without any.
std::string thresholds_in(const model::FindingType& type, const knowledge::Thresholds& thresholds) {
  std::vector<std::string> said;
  for (const std::string_view name : type.thresholds) {
    const knowledge::Threshold& threshold = thresholds.all()[*thresholds.find(name)];
    said.push_back(fmt::format("{} = {}", name, format_quantity(threshold.value, to_string(threshold.unit.dimension))));
  }
  return said.empty() ? "" : fmt::format(" [{}]", join(said, ", "));
}

void add_finding(std::string& text, std::string_view of, const model::Finding& finding, const report::NcuReport& report) {
  text += fmt::format("{}: {} holds with score {:.2f}\n", of, finding.id(), finding.score);
  text += fmt::format("  rule     {}\n", finding.type->where);
  for (const std::string& line : wrap(std::string(finding.type->rule) + thresholds_in(*finding.type, report.thresholds), 66))
    text += "           " + line + "\n";
  if (!finding.consequence_of.empty()) text += fmt::format("  weighed  a third, as a consequence of {}\n", finding.consequence_of);
  for (const model::Evidence& line : finding.evidence) {
    text += fmt::format("  because  {} = {} ({})\n", line.value.id, format_quantity(line.value.value(), line.value.unit),
                        source_text(line.value, report.file()));
  }
}

template <typename Owner>
void add_all(std::string& text, std::string_view of, const Owner& owner, const std::string& id, const report::NcuReport& report) {
  if (const report::Value* value = owner.value(id)) add_value(text, of, *value, report.file());
  for (const model::Finding& finding : owner.findings) {
    if (finding.id() == id) add_finding(text, of, finding, report);
  }
}

std::string not_measured(const knowledge::Knowledge& knowledge, const std::string& id) {
  if (const auto metric = knowledge.metrics.with_id(id)) {
    const knowledge::MetricDefinition& definition = knowledge.metrics[*metric];
    std::string text = fmt::format("{} was not measured in this file and cannot be computed from it.\n", id);
    if (!definition.ncu.empty()) {
      text += fmt::format("  collect  ncu --csv --log-file more.csv --metrics {} ./your_app\n", definition.ncu.front());
    }
    return text;
  }
  return {};
}

// A label that does not lead and is not among those found: ruled out by what was measured, or not told by it.
std::string label_not_found(const report::NcuReport& report, const knowledge::Knowledge& knowledge, const std::string& id) {
  const knowledge::Label* label = knowledge.labels.with_id(id);
  if (!label) return {};
  const auto other = std::ranges::find(report.others, id, &model::Finding::id);
  const bool is_clear = other != report.others.end() && other->verdict == model::Verdict::clear;
  std::string text = id + (is_clear ? " does not hold: what was measured rules it out.\n" : " cannot be told from this file.\n");
  text += fmt::format("  rule     {}\n", label->where);
  for (const std::string& line : wrap(std::string(label->rule) + thresholds_in(*label, report.thresholds), 66))
    text += "           " + line + "\n";
  if (other != report.others.end() && !other->missing.empty()) {
    text += fmt::format("  collect  ncu --csv --log-file more.csv --metrics {} ./your_app\n", fmt::join(other->missing, ","));
  }
  return text;
}

Result<std::string> why(const report::NcuReport& report, const std::string& field, const knowledge::Knowledge& knowledge) {
  std::string id = id_of(field, knowledge.tables);
  if (id == "primary_bottleneck" || id == "primary") id = report.primary;
  std::string text;
  add_all(text, "run", report, id, report);
  constexpr std::size_t max_kernels = 20;
  if (report.kernels.size() > 1) {
    for (std::size_t i = 0; i < report.kernels.size() && i < max_kernels; ++i) {
      add_all(text, shorten(report.kernels[i].short_name, 40), report.kernels[i], id, report);
    }
  }
  if (text.empty()) text = not_measured(knowledge, id);
  if (text.empty()) text = label_not_found(report, knowledge, id);
  if (!text.empty()) return text;
  return fail(ErrorKind::usage, "--why: no field, metric or label is called '{}'", printable(field))
      .hint(fmt::format("the nearest name is '{}'", knowledge.metrics.nearest_id(id)));
}

}  // namespace

Result<> expect_format_of_why(std::string_view command, std::string_view format) {
  if (format == "text" || format == "json") return {};
  return fail(ErrorKind::usage, "{}: --why prints text or json, not {}", command, format);
}

Result<int> tell_why(const report::NcuReport& report, const std::string& field, const knowledge::Knowledge& knowledge,
                     std::string_view format, Io& io) {
  TRY_ASSIGN(const std::string story, why(report, field, knowledge));
  if (format == "json") {
    write_json(io, "why", {{"field", field}, {"text", story}});
  } else {
    io.out.write(story);
  }
  return 0;
}

}  // namespace frx::cli
