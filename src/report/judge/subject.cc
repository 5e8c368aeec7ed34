#include "report/judge/subject.h"

#include <algorithm>
#include <cmath>
#include <regex>
#include <set>

#include "base/text.h"
#include "base/units.h"

namespace frx::report {
namespace {

using knowledge::JudgedMetric;
using knowledge::MetricDefinition;

constexpr double underutilized_below = 60, roofline_from = 95, tensor_above = 5, balanced_within = 5;

double in_base_unit(const MetricDefinition& definition, double value) {
  const double base = knowledge::scale_of_base_unit(definition.unit.dimension);
  return base > 0 ? value * definition.unit.scale / base : value;
}

// "%" stands at the number, words behind a blank.
std::string behind_value(std::string_view unit) {
  if (unit.empty() || unit == "%") return std::string(unit);
  return fmt::format(" {}", unit);
}

class SubjectBuilder {
 public:
  SubjectBuilder(const NcuReport& report, const knowledge::Knowledge& knowledge, const knowledge::JudgeKnowledge& judge)
      : knowledge_(knowledge), judge_(judge) {
    subject_.report = &report;
  }

  JudgeSubject build(const Kernel& kernel, std::string selected_by, const model::OtherCounters* others, std::size_t kernel_of_others) {
    subject_.kernel = &kernel;
    subject_.selected_by = std::move(selected_by);
    for (const model::Finding& finding : kernel.findings) {
      for (const model::Evidence& evidence : finding.evidence) in_findings_.insert(evidence.value.id);
    }
    for (const Value& value : kernel.values) {
      if (const std::optional<model::Metric> metric = knowledge_.metrics.with_id(value.id)) subject_.readings.set(*metric, value.reading);
    }
    for (const JudgedMetric& metric : judge_.metrics()) {
      if (!metric.section.empty()) add_of_section(metric);
    }
    add_measured(kernel);
    if (others) add_unknown(*others, kernel_of_others);
    const auto begin_of_others = std::ranges::find_if(subject_.facts, [](const JudgedFact& fact) { return fact.section.empty(); });
    std::sort(begin_of_others, subject_.facts.end(), [](const JudgedFact& a, const JudgedFact& b) { return a.key < b.key; });
    subject_.product = knowledge_.gpus.with_id(subject_.report->gpu_id);
    if (const auto cc = knowledge::parse_compute_capability(subject_.report->compute_capability))
      subject_.limits = knowledge_.gpus.limits(*cc);
    if (!subject_.limits && subject_.product) subject_.limits = knowledge_.gpus.limits(subject_.product->cc);
    return std::move(subject_);
  }

 private:
  JudgedFact fact_of(const Value& value) const {
    JudgedFact fact;
    fact.id = value.id;
    fact.label = value.label;
    fact.key = value.counter.empty() ? value.id : value.counter;
    const std::optional<model::Metric> metric = knowledge_.metrics.with_id(value.id);
    fact.value = metric ? in_base_unit(knowledge_.metrics[*metric], of_one_launch(*metric, value.reading)) : value.value();
    fact.source = source_text(value, subject_.report->file());
    fact.in_finding = in_findings_.contains(value.id);
    return fact;
  }

  // What is counted adds up over launches.
  double of_one_launch(model::Metric metric, const model::Reading& reading) const {
    if (knowledge_.metrics[metric].aggregate != knowledge::Aggregate::sum) return reading.value;
    const std::uint64_t launches = reading.launches > 0 ? reading.launches : subject_.kernel->launches;
    return reading.value / static_cast<double>(std::max<std::uint64_t>(1, launches));
  }

  void add_of_section(const JudgedMetric& metric) {
    JudgedFact fact;
    if (const Value* value = subject_.kernel->value(knowledge_.metrics[metric.metric].id)) fact = fact_of(*value);
    fact.id = knowledge_.metrics[metric.metric].id;
    fact.section = metric.section;
    fact.label = metric.label;
    fact.key = metric.key;
    fact.unit = metric.unit;
    fact.metric = &metric;
    taken_.insert(fact.id);
    subject_.facts.push_back(std::move(fact));
  }

