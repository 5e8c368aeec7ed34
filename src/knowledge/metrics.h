// The metric catalogue: the meaning of each counter, its unit, and all of its names.
//
// One entry of data/metrics feeds the readers (spellings), the derived readings (formulas), the ncu
// command lines (the first ncu spelling is the one we ask for), the tables and the briefs.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/made_once.h"
#include "base/result.h"
#include "base/units.h"
#include "knowledge/expression.h"
#include "knowledge/library.h"
#include "model/finding.h"
#include "model/metric.h"

namespace frx::knowledge {

// How the readings of several launches become one.
enum class Aggregate { time_mean, mean, sum, max, min, same };

struct MetricDefinition {
  model::Metric metric;
  std::string_view id;      // "dram_throughput_pct"
  std::string_view family;  // "memory"
  std::string_view label;   // "DRAM throughput"
  std::string_view meaning;
  std::string_view unit_text;  // "%"
  Unit unit;
  Aggregate aggregate = Aggregate::time_mean;
  std::optional<double> max;     // a larger value is impossible
  double attribute_scale = 1.0;  // for attributes the tools print without a unit (kHz clocks)
  bool collect = true;           // may be requested from ncu by name
  std::vector<std::string_view> ncu;
  Value source;                                         // its entry; where() names data file and line
  std::shared_ptr<const std::string> composed_meaning;  // what `meaning` refers to where the entry has a form for it
};

// One way to compute a metric from others: the formula is formulas_of(metric)[number].
struct FormulaOfMetric {
  model::Metric metric;
  std::uint32_t number;
  std::span<const std::uint32_t> slots;  // of the metrics it mentions
};

// A stall reason, as Nsight Compute and nvprof name it (data/metrics/stalls.yaml).
struct StallReason {
  std::string_view id;                    // "long_scoreboard"
  std::string_view state;                 // of the warp: "waits for a result of global, local, texture or surface memory"
  std::vector<std::string_view> classes;  // memory, sync or compute first; none when it is not a wait
  std::string_view kind() const { return classes.empty() ? std::string_view() : classes.front(); }
};

// The spelling to request from ncu, or "" when the metric is only ever derived.
std::string_view counter_of(const MetricDefinition& metric);

// Of embedded data, an entry is read when it is first asked for: an analysis needs a tenth of them. Everything of a library with overrides
// is read and checked at once. All may be asked from several threads.
class MetricCatalogue {
 public:
  // Fails, naming file and line, on an invalid entry of a library with overrides. The texts live in the library.
  static Result<MetricCatalogue> load(const Library& library);
  // The same, with everything read and checked also of embedded data, for tests and for the tool that compiles it.
  static Result<MetricCatalogue> load_checked(const Library& library);

  const MetricDefinition& operator[](model::Metric metric) const;
  // How the metric is computed from others, in the order of preference.
  const std::vector<Expression>& formulas_of(model::Metric metric) const;
  // Where the formulas stand in data/, in the same order.
  Value formula_texts(model::Metric metric) const { return entry_of(metric)["formulas"]; }
  // The reading with the words of the catalogue for it.
  model::NamedReading named(model::Metric metric, const model::Reading& reading) const;
  std::size_t size() const { return definitions_.size(); }
  // The definitions, each of which is read.
  auto all() const {
    return std::views::iota(std::size_t{0}, size()) | std::views::transform([this](std::size_t i) -> const MetricDefinition& {
             return (*this)[model::Metric{static_cast<std::uint16_t>(i)}];
           });
  }

  std::string_view id_of(model::Metric metric) const;
  // "dram_throughput_pct" and no other spelling.
  std::optional<model::Metric> with_id(std::string_view id) const;
  // The operand for a name in an expression: a metric, or with stalls.CLASS the shares of time of the stalls of a class.
  std::optional<Operand> operand_called(std::string_view name) const;

  // All formulas, those of operands before those that mention them.
  std::span<const FormulaOfMetric> formulas_in_order() const { return formulas_in_order_; }

