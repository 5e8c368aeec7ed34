// The report as one JSON document, frx_ncu_report_v0 (data/schemas): one metric a line, so that the difference of two
// reports can be read.
//
//   {"schema": "frx_ncu_report_v0", "source": "report.ncu-rep",
//    "launches": [{"id": 0, "kernel": {...}, "metrics": {"gpu__time_duration.sum":{"value":5120,"unit":"ns"}, ...}}],
//    "sources": [...], "session": {...}, "totals": {...}}

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "convert/json_lines.h"
#include "convert/launch_writer.h"
#include "ingest/ncu_report/rule_text.h"

namespace frx::convert {
namespace {

using Json = nlohmann::ordered_json;

// What is kept of the sources until the launches are written; real reports hold a few kilobytes of it.
constexpr std::size_t max_source_bytes = std::size_t{64} << 20;

std::string line(const Json& value) { return value.dump(-1, ' ', true, Json::error_handler_t::replace); }

Json text_or_null(std::string_view text) { return text.empty() ? Json(nullptr) : Json(printable(text)); }
Json number_or_null(bool known, std::uint64_t number) { return known ? Json(number) : Json(nullptr); }

std::string capability(const std::optional<model::ComputeCapability>& cc) {
  return cc ? json_string(fmt::format("{}.{}", cc->major, cc->minor)) : "null";
}

std::string_view message_type(std::uint64_t type) {
  constexpr std::string_view types[] = {"none", "information", "warning", "error", "optimization"};
  return type < std::size(types) ? types[type] : "none";
}

Json speedup(const nsight::RuleMessage& message) {
  if (message.speedup_type == 0) return nullptr;
  return {{"type", message.speedup_type == 1   ? "local"
                   : message.speedup_type == 2 ? "global"
                                               : "other"},
          {"percent", message.estimated_speedup_pct}};
}

Json rule_json(const nsight::Rule& rule) {
  Json json = {{"id", printable(rule.identifier)}, {"name", printable(rule.name)}, {"section", text_or_null(rule.section)}};
  json["messages"] = Json::array();
  for (const nsight::RuleMessage& message : rule.messages) {
    json["messages"].push_back({{"type", message_type(message.type)},
                                {"title", text_or_null(message.title)},
                                {"text", printable(nsight::plain_rule_text(message.text))},
                                {"estimated_speedup", speedup(message)}});
  }
  json["focus"] = Json::array();
  for (const nsight::RuleFocus& focus : rule.focus) {
    json["focus"].push_back({{"metric", printable(focus.metric)}, {"value", focus.value}, {"advice", text_or_null(focus.advice)}});
  }
  json["markers"] = Json::array();
  for (const nsight::RuleMarker& marker : rule.markers) {
    json["markers"].push_back({{"address", marker.address}, {"text", printable(nsight::plain_rule_text(marker.text))}});
  }
  return json;
}

Json host_functions(std::string_view message) {
  Json functions = Json::array();
  for (const nsight::HostFrame& frame : nsight::read_host_stack(message)) functions.push_back(text_or_null(frame.function));
  return functions;
}

Json nvtx_ranges(std::string_view message) {
  Json ranges = Json::array();
  for (const std::string& range : nsight::read_nvtx(message)) ranges.push_back(printable(range));
  return ranges;
}

class JsonWriter : public LaunchWriter {
 public:
  explicit JsonWriter(const Request& request) : with_instances_(request.instances), source_(request.source) {}

  void begin(std::string& text) override {
    text +=
        fmt::format("{{\n  \"schema\": \"frx_ncu_report_v0\",\n  \"source\": {},\n  \"launches\": [", json_string(file_name_in(source_)));
  }

  void launch(const ChosenLaunch& launch, std::string& text) override {
    text += any_ ? ",\n    " : "\n    ";
    any_ = true;
    JsonLines members(text, "{}", 2);
    add_identity(launch, members);
    members.member("sections");
    add_sections(launch.launch, text);
    members.member("metrics");
    add_metrics(launch, text);
    members.member("nsight_rules");
    add_rules(launch.launch, text);
    members.member("source_reference", line(number_or_null(launch.launch.source != 0, launch.launch.source)));
  }

  // A reference may come twice: first with the code, later with the addresses of its functions.
  void source(const nsight::SourceData& source) override {
    if (source_bytes_ > max_source_bytes) return void(++sources_left_out_);
    Json& kept = sources_[source.reference];
    if (kept.is_null())
      kept = {{"reference", source.reference}, {"compute_capability", nullptr}, {"cubin_bytes", 0}, {"ptx_bytes", 0},
              {"functions", Json::array()},    {"files", Json::array()}};
    if (source.sm_major > 0) kept["compute_capability"] = fmt::format("{}.{}", source.sm_major, source.sm_minor);
    if (!source.cubin.empty()) kept["cubin_bytes"] = source.cubin.size();
    if (!source.ptx.empty()) kept["ptx_bytes"] = source.ptx.size();
    for (const nsight::SourceData::Function& function : source.functions) {
      kept["functions"].push_back({{"name", printable(function.mangled)}, {"address", function.address}});
      source_bytes_ += function.mangled.size() + 64;
    }
    for (const nsight::SourceData::File& file : source.files) {
      kept["files"].push_back({{"path", text_or_null(file_name_in(file.path))}, {"bytes", file.text.size()}});
      source_bytes_ += file.path.size() + 64;
    }
    source_bytes_ += 256;
  }