  void add_measured(const Kernel& kernel) {
    for (const Value& value : kernel.values) {
      const bool is_read = value.reading.origin == model::Origin::measured || value.reading.origin == model::Origin::modelled;
      if (!is_read || taken_.contains(value.id)) continue;
      JudgedFact fact = fact_of(value);
      const auto known = std::ranges::find_if(judge_.metrics(),
                                              [&](const JudgedMetric& metric) { return knowledge_.metrics[metric.metric].id == value.id; });
      if (known != judge_.metrics().end()) {
        fact.label = known->label;
        fact.key = known->key;
        fact.unit = known->unit;
        fact.metric = &*known;
      } else {
        const std::optional<model::Metric> metric = knowledge_.metrics.with_id(value.id);
        fact.unit = behind_value(metric ? base_unit_of(knowledge_.metrics[*metric]) : value.unit);
      }
      subject_.facts.push_back(std::move(fact));
    }
  }

  static std::string_view base_unit_of(const MetricDefinition& definition) {
    const bool is_base = std::abs(in_base_unit(definition, 1) - 1) < 1e-12;
    if (is_base) return definition.unit_text;
    if (definition.unit.dimension == parse_unit("ns")->dimension) return "ns";
    if (definition.unit.dimension == parse_unit("byte")->dimension) return "bytes";
    if (definition.unit.dimension == parse_unit("byte/s")->dimension) return "bytes/sec";
    if (definition.unit.dimension == parse_unit("hz")->dimension) return "Hz";
    return definition.unit_text;
  }

  void add_unknown(const model::OtherCounters& others, std::size_t kernel) {
    for (std::uint32_t i = 0; i < others.counters.size(); ++i) {
      const auto at = others.values.find({kernel, i});
      if (at == others.values.end()) continue;
      JudgedFact fact;
      fact.label = fact.key = others.counters[i].name;
      fact.value = at->second.mean();
      fact.unit = behind_value(others.counters[i].unit);
      fact.source = fmt::format("{}{}{}", subject_.report->source, subject_.report->places == model::Places::lines ? ":" : ", launch ",
                                at->second.line);
      subject_.facts.push_back(std::move(fact));
    }
  }