  std::span<const StallReason> stall_reasons() const { return stalls().reasons; }
  // nullptr: there is no reason with this name.
  const StallReason* stall_reason(std::string_view id) const;

  // A raw counter name of Nsight Compute, or a usual name in a metric column. Details-page
  // labels are only unique together with their section and unit: "Memory Throughput" is a percentage
  // under Speed Of Light and bytes per second under Memory Workload Analysis.
  // `unit` may be nullopt when the file states none.
  std::optional<model::Metric> called(std::string_view section, std::string_view name, const std::optional<Unit>& unit) const;
  std::optional<model::Metric> called_by_nvprof(std::string_view name) const;

  // Measured numbers that a rule of the profiler quotes in its text (data/metrics/rule_facts.yaml).
  struct Quoted {
    model::Metric metric;
    double value;
  };
  std::vector<Quoted> quoted_in(std::string_view rule_text) const;

  // Similar names, as suggestions.
  std::string_view nearest_id(std::string_view id) const;

 private:
  struct Stalls {
    std::vector<StallReason> reasons;
    std::map<std::string_view, std::vector<Operand>> by_class;
  };
  struct RuleFact {
    model::Metric metric;
    std::string_view contains, before;
    std::size_t after;  // of RuleFacts::words
  };
  // The words in front of a number, which many facts have in common and most texts lack.
  struct RuleWords {
    std::string_view words;
    std::boyer_moore_horspool_searcher<const char*> search;
  };
  struct RuleFacts {
    std::vector<RuleFact> facts;
    std::vector<RuleWords> words;
  };
  using Index = std::unordered_map<std::string_view, model::Metric>;
  // Whose name it is: those of the details page are "Section > Label".
  enum class NamedBy : std::uint8_t { ncu, nvprof, details };
  // The names of a library with overrides; of embedded data they were found when frx was built.
  struct Names {
    Index ncu, nvprof, details;
  };
  // Used only where those match nothing.
  struct Aliases {
    std::unordered_multimap<std::string_view, model::Metric> labels;  // a details label without its section
    std::unordered_map<std::string, model::Metric> plain;             // normalised
  };
  struct Entry {
    model::Metric metric;
    Value value;
  };

  Result<> find_entries(const Library& library);
  Result<> check() const;
  void order_formulas();

  Value entry_of(model::Metric metric) const;
  std::optional<model::Metric> named_by(NamedBy tool, std::string_view name) const;

  Result<MetricDefinition> read_definition(model::Metric metric, const Value& entry) const;
  Result<std::vector<Expression>> read_formulas(model::Metric metric) const;
  Result<Stalls> read_stalls() const;
  Result<RuleFacts> read_rule_facts() const;
  Names read_names() const;
  Aliases read_aliases() const;
  const Stalls& stalls() const;

  std::vector<Value> files_;
  Value rule_facts_file_;
  // Of a library with overrides: all entries in their order, the last one of each metric, and metrics that embedded data lacks.
  std::vector<Entry> entries_;
  std::vector<Value> entry_of_metric_;
  Index more_ids_;
  std::vector<std::string_view> more_metrics_;
  std::vector<FormulaOfMetric> formulas_in_order_;

  MadeOnce<MetricDefinition> definitions_;
  MadeOnce<std::vector<Expression>> formulas_;
  MadeOnce<Stalls> stalls_{1};
  MadeOnce<RuleFacts> rule_facts_{1};
  MadeOnce<Names> names_{1};
  MadeOnce<Aliases> aliases_{1};
};

// What a value in the base unit of the profiler (ns, bytes, counts; rates per second) is multiplied by to be in
// coherent units, whose time is the nanosecond: compare with Unit::scale.
double scale_of_base_unit(const Dimension& dimension);

// The spelling rule of aliases (docs/contract.md): lower case, blanks, dots and dashes as "_".
std::string normalised(std::string_view name);

}  // namespace frx::knowledge
