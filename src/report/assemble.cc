#include <algorithm>
#include <map>

#include "base/parallel.h"
#include "base/text.h"
#include "base/units.h"
#include "frx_generated/metric_ids.h"
#include "knowledge/presets.h"
#include "report/report.h"

namespace frx::report {
namespace {

using diagnose::KernelDiagnosis;
using diagnose::RunDiagnosis;
using model::Origin;

constexpr std::string_view stall_prefix = "warp_stall_";

class Assembler {
 public:
  Assembler(RunDiagnosis& run, const knowledge::Knowledge& knowledge) : run_(run), knowledge_(knowledge) {}

  NcuReport assemble(advise::Advice advice) {
    NcuReport report;
    report.tables = &knowledge_.tables;
    describe_source(report);
    report.primary = run_.primary;
    report.primary_display = display(run_.primary);
    report.findings = std::move(run_.findings);
    report.others = std::move(run_.others);
    report.values = values_of(run_.readings);
    report.kernels.resize(run_.kernels.size());
    for_many_in_parallel(run_.kernels.size(), [&](std::size_t i) { report.kernels[i] = to_kernel(run_.kernels[i]); });
    note_debug_kernels(report);
    note_kernels_without_data(report);
    report.kernels_with_data = run_.kernels_with_data;
    for (const Kernel& kernel : report.kernels) report.kernels_with_stalls += kernel.stalls.empty() ? 0 : 1;
    report.stalls = stalls_of(run_.readings);
    report.dominant_stall = dominant(report.stalls);
    report.roofline = run_.roofline;
    report.advice = std::move(advice);
    validate(report);
    judge_confidence(report);
    add_commands(report);
    return report;
  }

 private:
  void note_debug_kernels(NcuReport& report) const {
    for (std::size_t i = 0; i < report.kernels.size(); ++i) {
      if (!run_.session.debug_kernels.contains(run_.kernels[i].kernel->name)) continue;
      report.debug_kernels.push_back(report.kernels[i].short_name);
      report.notes.push_back(report.kernels[i].short_name + " was compiled for debugging (-G), so the compiler optimised nothing");
    }
  }

  // They do not take part in what leads, however long they ran.
  void note_kernels_without_data(NcuReport& report) const {
    const std::size_t without = run_.kernels.size() - run_.kernels_with_data;
    if (without == 0 || run_.kernels_with_data == 0) return;
    double share = 0;
    for (const KernelDiagnosis& kernel : run_.kernels) share += kernel.has_data ? 0 : kernel.runtime_share.value_or(0);
    const std::string time = share > 0 ? fmt::format(", {:.1f} % of the time,", 100 * share) : std::string();
    report.notes.push_back(fmt::format("{} of {} kernels{} {} none of the metrics that decide: what leads is of the others", without,
                                       run_.kernels.size(), time, without == 1 ? "holds" : "hold"));
  }

  void describe_source(NcuReport& report) const {
    const model::Session& session = run_.session;
    report.source = printable(session.source);
    report.format = session.format;
    report.tool = session.tool;
    report.launches = session.launches;
    report.timed_launches = session.timed_launches;
    report.lines = session.lines;
    report.places = session.places;
    report.absent_values = session.absent_values;
    report.duration_us = microseconds(run_.duration);
    report.gpu = printable(run_.device.describe());
    report.gpu_name = printable(run_.device.name);
    if (run_.device.match.product) report.gpu_id = run_.device.match.product->id;
    if (run_.device.cc) {
      report.compute_capability = fmt::format("{}.{}", run_.device.cc->major, run_.device.cc->minor);
      report.sm_version = fmt::format("sm_{}{}", run_.device.cc->major, run_.device.cc->minor);
    }
    report.gpu_note = printable(run_.device.match.explanation);
    report.thresholds_source = run_.thresholds.source();
    report.thresholds_hash = run_.thresholds.hash();
    report.thresholds = run_.thresholds;
    for (const model::Note& note : session.notes) {
      report.notes.push_back(note.line ? fmt::format("{}:{}: {}", report.source, note.line, note.text) : note.text);
    }
    for (const std::string& note : run_.device.notes) report.notes.push_back(printable(note));
    for (const std::string& message : session.tool_messages) report.notes.push_back("the tool said: " + message);
    for (const model::ProfilerRule& rule : session.rules) {
      report.profiler_rules.push_back({printable(rule.kernel), printable(rule.section), printable(rule.name), printable(rule.type),
                                       printable(rule.text), rule.estimated_speedup_pct, rule.is_local_estimate, rule.line});
    }
    report.unknown_metrics.assign(session.unknown_metrics.begin(), session.unknown_metrics.end());
  }

  std::string display(std::string_view id) const {
    const knowledge::Label* label = knowledge_.labels.with_id(id);
    return label ? std::string(label->display) : std::string(id);
  }

