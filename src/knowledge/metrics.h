// The metric catalogue: the meaning of each counter, its unit, and all of its names.
//
// One entry of data/metrics feeds the readers (spellings), the derived readings (formulas), the ncu
// command lines (the first ncu spelling is the one we ask for), the tables and the briefs.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

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
  std::vector<Expression> formulas;
  Value source;  // its entry; where() names data file and line
};

// One way to compute a metric from others.
struct FormulaOfMetric {
  model::Metric metric;
  const Expression* formula;
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

class MetricCatalogue {
 public:
  static Result<MetricCatalogue> load(const Library& library);

  const MetricDefinition& operator[](model::Metric metric) const { return definitions_[metric.index]; }
  // The reading with the words of the catalogue for it.
  model::NamedReading named(model::Metric metric, const model::Reading& reading) const;
  std::size_t size() const { return definitions_.size(); }
  std::span<const MetricDefinition> all() const { return definitions_; }

  // "dram_throughput_pct" and no other spelling.
  std::optional<model::Metric> with_id(std::string_view id) const;
  // The operand for a name in an expression: a metric, or with stalls.CLASS the shares of time of the stalls of a class.
  std::optional<Operand> operand_called(std::string_view name) const;

  // All formulas, those of operands before those that mention them.
  std::span<const FormulaOfMetric> formulas_in_order() const { return formulas_in_order_; }

  std::span<const StallReason> stall_reasons() const { return stall_reasons_; }
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
  Result<> add_file(const Value& root);
  Result<> add_stall_reasons(const Value& list);
  Result<> add(const Value& entry, std::string_view family);
  // The text under `meaning`, with the state of its stall reason filled in.
  Result<std::string_view> meaning_of(const Value& entry);
  Result<> parse_formulas();
  void order_formulas();
  Result<> add_rule_facts(const Value& facts);

  struct RuleFact {
    model::Metric metric;
    std::string_view contains, before;
    std::size_t after;  // of rule_words_
  };
  // The words in front of a number, which many facts have in common and most texts lack.
  struct RuleWords {
    std::string_view words;
    std::boyer_moore_horspool_searcher<const char*> search;
  };

  using Index = std::unordered_map<std::string_view, model::Metric>;
  // Used only when the names of the profiler match nothing, so built on first use: a twelfth of a small run's time.
  struct Aliases {
    std::once_flag once;
    std::unordered_multimap<std::string_view, model::Metric> labels;  // a details label without its section
    std::unordered_map<std::string, model::Metric> plain;             // normalised
  };
  const Aliases& aliases() const;

  std::vector<MetricDefinition> definitions_;
  std::vector<FormulaOfMetric> formulas_in_order_;
  std::vector<RuleFact> rule_facts_;
  std::vector<RuleWords> rule_words_;
  std::vector<StallReason> stall_reasons_;
  std::map<std::string_view, std::vector<Operand>> stalls_by_class_;
  std::deque<std::string> made_;  // texts that are built at run time
  Index ids_, ncu_, nvprof_, details_;
  std::unordered_map<std::string_view, Unit> units_;  // parsed units, cached
  std::unique_ptr<Aliases> aliases_ = std::make_unique<Aliases>();
};

// What a value in the base unit of the profiler (ns, bytes, counts; rates per second) is multiplied by to be in
// coherent units, whose time is the nanosecond: compare with Unit::scale.
double scale_of_base_unit(const Dimension& dimension);

// The spelling rule of aliases (docs/contract.md): lower case, blanks, dots and dashes as "_".
std::string normalised(std::string_view name);

}  // namespace frx::knowledge
