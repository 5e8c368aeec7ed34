// Reads Nsight Compute reports into a session: the same readings as from CSV, without the tool.
//
// Irregularities of real files: metric names that come after their use; grids in threads (up to 2020.2); kernels without a demangled name;
// NaN for values that could not be collected; failed launches and ranges without a grid; facts of the session after the results.

#include <algorithm>
#include <cmath>
#include <exception>
#include <protozero/exception.hpp>
#include <set>
#include <unordered_map>

#include "base/text.h"
#include "ingest/cubin/line_table.h"
#include "ingest/format.h"
#include "ingest/launch_table.h"
#include "ingest/ncu_report/code_counters.h"
#include "ingest/ncu_report/code_places.h"
#include "ingest/ncu_report/identity.h"
#include "ingest/ncu_report/report.h"
#include "ingest/ncu_report/rule_text.h"
#include "ingest/value_plan.h"

namespace frx::ingest {
namespace {

using namespace nsight;

constexpr std::size_t max_ranges = 16;  // of a kernel
constexpr std::size_t max_sources = 10'000;
constexpr std::size_t max_kernel_name = 4096;

// What the rules of NVIDIA say about a launch, as text.
struct SaidByRules : Prepared {
  struct Statement {
    std::size_t rule = 0, message = 0;  // of `rules`
    std::string text;
    std::vector<knowledge::MetricCatalogue::Quoted> quoted;
  };
  std::vector<Rule> rules;
  std::vector<Statement> statements;
  std::exception_ptr damage;  // of the rule behind the last statement
};

class NcuReportImporter : public ReportConsumer {
 public:
  NcuReportImporter(const knowledge::MetricCatalogue& metrics, model::Session& session)
      : metrics_(metrics), session_(session), table_(session, metrics), values_(session, metrics, table_), code_(metrics) {}

  void prepare(Launch& launch) const override {
    if (!launch.prepared) launch.prepared = std::make_unique<SaidByRules>();
    auto& said = static_cast<SaidByRules&>(*launch.prepared);
    said.rules.clear();
    said.statements.clear();
    said.damage = nullptr;
    try {
      for (const std::string_view rule : launch.rules) said.rules.push_back(read_rule(rule));
    } catch (const protozero::exception&) {
      said.damage = std::current_exception();
    }
    for (std::size_t rule = 0; rule < said.rules.size(); ++rule) {
      const std::vector<RuleMessage>& messages = said.rules[rule].messages;
      for (std::size_t message = 0; message < messages.size(); ++message) {
        std::string text = printable(plain_rule_text(messages[message].text));
        std::vector<knowledge::MetricCatalogue::Quoted> quoted = metrics_.quoted_in(text);
        said.statements.push_back({rule, message, std::move(text), std::move(quoted)});
      }
    }
  }

  Result<> launch(const Launch& launch, std::uint64_t process, const StringTable& names) override {
    ++ordinal_;
    learn(names);
    const Identity identity = identities_.of(launch);
    move_to(launch, process, identity);
    for (const MetricResult& metric : launch.metrics) take(metric);
    code_.take(launch, kernel_);
    // The code may come behind its launches.
    if (kernels_of_source_.size() < max_sources) kernels_of_source_.emplace(launch.source, kernel_);
    add_ranges(launch);
    take_rules(static_cast<const SaidByRules&>(*launch.prepared));
    return {};
  }

  Result<> source(const SourceData& source) override {
    identities_.learn(source);
    places_.take(source);
    if (debug_sources_.size() < max_sources && cubin::is_debug_build(source.cubin)) debug_sources_.insert(source.reference);
    return {};
  }

  void finish(const ReportSummary& summary) {
    table_.finish();
    const std::string version = summary.session.tool_version();
    if (!version.empty()) session_.format += " " + version;
    for (const Device& device : summary.session.devices) {
      model::DeviceFacts& facts = session_.devices[static_cast<int>(device.id)];
      if (facts.name.empty()) facts.name = device.name;
    }
    note_totals(summary.totals);
    for (const auto& [source, kernel] : kernels_of_source_) {
      if (debug_sources_.contains(source)) session_.debug_kernels.insert(kernel);
    }
    finish_code();
    values_.finish();
  }

 private:
  void learn(const StringTable& names) {
    names_ = &names;
    identities_.learn(names);
    for (auto id = static_cast<std::uint32_t>(plans_.size()); id < names.size(); ++id) {
      code_.add_name(names[id]);
      first_of_name_.push_back(id_of_name_.emplace(names[id], id).first->second);
    }
    plans_.resize(names.size());
    taken_by_.resize(names.size(), 0);
  }

  // Kernels are launched from a handful of ranges; a loop that numbers its iterations must not fill the report.
  void add_ranges(const Launch& launch) {
    if (launch.nvtx.empty()) return;
    std::set<std::string>& ranges = table_.kernel().ranges;
    for (const std::string& range : read_nvtx(launch.nvtx)) {
      if (ranges.size() < max_ranges) ranges.insert(printable(shorten(range, 200)));
    }
  }

  // How to treat the values of a name, computed at its first value: tables hold names without any values, too.
  const ValuePlan& plan_of(std::uint32_t id) {
    std::optional<ValuePlan>& plan = plans_[id];
    if (!plan) {
      const std::string_view name = (*names_)[id];
      // "regex:..." requests metrics, "pmsampling:..." is a series over time.
      plan = name.find(':') == name.npos ? values_.plan_in_base_unit(name) : ValuePlan{};
    }
    return *plan;
  }

