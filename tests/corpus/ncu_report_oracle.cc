#include "corpus/ncu_report_oracle.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "base/text.h"
#include "ingest/ncu_report/rule_text.h"

namespace frx::corpus {
namespace {

namespace fs = std::filesystem;
using namespace ingest::nsight;
using Json = nlohmann::json;

constexpr std::size_t max_differences = 8;

// A number inside a sentence of a rule, and the metric it was taken from.
struct Quotation {
  std::regex pattern;
  std::string_view metric;
};

const std::vector<Quotation>& quotations() {
  static const std::vector<Quotation> all = {
      {std::regex(R"(theoretical(?: occupancy)? \(([0-9.]+)%\))"), "sm__maximum_warps_per_active_cycle_pct"},
      {std::regex(R"(measured achieved occupancy \(([0-9.]+)%\))"), "sm__warps_active.avg.pct_of_peak_sustained_active"},
      {std::regex(R"(average of ([0-9.]+) active warps per scheduler)"), "smsp__warps_active.avg.per_cycle_active"},
      {std::regex(R"(average of ([0-9.]+) warps were eligible)"), "smsp__warps_eligible.avg.per_cycle_active"},
      {std::regex(R"(average of ([0-9.]+) threads being active)"), "smsp__thread_inst_executed_per_inst_executed.ratio"},
      {std::regex(R"(reduced to ([0-9.]+) threads per warp due to predication)"),
       "smsp__thread_inst_executed_pred_on_per_inst_executed.ratio"},
      {std::regex(R"(execute only ([0-9]+) blocks?, which)"), "launch__grid_size"},
      {std::regex(R"(GPU's ([0-9]+) multiprocessors)"), "device__attribute_multiprocessor_count"},
      {std::regex(R"(only ([0-9.]+) full waves)"), "launch__waves_per_multiprocessor"},
  };
  return all;
}

bool equals(const MetricValue& value, const Json& expected) {
  switch (value.kind) {
    case MetricValue::Kind::absent: return expected.is_null();
    case MetricValue::Kind::text: return expected.is_string() && expected.get<std::string>() == value.text;
    default: break;
  }
  if (std::isnan(value.number())) return expected == "nan" || expected == "NaN" || expected.is_null();
  return expected.is_number() && expected.get<double>() == value.number();
}

class Checker : public ReportConsumer {
 public:
  Checker(const std::vector<std::string>* rows, ReportCheck& check) : rows_(rows), check_(check) {}

  Result<> launch(const Launch& launch, std::uint64_t process, const StringTable& names) override {
    const std::size_t index = check_.launches++;
    std::map<std::string_view, const MetricResult*> metrics;
    for (const MetricResult& metric : launch.metrics) {
      ++check_.values;
      check_.absent_values += metric.value.kind == MetricValue::Kind::absent;
      if (metric.has_instances) check_.instances += instances_of(metric).size();
      // The last of equal names holds, as in the oracle.
      const MetricResult*& known = metrics[names[metric.name]];
      if (!known || metric.value.kind != MetricValue::Kind::absent) known = &metric;
    }
    check_.failed_launches += launch.block[0] == 0;
    check_rules(launch, metrics);
    if (rows_ && index < rows_->size()) check_row(launch, process, metrics, Json::parse((*rows_)[index]));
    return {};
  }
  Result<> source(const SourceData&) override { return {}; }

 private:
  using Metrics = std::map<std::string_view, const MetricResult*>;

  void check_rules(const Launch& launch, const Metrics& metrics) {
    for (const std::string_view message : launch.rules) {
      const Rule rule = read_rule(message);
      check_.fired_rules += rule.fired();
      for (const RuleFocus& focus : rule.focus) check_focus(rule, focus, metrics);
      for (const RuleMessage& said : rule.messages) check_text(plain_rule_text(said.text), metrics);
    }
  }

  void check_focus(const Rule& rule, const RuleFocus& focus, const Metrics& metrics) {
    const auto found = metrics.find(focus.metric);
    if (found == metrics.end() || !found->second->value.is_number()) return;
    const double value = found->second->value.number();
    const bool same = value == focus.value || (std::isnan(value) && std::isnan(focus.value));
    check_.focus.add(same);
    if (!same) differ(fmt::format("focus of {}: {} = {} beside {}", rule.identifier, focus.metric, value, focus.value));
  }