  const knowledge::Knowledge& knowledge_;
  const knowledge::JudgeKnowledge& judge_;
  JudgeSubject subject_;
  std::set<std::string_view> in_findings_, taken_;
};

std::string listed(const std::vector<const Kernel*>& kernels) {
  std::string text;
  for (std::size_t i = 0; i < kernels.size() && i < 5; ++i)
    text += fmt::format("{}{}", i == 0 ? "" : ", ", shorten(kernels[i]->short_name, 60));
  return kernels.size() > 5 ? text + ", ..." : text;
}

Result<const Kernel*> kernel_named(const NcuReport& report, const std::string& name) {
  std::vector<const Kernel*> found;
  for (const Kernel& kernel : report.kernels) {
    if (kernel.name == name || kernel.short_name == name) found.push_back(&kernel);
  }
  if (found.empty()) {
    try {
      const std::regex expression(name.starts_with("regex:") ? name.substr(6) : name, std::regex::ECMAScript);
      for (const Kernel& kernel : report.kernels) {
        if (std::regex_search(shorten(kernel.name, 2000), expression)) found.push_back(&kernel);
      }
    } catch (const std::regex_error&) {
      return fail(ErrorKind::usage, "expected a kernel or a regular expression as --kernel, found '{}'", printable(shorten(name, 80)));
    }
  }
  if (found.size() == 1) return found.front();
  std::vector<const Kernel*> all;
  for (const Kernel& kernel : report.kernels) all.push_back(&kernel);
  if (found.empty())
    return fail(ErrorKind::usage, "no kernel of the profile is called '{}'", printable(shorten(name, 80)))
        .hint("the profile has: " + listed(all));
  return fail(ErrorKind::usage, "{} kernels of the profile are called '{}'", found.size(), printable(shorten(name, 80)))
      .hint("name one of: " + listed(found));
}

double cycles_of(const Kernel& kernel) {
  const Value* const cycles = kernel.value("sm_active_cycles");
  return cycles ? cycles->value() * static_cast<double>(kernel.launches) : -1;
}

const Kernel* with_name(const NcuReport& report, const std::string& name) {
  const std::string shown = printable(name);
  const auto at = std::ranges::find_if(report.kernels, [&](const Kernel& kernel) { return kernel.name == shown; });
  return at == report.kernels.end() ? nullptr : &*at;
}

struct Chosen {
  const Kernel* kernel;
  std::string by;
};

Result<Chosen> choose(const NcuReport& report, const std::vector<std::string>& in_order, const KernelChoice& choice) {
  using Pick = KernelChoice::Pick;
  if (!choice.name.empty()) {
    TRY_ASSIGN(const Kernel* kernel, kernel_named(report, choice.name));
    return Chosen{kernel, "name"};
  }
  if (report.kernels.size() == 1) return Chosen{&report.kernels.front(), "only"};
  if (choice.pick == Pick::first || choice.pick == Pick::last) {
    const Kernel* kernel = in_order.empty() ? nullptr : with_name(report, choice.pick == Pick::first ? in_order.front() : in_order.back());
    if (kernel) return Chosen{kernel, choice.pick == Pick::first ? "first" : "last"};
  }
  const Kernel& longest = report.kernels.front();  // they are sorted so
  if (choice.pick == Pick::max_time && longest.duration_us) return Chosen{&longest, "max_time"};
  const auto by_cycles = std::ranges::max_element(report.kernels, {}, cycles_of);
  if (cycles_of(*by_cycles) >= 0) return Chosen{&*by_cycles, "max_cycles"};
  return Chosen{&longest, longest.duration_us ? "max_time" : "first"};
}

}  // namespace

std::string fact_number(double value) {
  if (value == std::floor(value) && std::abs(value) < 1e15) return fmt::format("{:.0f}", value);
  return std::abs(value) < 0.1 ? fmt::format("{:.4g}", value) : fmt::format("{:.2f}", value);
}

std::string fact_text(const JudgedFact& fact) { return fact.value ? fact_number(*fact.value) + fact.unit : "N/A"; }

std::string fact_words(const JudgedFact& fact) {
  const std::string_view unit = trim(std::string_view(fact.unit));
  if (!fact.value) return "N/A";
  if (unit == "bytes") return format_quantity(*fact.value, "byte");
  if (unit == "bytes/sec") return format_quantity(*fact.value, "byte/s");
  if (unit == "ns") return format_quantity(*fact.value, "ns");
  return fact_text(fact);
}

const JudgedFact* JudgeSubject::fact_with_id(std::string_view id) const {
  const auto at = std::ranges::find_if(facts, [&](const JudgedFact& fact) { return fact.id == id && !id.empty(); });
  return at == facts.end() ? nullptr : &*at;
}

const JudgedFact* JudgeSubject::fact(std::string_view key, const knowledge::MetricCatalogue& metrics) const {
  const auto named = std::ranges::find_if(facts, [&](const JudgedFact& one) { return one.key == key && one.value; });
  if (named != facts.end()) return &*named;
  const std::optional<model::Metric> metric = metrics.called({}, key, std::nullopt);
  const JudgedFact* const known = metric ? fact_with_id(metrics[*metric].id) : nullptr;
  return known && known->value ? known : nullptr;
}

Result<JudgeSubject> judge_subject(const NcuReport& report, const std::vector<std::string>& in_order, const model::OtherCounters* others,
                                   const KernelChoice& choice, const knowledge::Knowledge& knowledge,
                                   const knowledge::JudgeKnowledge& judge) {
  if (report.kernels.empty()) return fail(ErrorKind::malformed, "expected a kernel to judge, found none").at(report.source);
  TRY_ASSIGN(Chosen chosen, choose(report, in_order, choice));
  std::size_t index = in_order.size();
  for (std::size_t i = 0; i < in_order.size(); ++i) {
    if (printable(in_order[i]) == chosen.kernel->name) index = i;
  }
  return SubjectBuilder(report, knowledge, judge).build(*chosen.kernel, std::move(chosen.by), others, index);
}

namespace {

// The busiest level of the memory system, where at least two of its levels are known.
std::string_view memory_limiter(const JudgeSubject& subject) {
  struct Level {
    std::string_view name, id;
  };
  constexpr Level levels[] = {{"dram", "dram_throughput_pct"}, {"l2", "l2_throughput_active_pct"}, {"l1", "l1tex_throughput_pct"}};
  std::string_view busiest;
  double most = -1;
  int known = 0;
  for (const Level& level : levels) {
    const JudgedFact* const fact = subject.fact_with_id(level.id);
    if (!fact || !fact->value) continue;
    ++known;
    if (*fact->value > most) most = *fact->value, busiest = level.name;
  }
  return known >= 2 ? busiest : std::string_view();
}

}  // namespace

namespace {

std::optional<double> first_value(const JudgeSubject& subject, std::initializer_list<std::string_view> ids) {
  for (const std::string_view id : ids) {
    const JudgedFact* const fact = subject.fact_with_id(id);
    if (fact && fact->value) return fact->value;
  }
  return std::nullopt;
}

// Nothing does less than it has to: a share above 100 % says that the least was stated wrongly.
std::optional<double> useful_pct(std::optional<double> least, std::optional<double> done, std::string_view what, SpeedOfLight& light) {
  if (!least) return std::nullopt;
  if (!done || !(*done > 0)) {
    light.warnings.push_back(fmt::format("{} were not counted, so nothing says how much of them the problem needs", what));
    return std::nullopt;
  }
  if (*least > 1.02 * *done) light.warnings.push_back(fmt::format("fewer {} were counted than the problem is said to need", what));
  return 100 * *least / *done;
}

void add_useful_work(const JudgeSubject& subject, SpeedOfLight& light) {
  std::optional<double> bytes = first_value(subject, {"dram_bytes"});
  const std::optional<double> read = first_value(subject, {"dram_bytes_read"}), written = first_value(subject, {"dram_bytes_write"});
  if (!bytes && read && written) bytes = *read + *written;
  light.useful_bytes_pct = useful_pct(subject.least_bytes, bytes, "bytes of DRAM", light);
  const derive::RooflinePoint* const point = subject.kernel->roofline.main();
  std::optional<double> operations;
  if (point && subject.kernel->duration_us)
    operations = point->achieved_tflops * 1e6 * *subject.kernel->duration_us /
                 static_cast<double>(std::max<std::uint64_t>(1, subject.kernel->launches));
  light.useful_operations_pct = useful_pct(subject.least_operations, operations, "operations", light);
}

}  // namespace

SpeedOfLight speed_of_light(const JudgeSubject& subject) {
  SpeedOfLight result;
  const auto value = [&](std::string_view id) {
    const Value* const found = subject.kernel->value(id);
    return found ? std::optional(found->value()) : std::nullopt;
  };
  result.compute_pct = value("sm_throughput_pct");
  result.memory_pct = value("memory_throughput_pct");
  for (const std::string_view id : {"tensor_pipe_elapsed_pct", "tensor_inst_pct", "tensor_pct"}) {
    if (const std::optional<double> tensor = value(id))
      result.uses_tensor_cores = result.uses_tensor_cores.value_or(false) || *tensor > tensor_above;
  }
  add_useful_work(subject, result);
  if (!result.compute_pct && !result.memory_pct) {
    result.bound = "unknown";
    result.warnings.emplace_back("neither compute nor memory speed of light was measured");
    return result;
  }
  if (!result.compute_pct || !result.memory_pct) {
    result.bound = "insufficient_metrics";
    result.warnings.push_back(fmt::format("{} speed of light was not measured", result.compute_pct ? "memory" : "compute"));
    return result;
  }
  result.efficiency_pct = std::max(*result.compute_pct, *result.memory_pct);
  result.at_roofline = *result.efficiency_pct >= roofline_from;
  const double apart = *result.memory_pct - *result.compute_pct;
  if (*result.efficiency_pct < underutilized_below)
    result.bound = "underutilized";
  else if (std::abs(apart) < balanced_within)
    result.bound = "balanced";
  else
    result.bound = apart > 0 ? "memory" : "compute";
  result.limiter = apart >= 0 ? memory_limiter(subject) : "sm";
  return result;
}

}  // namespace frx::report
