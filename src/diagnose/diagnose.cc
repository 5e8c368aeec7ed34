#include "diagnose/diagnosis.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "base/parallel.h"
#include "derive/derive.h"
#include "detect/detect.h"
#include "frx_generated/metric_ids.h"

namespace frx::diagnose {
namespace {

using model::Finding;
using model::Verdict;

constexpr std::string_view inconclusive = "inconclusive";
constexpr std::string_view insufficient = "insufficient_ncu_data";
// A finding that is explained by another one counts a third: it is worth knowing, not worth fixing first.
constexpr double consequence_weight = 1.0 / 3;
constexpr double least_share_of_consequence = 0.5;
// A finding below this is said only where there is no other one: latency_bound, when a label names what the latency is of.
constexpr double least_score_beside_others = 0.02;

std::optional<double> sum_of(const model::Session& session, const model::LaunchGroup& group, model::Metric metric) {
  const auto column = session.column_of(metric);
  if (!column || *column >= group.spreads.size() || group.spreads[*column].count == 0) return std::nullopt;
  return group.spreads[*column].sum;
}

// Launches of several groups as one, for averages over a kernel or a run.
void merge(model::LaunchGroup& into, const model::LaunchGroup& from) {
  into.launches += from.launches;
  into.timed_launches += from.timed_launches;
  into.spreads.resize(std::max(into.spreads.size(), from.spreads.size()));
  for (std::size_t i = 0; i < from.spreads.size(); ++i) {
    const model::Spread& source = from.spreads[i];
    if (source.count == 0) continue;
    model::Spread& target = into.spreads[i];
    if (target.count == 0) {
      target = source;
      continue;
    }
    target.count += source.count;
    target.sum += source.sum;
    target.min = std::min(target.min, source.min);
    target.max = std::max(target.max, source.max);
    target.weighted_sum += source.weighted_sum;
    target.weight += source.weight;
    if (source.longest > target.longest) {
      target.longest = source.longest;
      target.of_longest = source.of_longest;
      target.line = source.line;
    }
  }
}

// A finding with an active cause ranks after that cause, unless the cause is weak beside it: a little waste does not explain a saturated
// DRAM.
void mark_consequences(std::vector<Finding>& findings) {
  for (Finding& finding : findings) {
    for (const std::string_view cause : finding.type->explained_by) {
      const Finding* other = find_finding(findings, cause);
      if (!other || other->score < least_share_of_consequence * finding.score) continue;
      if (other->consequence_of == finding.id()) continue;
      finding.consequence_of = cause;
      break;
    }
  }
  for (Finding& finding : findings) {
    if (!finding.consequence_of.empty()) finding.score *= consequence_weight;
  }
}

void rank(std::vector<Finding>& findings) {
  std::stable_sort(findings.begin(), findings.end(), [](const Finding& a, const Finding& b) {
    return a.score != b.score ? a.score > b.score : a.type->order < b.type->order;
  });
}

class Diagnoser {
 public:
  Diagnoser(const knowledge::Knowledge& knowledge, RunDiagnosis& run)
      : knowledge_(knowledge), run_(run), formulas_(knowledge.metrics, present(run)) {}

  void run() {
    const std::vector<model::Kernel>& kernels = run_.session.kernels;
    run_.kernels.resize(kernels.size());
    for_many_in_parallel(kernels.size(), [&](std::size_t i) { run_.kernels[i] = diagnose_kernel(kernels[i]); });
    share_time();
    combine_run();
  }

  model::Readings complete(model::Readings readings) const {
    derive::add_device_readings(run_.device, readings);
    derive::add_occupancy_readings(run_.device, readings);
    formulas_.add_derived(readings);
    return readings;
  }

