#include <algorithm>

#include "support/ncu_report_yaml.h"

namespace frx::testing::report_yaml {
namespace {

// "axpy" of "void blas::axpy<float>(float *, int)".
std::string function_of(std::string_view kernel) {
  kernel = kernel.substr(0, kernel.find_first_of("<("));
  const std::size_t before = kernel.find_last_of(" :");
  return std::string(before == kernel.npos ? kernel : kernel.substr(before + 1));
}

// Kernels that say nothing of their parameters (extern "C", cuBLAS) have no demangled name.
void set_names(Value from, ReportLaunch& launch) {
  const std::string_view kernel = from["kernel"].text();
  const auto text_or = [&](std::string_view key, std::string otherwise) {
    return from[key] ? std::string(from[key].text()) : std::move(otherwise);
  };
  launch.function = text_or("function", function_of(kernel));
  launch.mangled = text_or("mangled", launch.function);
  launch.demangled = text_or("demangled", std::string(kernel.find('(') == kernel.npos ? "" : kernel));
}

Result<std::vector<ReportInstance>> instances(Value map) {
  std::vector<ReportInstance> result;
  for (std::size_t i = 0; i < map.size(); ++i) {
    TRY_ASSIGN(ReportValue value, report_value(map.value(i)));
    result.push_back({plain_value(map.key(i)), std::move(value)});
  }
  return result;
}

// Whole when all of them are.
ReportValue sum_of(const std::vector<ReportInstance>& instances) {
  double sum = 0;
  std::uint64_t whole = 0;
  bool all_whole = true;
  for (const ReportInstance& instance : instances) {
    const auto* integer = std::get_if<std::uint64_t>(&instance.value);
    const auto* real = std::get_if<double>(&instance.value);
    if (integer == nullptr && real == nullptr) return {};
    all_whole = all_whole && integer != nullptr;
    whole += integer != nullptr ? *integer : 0;
    sum += integer != nullptr ? static_cast<double>(*integer) : *real;
  }
  return all_whole ? ReportValue(whole) : ReportValue(sum);
}

Result<> add_metrics(Value from, ReportLaunch& launch) {
  const Value metrics = from["metrics"], with_instances = from["instances"];
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    TRY_ASSIGN(ReportValue value, report_value(metrics.value(i)));
    launch.metrics.push_back({.name = std::string(metrics.key(i)), .value = std::move(value)});
  }
  for (std::size_t i = 0; i < with_instances.size(); ++i) {
    TRY_ASSIGN(std::vector<ReportInstance> parts, instances(with_instances.value(i)));
    ReportMetric* metric = find_metric(launch, with_instances.key(i));
    if (metric == nullptr) {
      metric = &launch.metrics.emplace_back(ReportMetric{.name = std::string(with_instances.key(i)), .value = sum_of(parts)});
    }
    metric->instances = std::move(parts);
  }
  for (const std::string& name : texts(from["series"])) {
    ReportMetric* metric = find_metric(launch, name);
    if (metric == nullptr) return wrong(from["series"], "'{}' is no metric of the launch", name);
    metric->kind = 1;
  }
  return {};
}

// [SpeedOfLight] or {SpeedOfLight: GPU Speed Of Light Throughput}
std::vector<ReportSection> sections(Value from) {
  std::vector<ReportSection> result;
  for (const auto& [identifier, name] : text_pairs(from)) result.push_back({identifier, name});
  if (!from.is_map()) {
    for (const std::string& identifier : texts(from)) result.push_back({identifier, identifier});
  }
  return result;
}

Result<ReportMessage> message(Value from) {
  static const std::pair<std::string_view, ReportMessage::Type> types[] = {
      {"", ReportMessage::optimization}, {"opt", ReportMessage::optimization}, {"inf", ReportMessage::information},
      {"wrn", ReportMessage::warning},   {"err", ReportMessage::error},        {"none", ReportMessage::none}};
  const std::string_view word = from["type"].text();
  const auto* const type = std::find_if(std::begin(types), std::end(types), [&](const auto& one) { return one.first == word; });
  if (type == std::end(types)) return wrong(from["type"], "expected opt, inf, wrn, err or none, found '{}'", word);
  return ReportMessage{std::string(from["text"].text()), type->second, std::string(from["title"].text())};
}

// {local: 12.5} or {global: 30}
Result<> set_speedup(Value from, ReportRule& rule) {
  if (!from) return {};
  TRY(check_keys(from, {"local", "global"}));
  rule.speedup = from["local"] ? ReportRule::local : ReportRule::global;
  TRY_ASSIGN(rule.speedup_pct, real(from.value(0)));
  return {};
}

// {metric: value} or [{metric: , value: , severity: , advice: }]
Result<std::vector<ReportFocus>> focus(Value from) {
  std::vector<ReportFocus> result;
  for (std::size_t i = 0; from.is_map() && i < from.size(); ++i) {
    TRY_ASSIGN(const double value, real(from.value(i)));
    result.push_back({std::string(from.key(i)), value});
  }
  for (std::size_t i = 0; from.is_list() && i < from.size(); ++i) {
    const Value one = from.item(i);
    TRY(check_keys(one, {"metric", "value", "severity", "advice"}));
    TRY_ASSIGN(const double value, real(one["value"]));
    TRY_ASSIGN(const std::uint64_t severity, integer(one["severity"], 2));
    result.push_back({std::string(one["metric"].text()), value, static_cast<std::uint32_t>(severity), std::string(one["advice"].text())});
  }
  return result;
}

// {0x10: "uncoalesced"}
Result<std::vector<ReportMarker>> markers(Value from) {
  std::vector<ReportMarker> result;
  for (std::size_t i = 0; i < from.size(); ++i) {
    const auto address = whole_number(from.key(i));
    if (!address) return wrong(from.value(i), "expected an address, found '{}'", from.key(i));
    result.push_back({*address, std::string(from.value(i).text())});
  }
  return result;
}

Result<ReportRule> rule(Value from) {
  TRY(check_keys(from, {"id", "name", "section", "text", "type", "title", "messages", "speedup", "focus", "markers"}));
  ReportRule result{.identifier = std::string(from["id"].text()),
                    .name = std::string(from["name"].text()),
                    .section = std::string(from["section"].text())};
  if (from["text"]) {
    TRY_ASSIGN(ReportMessage one, message(from));
    result.messages.push_back(std::move(one));
  }
  for (std::size_t i = 0; i < from["messages"].size(); ++i) {
    TRY(check_keys(from["messages"].item(i), {"text", "type", "title"}));
    TRY_ASSIGN(ReportMessage one, message(from["messages"].item(i)));
    result.messages.push_back(std::move(one));
  }
  TRY(set_speedup(from["speedup"], result));
  TRY_ASSIGN(result.focus, focus(from["focus"]));
  TRY_ASSIGN(result.markers, markers(from["markers"]));
  return result;
}

// [outer, inner] in the default domain, or {domain: [outer, inner]}
ReportNvtx::Ranges ranges(Value from) {
  ReportNvtx::Ranges result;
  if (from.is_list() || from.is_text()) result.emplace_back("", texts(from));
  for (std::size_t i = 0; from.is_map() && i < from.size(); ++i) result.emplace_back(from.key(i), texts(from.value(i)));
  return result;
}

void set_nvtx(Value from, ReportLaunch& launch) {
  const Value pushed = from["nvtx"], started = from["nvtx_started"];
  if (pushed || started) launch.nvtx = ReportNvtx{ranges(pushed), ranges(started)};
}

// [{function: , module: }] or [main, run], innermost first
void set_host_stack(Value from, ReportLaunch& launch) {
  for (std::size_t i = 0; i < from.size(); ++i) {
    const Value frame = from.item(i);
    launch.host_stack.push_back(
        {std::string(frame.is_text() ? frame.text() : frame["function"].text()), std::string(frame["module"].text())});
  }
}

}  // namespace