  void move_to(const Launch& launch, std::uint64_t process, const Identity& known) {
    model::LaunchIdentity identity;
    identity.kernel = printable(trim(launch.best_name().substr(0, max_kernel_name)));
    if (identity.kernel.empty()) identity.kernel = "(unnamed kernel)";
    identity.without_threads = known.without_threads;
    if (!known.without_threads) {
      identity.grid = narrow(known.grid);
      identity.block = narrow(launch.block);
    }
    identity.device = known.device;
    identity.cc = known.cc;
    if (session_.each) {
      if (launch.has_stream) identity.stream = launch.stream;
      identity.mangled = printable(launch.mangled.substr(0, max_kernel_name));
    }
    if (identity.cc) session_.devices[*identity.device].cc = identity.cc;
    device_ = *identity.device;
    kernel_ = identity.kernel;
    table_.at(LaunchKey{process, ordinal_}, identity, ordinal_);
  }

  static model::Dim3 narrow(const std::array<std::uint64_t, 3>& xyz) {
    const auto narrowed = [](std::uint64_t n) { return n > 0x7FFFFFFF ? 0u : static_cast<std::uint32_t>(n); };  // no GPU has such a grid
    return {narrowed(xyz[0]), narrowed(xyz[1]), narrowed(xyz[2])};
  }

  // A name that comes again in one launch says nothing more: the first one counts, as in what frx export writes.
  void take(const MetricResult& metric) {
    if (metric.name >= plans_.size()) return;
    if (std::exchange(taken_by_[first_of_name_[metric.name]], ordinal_) == ordinal_) return;
    const ValuePlan& plan = plan_of(metric.name);
    if (plan.kind == ValuePlan::Kind::device_name && metric.value.kind == MetricValue::Kind::text) {
      session_.devices[device_].name = printable(shorten(std::string(metric.value.text), 200));
    }
    if (!plan.has_value()) return;
    if (!metric.value.is_number() || !std::isfinite(metric.value.number())) {
      if (plan.kind == ValuePlan::Kind::reading) table_.set_absent();
      return;
    }
    values_.take_number(plan, metric.value.number(), ordinal_);
  }

  void take_rules(const SaidByRules& said) {
    for (const SaidByRules::Statement& statement : said.statements) {
      values_.take_quoted(statement.quoted, ordinal_);
      if (session_.rules.size() >= most_rules) continue;
      const Rule& rule = said.rules[statement.rule];
      const RuleMessage& message = rule.messages[statement.message];
      model::ProfilerRule& kept = session_.rules.emplace_back();
      kept.kernel = kernel_;
      kept.section = printable(rule.section);
      kept.name = printable(rule.identifier);
      kept.type = rule_type_text(message.type);
      kept.text = statement.text;
      if (message.speedup_type != 0 && std::isfinite(message.estimated_speedup_pct)) {
        kept.estimated_speedup_pct = message.estimated_speedup_pct;
      }
      kept.is_local_estimate = message.speedup_type == 1;
      kept.line = ordinal_;
    }
    if (said.damage) std::rethrow_exception(said.damage);
  }

  void note_totals(const Totals& totals) {
    const auto note = [&](std::uint64_t count, std::string_view what) {
      if (count > 0) values_.notes().add(0, fmt::format("{} {}", count, what));
    };
    note(totals.passed_over, "entries of the report are too large to be looked at; passed over");
    note(totals.unnamed_values, "values have no name anywhere in the report; not used");
  }

  void finish_code() {
    for (const std::string& name : code_.names_used()) session_.unknown_metrics.erase(name);
    std::uint64_t cut = 0;
    for (CodeCounters::Code& code : code_.finish()) {
      places_.resolve(code);
      cut += code.cut;
      session_.code.push_back(std::move(code.profile));
    }
    const auto note = [&](std::uint64_t count, std::string_view what) {
      if (count > 0) values_.notes().add(0, fmt::format("{}: {}", what, count));
    };
    note(code_.launches_beyond(),
         fmt::format("hot lines come from the first {} launches of a kernel; launches beyond", code_.limits().launches_of_kernel));
    note(code_.launches_left_out(), "more kernels have measured lines than are kept; launches without lines");
    note(cut, "kernels of which not every measured instruction is kept, because they are too long");
    note(places_.passed_over(), "programs whose source lines are not kept, because there are too many");
    note(places_.damaged(), fmt::format("programs whose source lines cannot be read ({})", places_.why_damaged()));
  }

  const knowledge::MetricCatalogue& metrics_;
  model::Session& session_;
  LaunchTable table_;
  ValueReader values_;
  const StringTable* names_ = nullptr;
  std::vector<std::optional<ValuePlan>> plans_;                // by name
  std::unordered_map<std::string, std::uint32_t> id_of_name_;  // a table may hold a name twice
  std::vector<std::uint32_t> first_of_name_;
  std::vector<std::uint64_t> taken_by_;  // by first of the name: the last launch that has it
  IdentityReader identities_;
  CodeCounters code_;
  std::set<std::pair<std::uint64_t, std::string>> kernels_of_source_;
  std::set<std::uint64_t> debug_sources_;
  CodePlaces places_;
  std::uint64_t ordinal_ = 0;  // 1-based, of the launch in the report
  int device_ = 0;
  std::string kernel_;
};

Result<> read_session(BinaryInput& input, model::Session& session) {
  NcuReportImporter importer(input.metrics, session);
  TRY_ASSIGN(const ReportSummary summary, read_report(input.bytes, importer, input.progress));
  importer.finish(summary);
  session.places = model::Places::launches;
  return {};
}

constexpr std::string_view report_endings[] = {".ncu-rep", ".ncu-repz"};

Match recognises_report(const Look& look) { return begins_report(look.head) ? Match::certain : Match::no; }

}  // namespace

constinit const Format ncu_report_format = {
    .id = "ncu_report",
    .title = "Nsight Compute report",
    .endings = report_endings,
    .recognises = recognises_report,
    .read_session = read_session,
};

}  // namespace frx::ingest