 private:
  // The readings of any launch of the file before formulas: its columns, the launch line, the device, the model.
  static std::vector<model::Metric> present(const RunDiagnosis& run) {
    std::vector<model::Metric> all = run.session.columns;
    model::Readings extra;
    derive::add_device_readings(run.device, extra);
    for (std::uint16_t i = 0; i < extra.size(); ++i) {
      if (extra.has(model::Metric{i})) all.push_back(model::Metric{i});
    }
    for (const model::Metric metric : {metrics::grid_size, metrics::threads_per_block, metrics::occupancy_limit_warps,
                                       metrics::occupancy_limit_blocks, metrics::occupancy_limit_registers,
                                       metrics::occupancy_limit_shared_memory, metrics::theoretical_occupancy_pct, metrics::waves_per_sm}) {
      all.push_back(metric);
    }
    return all;
  }

  GroupDiagnosis diagnose_group(const model::LaunchGroup& group, std::uint64_t kernel_class) const {
    GroupDiagnosis result;
    result.group = &group;
    result.readings = complete(derive::readings_of(run_.session, group, knowledge_.metrics));
    result.findings = detect::firing(knowledge_.labels, knowledge_.metrics, {result.readings, kernel_class, run_.thresholds});
    mark_consequences(result.findings);
    rank(result.findings);
    while (result.findings.size() > 1 && result.findings.back().score < least_score_beside_others) result.findings.pop_back();
    result.primary = result.findings.empty() ? inconclusive : result.findings.front().id();
    return result;
  }

  KernelDiagnosis diagnose_kernel(const model::Kernel& kernel) const {
    KernelDiagnosis result;
    result.kernel = &kernel;
    result.launches = kernel.launches();
    const std::uint64_t kernel_class = result.kernel_class = knowledge_.classes.of(kernel.name);
    model::LaunchGroup all;
    for (const model::LaunchGroup& group : kernel.groups) {
      if (group.launches == 0) continue;
      merge(all, group);
      result.groups.push_back(diagnose_group(group, kernel_class));
      const std::optional<double> duration = sum_of(run_.session, group, metrics::kernel_duration);
      result.groups.back().weight = duration.value_or(0);
      if (duration) result.duration = result.duration.value_or(0) + *duration;
    }
    if (!result.duration) {
      for (GroupDiagnosis& group : result.groups) group.weight = static_cast<double>(group.group->launches);
    }
    std::stable_sort(result.groups.begin(), result.groups.end(),
                     [](const GroupDiagnosis& a, const GroupDiagnosis& b) { return a.weight > b.weight; });
    if (kernel.groups.size() == 1) {
      all.grid = kernel.groups[0].grid;
      all.block = kernel.groups[0].block;
    }
    result.readings = result.groups.size() == 1
                          ? result.groups[0].readings
                          : complete(derive::readings_of(run_.session, all, knowledge_.metrics, derive::Launches::different));
    combine_groups(result);
    judge_rest(result, kernel_class);
    // Only the heaviest launches are evaluated again; the readings of the others would be most of the memory of a long run.
    for (std::size_t i = 1; i < result.groups.size(); ++i) result.groups[i].readings = model::Readings();
    result.tensor_precision = tensor_precision(kernel_class);
    result.roofline = derive::roofline_of(result.readings, run_.device, result.tensor_precision);
    result.occupancy = derive::analyse_occupancy(result.groups.empty() ? result.readings : result.groups[0].readings, run_.device);
    return result;
  }

  // The type of tensor work that the name of a kernel tells, as the peaks of data/gpus are named; "" where it tells none.
  std::string_view tensor_precision(std::uint64_t kernel_class) const {
    constexpr std::pair<std::string_view, std::string_view> types[] = {{"fp8", "fp8_tensor"},
                                                                       {"int8", "int8_tensor"},
                                                                       {"tf32", "tf32_tensor"},
                                                                       {"bf16", "bf16_tensor"},
                                                                       {"half_precision", "fp16_tensor"}};
    for (const auto& [name, precision] : types) {
      const std::optional<std::size_t> index = knowledge_.classes.with_name(name);
      if (index && (kernel_class >> *index & 1u) != 0) return precision;
    }
    return {};
  }

