#include "support/ncu_report_from_yaml.h"

#include <algorithm>

#include "support/base64.h"
#include "support/ncu_report_yaml.h"

namespace frx::testing {
namespace {

using namespace report_yaml;

Result<ReportSource> source(Value from) {
  TRY(check_keys(from, {"reference", "sm", "ptx", "cubin", "functions", "files"}));
  ReportSource result{.ptx = std::string(from["ptx"].text()), .files = text_pairs(from["files"])};
  TRY_ASSIGN(result.reference, integer(from["reference"], 0));
  const std::string_view sm = from["sm"].text();
  const std::size_t point = std::min(sm.find('.'), sm.size());
  result.sm_major = static_cast<std::uint32_t>(whole_number(sm.substr(0, point)).value_or(0));
  result.sm_minor = static_cast<std::uint32_t>(whole_number(sm.substr(std::min(point + 1, sm.size()))).value_or(0));
  TRY_ASSIGN(result.cubin, from_base64(from["cubin"].text()));
  for (std::size_t i = 0; i < from["functions"].size(); ++i) {
    TRY_ASSIGN(const std::uint64_t address, integer(from["functions"].value(i)));
    result.functions.emplace_back(from["functions"].key(i), address);
  }
  return result;
}

// {name: NVIDIA A100, cc: 8.0, attributes: {multiprocessor_count: 108}}
Result<ReportDevice> device(Value from) {
  TRY(check_keys(from, {"id", "name", "cc", "attributes"}));
  const std::string prefix = "device__attribute_";
  ReportDevice result;
  TRY_ASSIGN(const std::uint64_t id, integer(from["id"], 0));
  result.id = static_cast<std::uint32_t>(id);
  result.name = from["name"].text();
  result.attributes.emplace_back(prefix + "display_name", result.name);
  if (const std::string_view cc = from["cc"].text(); cc.find('.') != cc.npos) {
    result.attributes.emplace_back(prefix + "compute_capability_major", plain_value(cc.substr(0, cc.find('.'))));
    result.attributes.emplace_back(prefix + "compute_capability_minor", plain_value(cc.substr(cc.find('.') + 1)));
  }
  for (std::size_t i = 0; i < from["attributes"].size(); ++i) {
    TRY_ASSIGN(ReportValue value, report_value(from["attributes"].value(i)));
    result.attributes.emplace_back(prefix + std::string(from["attributes"].key(i)), std::move(value));
  }
  return result;
}

Result<std::optional<ReportProcess>> process(Value from, std::optional<ReportProcess> otherwise) {
  if (!from) return otherwise;
  if (from.text() == "none") return std::optional<ReportProcess>();
  TRY(check_keys(from, {"id", "name", "host", "windows"}));
  ReportProcess result = otherwise.value_or(ReportProcess{});
  TRY_ASSIGN(result.id, integer(from["id"], result.id));
  if (from["name"]) result.name = from["name"].text();
  if (from["host"]) result.host = from["host"].text();
  if (flag(from["windows"])) result.name += '\0';
  return std::optional(result);
}

// The tool tells facts of the session one by one, most of them after the first result.
Result<std::vector<ReportSession>> session_parts(Value from) {
  std::vector<ReportSession> parts;
  if (from["device"]) {
    TRY_ASSIGN(ReportDevice one, device(from["device"]));
    parts.push_back({.devices = {std::move(one)}});
  }
  for (auto& version : text_pairs(from["versions"])) parts.push_back({.versions = {std::move(version)}});
  if (const std::string tool(from["tool"].text()); !tool.empty()) {
    const bool bare = tool.find(' ') == tool.npos;
    parts.push_back({.versions = {{"Nsight Compute Target", bare ? tool + " (build 1) (public-release)" : tool}}});
  }
  if (from["command_line"]) parts.push_back({.command_line = std::string(from["command_line"].text())});
  return parts;
}

class Report {
 public:
  explicit Report(Value from) : from_(from) {}

  Result<std::string> bytes() {
    TRY(check_keys(from_, {"tool", "versions", "device", "process", "created", "command_line", "sources", "launches", "late_names",
                           "session_first", "grid_in_threads", "unknown_fields", "cut_at"}));
    TRY_ASSIGN(process_, process(from_["process"], ReportProcess{4711, "127.0.0.1", "app"}));
    TRY_ASSIGN(session_, session_parts(from_));
    TRY(add_start());
    for (std::size_t i = 0; i < from_["sources"].size(); ++i) {
      TRY_ASSIGN(ReportSource one, source(from_["sources"].item(i)));
      add({.sources = {std::move(one)}});
    }
    if (flag(from_["session_first"])) add_session();
    for (std::size_t i = 0; i < from_["launches"].size(); ++i) {
      TRY(add_launch(from_["launches"].item(i), i));
      add_session();
    }
    add_session();
    return cut(writer_.bytes());
  }

 private:
  void add(ReportBlock block) {
    if (!block.process) block.process = process_;
    block.unknown_fields = flag(from_["unknown_fields"]);
    writer_.add(block);
  }

  Result<> add_start() {
    ReportSession start{.host_os = "Linux", .host_name = "private-host"};
    TRY_ASSIGN(start.created, integer(from_["created"], 1'700'000'000));
    add({.session = start});
    return {};
  }

  // Once, however often it is called.
  void add_session() {
    for (ReportSession& part : session_) add({.session = std::move(part), .names_come_later = has_late_names()});
    session_.clear();
  }

  bool has_late_names() const { return !from_["late_names"].texts().empty(); }

  // What the profiler knows of the device stands in every launch too.
  Result<> add_attributes(ReportLaunch& to) {
    if (!from_["device"]) return {};
    TRY_ASSIGN(const ReportDevice one, device(from_["device"]));
    for (const auto& [name, value] : one.attributes) {
      if (find_metric(to, name) == nullptr) to.metrics.push_back({.name = name, .value = value});
    }
    return {};
  }

  // With late names, the first launch declares the others and the end of the file what is left.
  Result<> add_launch(Value from, std::size_t ordinal) {
    TRY_ASSIGN(ReportLaunch one, launch(from, ordinal));
    one.grid_in_threads = flag(from_["grid_in_threads"]);
    one.unknown_fields = flag(from_["unknown_fields"]);
    TRY(add_attributes(one));
    ReportBlock block{.results = {std::move(one)}, .late_names = texts(from_["late_names"])};
    block.names_come_later = has_late_names() && ordinal > 0;
    TRY_ASSIGN(block.process, process(from["process"], process_));
    add(std::move(block));
    return {};
  }

  // As a download that broke off.
  Result<std::string> cut(std::string bytes) const {
    TRY_ASSIGN(const std::uint64_t size, integer(from_["cut_at"], bytes.size()));
    return bytes.substr(0, size);
  }

  Value from_;
  NcuReportWriter writer_;
  std::optional<ReportProcess> process_;
  std::vector<ReportSession> session_;
};

}  // namespace

Result<std::string> ncu_report_from_yaml(const std::string& name, const std::string& yaml) {
  TRY_ASSIGN(const Document document, parse_yaml(name, yaml));
  const DocumentView view = document.view();
  return Report(Value(view)).bytes();
}

}  // namespace frx::testing