  std::vector<Value> values_of(const model::Readings& readings) const {
    std::vector<Value> values;
    for (std::uint16_t i = 0; i < readings.size(); ++i) {
      const model::Metric metric{i};
      if (const model::Reading* reading = readings.find(metric)) values.push_back(knowledge_.metrics.named(metric, *reading));
    }
    return values;
  }

  std::vector<Stall> stalls_of(const model::Readings& readings) const {
    std::vector<Stall> stalls;
    for (std::uint16_t i = 0; i < readings.size(); ++i) {
      const std::optional<double> value = readings.value(model::Metric{i});
      if (!value) continue;
      const std::string_view id = knowledge_.metrics.id_of(model::Metric{i});
      if (!id.starts_with(stall_prefix) || id.ends_with("_share")) continue;
      const std::string_view reason = id.substr(stall_prefix.size());
      if (reason == "selected") continue;  // an issuing warp is not stalled
      const knowledge::StallReason* const known = knowledge_.metrics.stall_reason(reason);
      stalls.push_back({std::string(reason), *value, known ? known->kind() : std::string_view()});
    }
    std::stable_sort(stalls.begin(), stalls.end(), [](const Stall& a, const Stall& b) { return a.pct > b.pct; });
    return stalls;
  }

  static std::string dominant(const std::vector<Stall>& stalls) {
    for (const Stall& stall : stalls) {
      if (stall.pct > 0 && stall.reason != "not_selected") return stall.reason;
    }
    return {};
  }

  LaunchShape to_shape(const diagnose::GroupDiagnosis& group, bool is_timed) const {
    LaunchShape shape{shape_text(group.group->grid),
                      shape_text(group.group->block),
                      group.group->launches,
                      {},
                      {},
                      {},
                      std::string(group.primary),
                      group.group->mixed};
    if (is_timed) shape.duration_us = group.weight / 1e3;
    const std::optional<std::size_t> column = run_.session.column_of(metrics::kernel_duration);
    if (column && *column < group.group->spreads.size() && group.group->spreads[*column].count > 0) {
      shape.shortest_us = group.group->spreads[*column].min / 1e3;
      shape.longest_us = group.group->spreads[*column].max / 1e3;
    }
    return shape;
  }

  // Whether the name of the kernel puts it into this class of work.
  bool is(const KernelDiagnosis& kernel, std::string_view work) const {
    const std::optional<std::size_t> bit = knowledge_.classes.with_name(work);
    return bit && (kernel.kernel_class >> *bit & 1u) != 0;
  }

  Kernel to_kernel(KernelDiagnosis& kernel) const {
    Kernel result;
    result.name = printable(kernel.kernel->name);
    result.short_name = short_kernel_name(result.name);
    result.ranges.assign(kernel.kernel->ranges.begin(), kernel.kernel->ranges.end());
    result.launches = kernel.launches;
    result.duration_us = microseconds(kernel.duration);
    if (kernel.runtime_share) result.runtime_share_pct = 100 * *kernel.runtime_share;
    result.primary = kernel.primary;
    result.primary_display = display(kernel.primary);
    result.findings = std::move(kernel.findings);
    result.others = std::move(kernel.others);
    result.values = values_of(kernel.readings);
    for (const diagnose::GroupDiagnosis& group : kernel.groups) {
      result.timed_launches += group.group->timed_launches;
      result.shapes.push_back(to_shape(group, kernel.duration.has_value()));
    }
    result.roofline = kernel.roofline;
    result.occupancy = kernel.occupancy;
    result.tensor = derive::tensor_use_of(kernel.readings, {is(kernel, "matrix"), is(kernel, "half_precision")}, run_.device);
    result.opportunity_score = kernel.opportunity.score;
    result.opportunity = kernel.opportunity.label;
    result.stalls = stalls_of(kernel.readings);
    result.dominant_stall = dominant(result.stalls);
    result.hot = hot_code(run_.session.code, kernel.kernel->name, knowledge_.metrics);
    result.has_data = kernel.has_data;
    return result;
  }

  // What differs between kernels, like the size of their blocks, is a reading of theirs alone.
  bool is_known(model::Metric metric) const {
    return run_.readings.has(metric) || std::ranges::any_of(run_.kernels, [&](const KernelDiagnosis& kernel) {
             return kernel.readings.has(metric) ||
                    std::ranges::any_of(kernel.groups, [&](const auto& group) { return group.readings.has(metric); });
           });
  }

  // The presets whose questions the file can answer. Missing metrics are partial evidence, never zeros.
  void validate(NcuReport& report) const {
    for (const Value& value : report.values) report.validation.present.emplace_back(value.id);
    std::sort(report.validation.present.begin(), report.validation.present.end());
    for (const knowledge::Preset& preset : knowledge_.presets) {
      FamilyGap gap{std::string(preset.name), {}};
      for (const model::Metric metric : preset.required) {
        if (!is_known(metric)) gap.missing.emplace_back(knowledge_.metrics[metric].id);
      }
      if (!gap.missing.empty() && preset.name != "full") {
        report.validation.warnings.push_back(fmt::format("{}: not in the file: {}", preset.name, join(gap.missing, ", ")));
      }
      report.validation.missing_by_preset.push_back(std::move(gap));
    }
  }