  void finish(const nsight::ReportSummary& summary, std::string& text) override {
    text += any_ ? "\n  ],\n  \"sources\": " : "],\n  \"sources\": ";
    {
      JsonLines items(text, "[]", 1);
      for (const auto& [reference, json] : sources_) {
        items.item();
        text += line(json);
      }
    }
    text += fmt::format(",\n  \"session\": {},\n  \"totals\": {}\n}}\n", line(session(summary.session)), line(totals(summary.totals)));
  }

 private:
  static void add_identity(const ChosenLaunch& launch, JsonLines& members) {
    const nsight::Launch& it = launch.launch;
    const bool ran = !launch.identity.without_threads;
    members.member("id", line(launch.id));
    members.member("process_id", line(number_or_null(launch.process != 0, launch.process)));
    members.member("thread_id", line(number_or_null(it.thread != 0, it.thread)));
    members.member("kernel",
                   line({{"name", launch.kernel()}, {"function", text_or_null(it.function)}, {"mangled", text_or_null(it.mangled)}}));
    members.member("grid", ran ? line(launch.identity.grid) : "null");
    members.member("block", ran ? line(it.block) : "null");
    members.member("cluster", launch.identity.cluster ? line(*launch.identity.cluster) : "null");
    members.member("context", line(number_or_null(it.has_context, it.context)));
    members.member("stream", line(number_or_null(it.has_stream, it.stream)));
    members.member("device", line(launch.identity.device));
    members.member("compute_capability", capability(launch.identity.cc));
    members.member("created", line(number_or_null(it.created != 0, it.created)));
    members.member("nvtx", line(nvtx_ranges(it.nvtx)));
    members.member("host_stack", line(host_functions(it.host_stack)));
  }

  static void add_sections(const nsight::Launch& launch, std::string& text) {
    JsonLines items(text, "[]", 3);
    for (const std::string_view message : launch.sections) {
      const nsight::Section section = nsight::read_section(message);
      items.item();
      text += line({{"id", printable(section.identifier)}, {"name", text_or_null(section.name)}});
    }
  }

  void add_metrics(const ChosenLaunch& launch, std::string& text) {
    JsonLines members(text, "{}", 3);
    for (const nsight::MetricResult* metric : launch.metrics) {
      const Wording& wording = wording_of(metric->name, launch.counters[metric->name]);
      members.item();
      text += wording.before;
      append_json(text, metric->value);
      text += wording.after;
      if (metric->kind == 1) text += ",\"kind\":\"series\"";
      if (with_instances_ && metric->has_instances) add_instances(*metric, text);
      text += '}';
    }
  }

  static void add_instances(const nsight::MetricResult& metric, std::string& text) {
    text += ",\"instances\":[";
    bool first = true;
    for (const nsight::Instance& instance : nsight::instances_of(metric)) {
      text += first ? "[" : ",[";
      first = false;
      append_json(text, instance.correlation);
      text += ',';
      append_json(text, instance.value);
      text += ']';
    }
    text += ']';
  }

  static void add_rules(const nsight::Launch& launch, std::string& text) {
    JsonLines items(text, "[]", 3);
    for (const std::string_view message : launch.rules) {
      const nsight::Rule rule = nsight::read_rule(message);
      if (!rule.fired()) continue;
      items.item();
      text += line(rule_json(rule));
    }
  }

  static Json session(const nsight::SessionFacts& facts) {
    Json json = {{"tool_version", text_or_null(facts.tool_version())}, {"versions", Json::object()}, {"devices", Json::array()}};
    for (const auto& [provider, version] : facts.versions) json["versions"][provider] = version;
    for (const nsight::Device& device : facts.devices) json["devices"].push_back({{"id", device.id}, {"name", text_or_null(device.name)}});
    json["created"] = number_or_null(facts.created != 0, facts.created);
    return json;
  }

  Json totals(const nsight::Totals& totals) const {
    return {{"blocks", totals.blocks},
            {"sources", totals.sources},
            {"results", totals.results},
            {"passed_over", totals.passed_over},
            {"unnamed_values", totals.unnamed_values},
            {"unknown_fields", totals.unknown_fields},
            {"sources_left_out", sources_left_out_}};
  }

  // The JSON around the values of one name: computed once.
  struct Wording {
    std::string before, after;
  };
  const Wording& wording_of(std::uint32_t id, const Counter& counter) {
    if (id >= wordings_.size()) wordings_.resize(std::size_t{id} + 1);
    Wording& wording = wordings_[id];
    if (wording.before.empty()) {
      wording.before = json_string(counter.name) + ":{\"value\":";
      wording.after = ",\"unit\":" + (counter.unit ? json_string(*counter.unit) : "null");
    }
    return wording;
  }

  bool with_instances_;
  std::string source_;
  bool any_ = false;
  std::vector<Wording> wordings_;
  std::map<std::uint64_t, Json> sources_;
  std::size_t source_bytes_ = 0;
  std::uint64_t sources_left_out_ = 0;
};

}  // namespace

std::unique_ptr<LaunchWriter> json_writer(const Request& request) { return std::make_unique<JsonWriter>(request); }

}  // namespace frx::convert