  // Those with metrics to judge; all where none has any. What was not measured says nothing about the rest, however long it took.
  template <typename Diagnosis>
  static std::vector<const Diagnosis*> with_data(const std::vector<Diagnosis>& all) {
    std::vector<const Diagnosis*> some;
    for (const Diagnosis& one : all) {
      if (one.primary != insufficient) some.push_back(&one);
    }
    if (!some.empty()) return some;
    for (const Diagnosis& one : all) some.push_back(&one);
    return some;
  }

  // Score and share of a label: its groups, weighted by their time. The primary is the one that leads
  // for the longest time.
  static void combine_groups(KernelDiagnosis& kernel) {
    const std::vector<const GroupDiagnosis*> judged = with_data(kernel.groups);
    double total = 0;
    for (const GroupDiagnosis* group : judged) total += group->weight;
    if (total <= 0) total = 1;
    std::map<std::string_view, double> leads;
    for (const GroupDiagnosis* group : judged) {
      const double share = judged.size() == 1 ? 1.0 : group->weight / total;
      leads[group->primary] += share;
      for (const Finding& finding : group->findings) add(kernel.findings, finding, share);
    }
    rank(kernel.findings);
    kernel.primary = leader(leads, judged.empty() ? insufficient : judged[0]->primary);
    lead(kernel.findings, kernel.primary);
    kernel.has_data = kernel.primary != insufficient;
  }

  static void add(std::vector<Finding>& findings, const Finding& finding, double share) {
    for (Finding& known : findings) {
      if (known.type != finding.type) continue;
      // Shares that make up the whole may sum to a little more than 1.
      known.score = std::min(1.0, known.score + finding.score * share);
      known.time_share = std::min(1.0, known.time_share + finding.time_share * share);
      if (finding.time_at_stake) known.time_at_stake = known.time_at_stake.value_or(0) + *finding.time_at_stake;
      if (finding.consequence_of.empty()) known.consequence_of = {};
      return;
    }
    Finding first = finding;
    first.score *= share;
    first.time_share *= share;
    findings.push_back(std::move(first));
  }

  static std::string_view leader(const std::map<std::string_view, double>& leads, std::string_view first) {
    std::string_view best = first;
    for (const auto& [label, share] : leads) {
      if (share > leads.at(best) + 1e-12) best = label;
    }
    return best;
  }

  // The primary is the first in the list, whatever the others sum to.
  static void lead(std::vector<Finding>& findings, std::string_view primary) {
    const auto at = std::find_if(findings.begin(), findings.end(), [&](const Finding& f) { return f.id() == primary; });
    if (at != findings.end()) std::rotate(findings.begin(), at, at + 1);
  }

  // The labels that were ruled out or inconclusive, for the launch shape that takes most time.
  void judge_rest(KernelDiagnosis& kernel, std::uint64_t kernel_class) const {
    if (kernel.groups.empty()) return;
    for (Finding& finding :
         detect::examine(knowledge_.labels, knowledge_.metrics, {kernel.groups[0].readings, kernel_class, run_.thresholds})) {
      const bool says_nothing = finding.verdict == Verdict::cannot_tell && finding.missing.empty();
      if (finding.fires() || says_nothing || find_finding(kernel.findings, finding.id())) continue;
      kernel.others.push_back(std::move(finding));
    }
  }

  void share_time() {
    for (const KernelDiagnosis& kernel : run_.kernels) {
      if (kernel.duration) run_.duration = run_.duration.value_or(0) + *kernel.duration;
      if (kernel.has_data) ++run_.kernels_with_data;
    }
    for (KernelDiagnosis& kernel : run_.kernels) {
      if (kernel.duration && run_.duration && *run_.duration > 0) kernel.runtime_share = *kernel.duration / *run_.duration;
      kernel.opportunity.score = derive::opportunity_score(kernel.readings, kernel.roofline, kernel.runtime_share);
      kernel.opportunity.label = derive::opportunity_label(kernel.opportunity.score, kernel.runtime_share.has_value());
    }
    // A kernel without a duration cannot outrank a timed one.
    std::stable_sort(run_.kernels.begin(), run_.kernels.end(),
                     [](const KernelDiagnosis& a, const KernelDiagnosis& b) { return a.duration.value_or(-1) > b.duration.value_or(-1); });
  }