  static bool is_state(const model::Finding& finding) { return finding.type->kind == model::FindingKind::state; }

  void judge_confidence(NcuReport& report) const {
    const bool decided = report.is_decided();
    const bool both_sides = run_.readings.has(metrics::bandwidth_pct) && run_.readings.has(metrics::compute_pct);
    const bool stalls = !report.stalls.empty();
    double next = 0;  // the next finding that competes: a state beside its cause does not
    for (std::size_t i = 1; i < report.findings.size(); ++i) {
      if (!is_state(report.findings[i]) && !is_state(report.findings[0])) next = std::max(next, report.findings[i].score);
    }
    const double lead = report.findings.empty() ? 0 : report.findings.front().score - next;
    if (!decided) {
      report.confidence = "low";
      report.confidence_reason = report.primary == "insufficient_ncu_data" ? "the file holds too few of the metrics that decide"
                                                                           : "no measured unit or stall explains the time";
    } else if (both_sides && (stalls || report.findings.front().score >= 0.6)) {
      report.confidence = lead < 0.05 ? "medium" : "high";
      report.confidence_reason = lead < 0.05 ? "compute and memory sides were measured, but the two first findings are close"
                                             : "compute and memory sides were measured and agree on it";
    } else {
      report.confidence = "medium";
      report.confidence_reason = both_sides ? "utilisation was measured, stall reasons were not" : "only part of the picture was measured";
    }
  }

  // The one preset that all these labels need, or everything.
  static std::string_view preset_for(const std::vector<const model::Finding*>& findings) {
    std::string_view common;
    for (const model::Finding* finding : findings) {
      const std::string_view wanted = finding->type->preset.empty() ? "full" : finding->type->preset;
      if (!common.empty() && wanted != common) return "full";
      common = wanted;
    }
    return common;
  }

  // The command runs frx, which leaves out the counters that a chip does not have; a bare ncu would refuse them all.
  void add_commands(NcuReport& report) const {
    const std::vector<const model::Finding*> inconclusive = findings_with(report.others, model::Verdict::cannot_tell);
    const bool undecided = !report.is_decided();
    if (!inconclusive.empty() || undecided) {
      report.collect_command =
          fmt::format("frx profile --preset {} --out more.csv -- ./your_app", undecided ? "full" : preset_for(inconclusive));
    }
    report.next_command = "frx profile --preset full --out after.csv -- ./your_app";
  }

  RunDiagnosis& run_;
  const knowledge::Knowledge& knowledge_;
};

const Value* find(const std::vector<Value>& values, std::string_view id) {
  const auto at = std::find_if(values.begin(), values.end(), [&](const Value& value) { return value.id == id; });
  return at == values.end() ? nullptr : &*at;
}

}  // namespace

const Value* Kernel::value(std::string_view id) const { return find(values, id); }
const Value* NcuReport::value(std::string_view id) const { return find(values, id); }

const Kernel* NcuReport::kernel_of(const model::Finding& finding) const {
  const auto holds = [&](const Kernel& kernel) { return find_finding(kernel.findings, finding.id()) != nullptr; };
  const auto found = std::ranges::find_if(kernels, holds);
  return found == kernels.end() ? nullptr : &*found;
}

std::string source_text(const Value& value, const SourceFile& file) {
  const model::Reading& reading = value.reading;
  switch (reading.origin) {
    case Origin::measured: {
      if (reading.line == 0) return std::string(reading.how.empty() ? file.name : reading.how);
      std::string text = file.places == model::Places::lines ? fmt::format("{}:{}", file.name, reading.line)
                                                             : fmt::format("{}, launch {}", file.name, reading.line);
      if (reading.launches > 1) text += fmt::format(" (longest of {} launches)", reading.launches);
      return text;
    }
    case Origin::derived: return fmt::format("computed: {}", reading.how);
    case Origin::modelled: return std::string(reading.how);
    case Origin::device: return reading.how.empty() ? std::string("the device") : fmt::format("the device: {}", reading.how);
  }
  return {};
}

std::optional<double> stall_fraction(const std::vector<Stall>& stalls, std::string_view kind) {
  if (stalls.empty()) return std::nullopt;
  double sum = 0;
  for (const Stall& stall : stalls) {
    if (stall.kind == kind) sum += stall.pct;
  }
  return sum / 100;
}

std::string shape_text(const std::optional<model::Dim3>& shape) {
  return shape ? fmt::format("({}, {}, {})", (*shape)[0], (*shape)[1], (*shape)[2]) : std::string();
}

NcuReport assemble(RunDiagnosis& run, advise::Advice advice, const knowledge::Knowledge& knowledge) {
  return Assembler(run, knowledge).assemble(std::move(advice));
}

}  // namespace frx::report