ReportMetric* find_metric(ReportLaunch& launch, std::string_view name) {
  const auto found = std::find_if(launch.metrics.begin(), launch.metrics.end(), [&](const ReportMetric& one) { return one.name == name; });
  return found == launch.metrics.end() ? nullptr : &*found;
}

Result<ReportLaunch> launch(Value from, std::uint64_t ordinal) {
  TRY(check_keys(from, {"kernel",    "function", "mangled",  "demangled", "grid",   "block",        "context",
                        "stream",    "thread",   "call",     "created",   "source", "process",      "metrics",
                        "instances", "series",   "sections", "rules",     "nvtx",   "nvtx_started", "host_stack"}));
  ReportLaunch result;
  set_names(from, result);
  TRY_ASSIGN(result.grid, xyz(from["grid"], result.grid));
  TRY_ASSIGN(result.block, xyz(from["block"], result.block));
  TRY_ASSIGN(result.context, optional_integer(from, "context", 1));
  TRY_ASSIGN(result.stream, optional_integer(from, "stream", 7));
  TRY_ASSIGN(result.thread, integer(from["thread"], 4711));
  TRY_ASSIGN(result.call, integer(from["call"], ordinal));
  TRY_ASSIGN(result.created, integer(from["created"], 0));
  TRY_ASSIGN(result.source, integer(from["source"], 0));
  TRY(add_metrics(from, result));
  result.sections = sections(from["sections"]);
  for (std::size_t i = 0; i < from["rules"].size(); ++i) {
    TRY_ASSIGN(ReportRule one, rule(from["rules"].item(i)));
    result.rules.push_back(std::move(one));
  }
  set_nvtx(from, result);
  set_host_stack(from["host_stack"], result);
  return result;
}

}  // namespace frx::testing::report_yaml