  void combine_run() {
    model::LaunchGroup all;
    std::map<std::string_view, double> leads;
    double total = 0;
    const auto weight = [&](const KernelDiagnosis& kernel) {
      return run_.duration ? kernel.duration.value_or(0) : static_cast<double>(kernel.launches);
    };
    for (const KernelDiagnosis& kernel : run_.kernels) {
      for (const model::LaunchGroup& group : kernel.kernel->groups) merge(all, group);
    }
    const std::vector<const KernelDiagnosis*> judged = with_data(run_.kernels);
    for (const KernelDiagnosis* kernel : judged) total += weight(*kernel);
    // A file where only kernels without metrics were timed: the others count by their launches.
    const bool by_launches = total <= 0;
    if (by_launches)
      total = std::accumulate(judged.begin(), judged.end(), 0.0,
                              [](double sum, const KernelDiagnosis* kernel) { return sum + static_cast<double>(kernel->launches); });
    for (const KernelDiagnosis* kernel : judged) {
      const double own = by_launches ? static_cast<double>(kernel->launches) : weight(*kernel);
      const double share = judged.size() == 1 ? 1.0 : own / total;
      if (share <= 0) continue;
      leads[kernel->primary] += share;
      for (const Finding& finding : kernel->findings) add(run_.findings, finding, share);
    }
    rank(run_.findings);
    run_.primary = leads.empty() ? insufficient
                                 : leader(leads, leads.contains(judged.front()->primary) ? judged.front()->primary : leads.begin()->first);
    lead(run_.findings, run_.primary);
    run_.readings = run_.kernels.size() == 1
                        ? run_.kernels[0].readings
                        : complete(derive::readings_of(run_.session, all, knowledge_.metrics, derive::Launches::different));
    if (!run_.kernels.empty()) {
      run_.roofline = judged.front()->roofline;
      run_.others = judged.front()->others;
    }
  }

  const knowledge::Knowledge& knowledge_;
  RunDiagnosis& run_;
  derive::Formulas formulas_;
};

}  // namespace

Result<RunDiagnosis> diagnose(model::Session session, const knowledge::Knowledge& knowledge, const Options& options) {
  RunDiagnosis run;
  run.session = std::move(session);
  model::LaunchGroup all;
  for (const model::Kernel& kernel : run.session.kernels) {
    for (const model::LaunchGroup& group : kernel.groups) merge(all, group);
  }
  const model::Readings attributes = derive::readings_of(run.session, all, knowledge.metrics);
  if (!options.gpu_model.empty()) TRY(knowledge::match_option(knowledge.gpus, options.gpu_model));
  run.device = derive::find_device(run.session, attributes, knowledge.gpus, "");
  const bool stands_back = options.gpu_is_fallback && (run.device.match.product || run.device.match.limits);
  const std::string gpu_model = stands_back ? "" : options.gpu_model;
  if (!gpu_model.empty()) run.device = derive::find_device(run.session, attributes, knowledge.gpus, gpu_model);
  if (!gpu_model.empty() && options.gpu_is_fallback) run.device.origin = "the settings";
  if (!gpu_model.empty() && !run.device.match.product && !run.device.match.limits) {
    return fail(ErrorKind::usage, "--gpu-model '{}': {}", gpu_model, run.device.match.explanation);
  }
  run.thresholds = knowledge.labels.thresholds();
  if (!options.arch_profile.empty()) {
    TRY_ASSIGN(const knowledge::GpuOverrides overrides, knowledge::GpuOverrides::load(options.arch_profile, run.thresholds));
    TRY(derive::apply_overrides(overrides, gpu_model, run.device));
    TRY(run.thresholds.lay(run.device.profile->classifier_thresholds));
  }
  Diagnoser(knowledge, run).run();
  return run;
}

}  // namespace frx::diagnose