  void check_text(const std::string& text, const Metrics& metrics) {
    for (const Quotation& quotation : quotations()) {
      std::smatch match;
      if (!std::regex_search(text, match, quotation.pattern)) continue;
      const auto found = metrics.find(quotation.metric);
      if (found == metrics.end() || !found->second->value.is_number()) continue;
      const bool same = rounds_to(found->second->value.number(), match[1]);
      check_.quoted.add(same);
      if (!same) differ(fmt::format("{} = {} quoted as {}", quotation.metric, found->second->value.number(), match[1].str()));
    }
  }

  void check_row(const Launch& launch, std::uint64_t process, const Metrics& metrics, const Json& row) {
    std::vector<std::string> wrong;
    const auto expect = [&](bool same, const char* what) {
      if (!same) wrong.push_back(what);
    };
    expect(row["func"] == launch.function, "function");
    expect(row["demangled"] == launch.demangled, "demangled name");
    expect(row["mangled"] == launch.mangled, "mangled name");
    expect(row["grid_field10"] == Json(launch.work), "grid");
    expect(row["block"] == Json(launch.block), "block");
    expect(row["ctx"].is_null() ? !launch.has_context : row["ctx"] == launch.context, "context");
    expect(row["stream"].is_null() ? !launch.has_stream : row["stream"] == launch.stream, "stream");
    expect(row["pid"].is_null() || row["pid"] == process, "process");
    expect(row["n_metrics"] == metrics.size(), "number of distinct metrics");
    expect(row["sections"] == Json(sections_of(launch)), "sections");
    expect(row["rules_fired"] == Json(fired(launch)), "fired rules");
    for (const auto& [name, value] : row["metrics"].items()) {
      const auto found = metrics.find(name);
      const bool same = found == metrics.end() ? value.is_null() : equals(found->second->value, value);
      check_.oracle_values.add(same);
      expect(same, name.c_str());
    }
    check_.oracle_launches.add(wrong.empty());
    if (!wrong.empty()) differ(fmt::format("launch {}: {}", row["i"].dump(), join(wrong, ", ")));
  }

  static std::set<std::string> sections_of(const Launch& launch) {
    std::set<std::string> ids;
    for (const std::string_view message : launch.sections) ids.emplace(read_section(message).identifier);
    return ids;
  }

  static std::vector<std::string> fired(const Launch& launch) {
    std::vector<std::string> ids;
    for (const std::string_view message : launch.rules) {
      const Rule rule = read_rule(message);
      if (rule.fired()) ids.emplace_back(rule.identifier);
    }
    return ids;
  }

  void differ(std::string text) {
    if (check_.differences.size() < max_differences) check_.differences.push_back(std::move(text));
  }

  const std::vector<std::string>* rows_;
  ReportCheck& check_;
};

}  // namespace

bool rounds_to(double value, const std::string& printed) {
  const std::size_t point = printed.find('.');
  const double half = 0.5 * std::pow(10.0, point == printed.npos ? 0.0 : -static_cast<double>(printed.size() - point - 1));
  return std::abs(value - std::stod(printed)) <= half * (1 + 1e-9);
}

Oracle read_oracle(const fs::path& corpus) {
  Oracle oracle;
  std::ifstream file(corpus / "ncurep" / "oracle.jsonl");
  for (std::string line; std::getline(file, line);) {
    const Json row = Json::parse(line);
    oracle[row["file"].get<std::string>()].push_back(line);
  }
  return oracle;
}

std::vector<fs::path> report_files(const fs::path& corpus) {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(corpus / "ncurep")) {
    if (entry.path().extension() != ".jsonl") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

Result<ReportCheck> check_report(const fs::path& path, const Oracle& oracle) {
  TRY_ASSIGN(const std::unique_ptr<ByteSource> source, open_file(path.string()));
  const auto rows = oracle.find(path.filename().string());
  ReportCheck check;
  Checker checker(rows == oracle.end() ? nullptr : &rows->second, check);
  TRY_ASSIGN(check.summary, read_report(*source, checker));
  return check;
}

}  // namespace frx::corpus
