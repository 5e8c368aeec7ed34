// The tall table of Nsight Compute's details page, with the raw names of the metrics and base units:
//
//   "ID","Process ID",...,"Kernel Name",...,"CC","Section Name","Metric Name","Metric Unit","Metric Value",...
//   "0","4711",...,"axpy(float *)",...,"8.0","Command line profiler metrics","gpu__time_duration.sum","ns","5120",...
//   "0","4711",...,"axpy(float *)",...,"8.0","SpeedOfLight","","","","SOLBottleneck","OPT","Look at ...","global","12.5"
//
// Names of programs and hosts stay empty: they are private.

#include <cmath>
#include <map>

#include "base/text.h"
#include "convert/launch_writer.h"
#include "convert/value_text.h"
#include "ingest/ncu_report/rule_text.h"

namespace frx::convert {
namespace {

constexpr std::string_view header =
    R"("ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC",)"
    R"("Section Name","Metric Name","Metric Unit","Metric Value","Rule Name","Rule Type","Rule Description",)"
    R"("Estimated Speedup Type","Estimated Speedup")"
    "\n";

// The section name that the tool writes for metrics that are listed by name and not as part of a section.
constexpr std::string_view no_section = "\"Command line profiler metrics\",\"";
constexpr std::string_view no_rule = "\",\"\",\"\",\"\",\"\",\"\"\n";
constexpr std::string_view device_name = "device__attribute_display_name";

std::string_view speedup_type(std::uint64_t type) { return type == 1 ? "local" : type == 2 ? "global" : ""; }

std::string xyz(const std::array<std::uint64_t, 3>& n) { return fmt::format("({}, {}, {})", n[0], n[1], n[2]); }

class CsvWriter : public LaunchWriter {
 public:
  explicit CsvWriter(const Request& request) : with_instances_(request.instances) {}

  void begin(std::string& text) override { text += header; }

  void launch(const ChosenLaunch& launch, std::string& text) override {
    start_rows(launch);
    bool names_device = false;
    for (const nsight::MetricResult* metric : launch.metrics) {
      const Counter& counter = launch.counters[metric->name];
      names_device = names_device || counter.name == device_name;
      text += start_;
      text += middle(metric->name, counter);
      append_csv(text, metric->value);
      text += no_rule;
      if (with_instances_ && metric->has_instances) add_instances(*metric, counter, text);
    }
    for (const std::string_view rule : launch.launch.rules) add_rule(nsight::read_rule(rule), text);
    remember_device(launch.identity.device, names_device);
  }

  void source(const nsight::SourceData&) override {}

  // Where no launch names its device (before 2020.2), the facts of the session do, at the end of the file.
  void finish(const nsight::ReportSummary& summary, std::string& text) override {
    for (const nsight::Device& device : summary.session.devices) {
      const auto start = last_of_device_.find(static_cast<int>(device.id));
      if (start == last_of_device_.end() || start->second.empty() || device.name.empty()) continue;
      add_row(start->second, {std::string(device_name), ""}, text);
      append_csv(text, device.name);
      text += no_rule;
    }
  }

 private:
  // The columns that identify the launch; the same in all its rows.
  void start_rows(const ChosenLaunch& launch) {
    const nsight::Launch& it = launch.launch;
    const auto number = [](bool known, std::uint64_t n) { return known ? fmt::format("{}", n) : std::string(); };
    const auto& cc = launch.identity.cc;
    start_ = fmt::format("\"{}\",\"{}\",\"\",\"\",\"", launch.id, number(launch.process != 0, launch.process));
    append_csv(start_, launch.kernel());
    start_ +=
        fmt::format("\",\"{}\",\"{}\",\"{}\",\"{}\",\"{}\",\"{}\",", number(it.has_context, it.context), number(it.has_stream, it.stream),
                    xyz(it.block), xyz(launch.identity.grid), launch.identity.device, cc ? fmt::format("{}.{}", cc->major, cc->minor) : "");
  }

  // Section, name and unit: computed once per name.
  const std::string& middle(std::uint32_t id, const Counter& counter) {
    if (id >= middles_.size()) middles_.resize(std::size_t{id} + 1);
    if (middles_[id].empty()) add_row("", counter, middles_[id]);
    return middles_[id];
  }

  void remember_device(int device, bool named) {
    const auto [last, is_new] = last_of_device_.try_emplace(device);
    if (named) last->second.clear();
    if (!named && (is_new || !last->second.empty())) last->second = start_;
  }

  // A row up to the quote before its value.
  static void add_row(std::string_view start, const Counter& counter, std::string& text) {
    text += start;
    text += no_section;
    append_csv(text, counter.name);
    text += "\",\"";
    append_csv(text, counter.unit.value_or(""));
    text += "\",\"";
  }

  void add_instances(const nsight::MetricResult& metric, const Counter& counter, std::string& text) const {
    std::size_t place = 0;
    for (const nsight::Instance& instance : nsight::instances_of(metric)) {
      add_row(start_, {fmt::format("{}[{}]", counter.name, instance_name(instance, place++)), counter.unit}, text);
      append_csv(text, instance.value);
      text += no_rule;
    }
  }

  void add_rule(const nsight::Rule& rule, std::string& text) const {
    for (const nsight::RuleMessage& message : rule.messages) {
      const bool estimates = message.speedup_type != 0 && std::isfinite(message.estimated_speedup_pct);
      const std::string cells[] = {printable(rule.section),
                                   "",
                                   "",
                                   "",
                                   printable(rule.identifier),
                                   std::string(nsight::rule_type_text(message.type)),
                                   printable(nsight::plain_rule_text(message.text)),
                                   std::string(estimates ? speedup_type(message.speedup_type) : ""),
                                   estimates ? plain_number(message.estimated_speedup_pct) : ""};
      text += start_;
      for (std::size_t i = 0; i < std::size(cells); ++i) {
        text += i == 0 ? "\"" : ",\"";
        append_csv(text, cells[i]);
        text += '"';
      }
      text += '\n';
    }
  }

  bool with_instances_;
  std::string start_;
  std::vector<std::string> middles_;
  std::map<int, std::string> last_of_device_;  // the start of the rows of its last launch; "" once it was named
};

}  // namespace

std::unique_ptr<LaunchWriter> csv_writer(const Request& request) { return std::make_unique<CsvWriter>(request); }

}  // namespace frx::convert
