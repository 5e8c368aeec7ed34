#include "report/evidence.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "base/text.h"
#include "derive/compare/kernel_spelling.h"
#include "knowledge/presets.h"
#include "report/layout/layout_report.h"

namespace frx::report {
namespace {

using model::Finding;
using model::Layer;

// Kernels have one name in all layers.
void add_all(std::span<const Finding> findings, std::string_view kernel, std::vector<Finding>& into) {
  for (const Finding& finding : findings) into.emplace_back(finding).kernel = kernel;
}

void add_all(std::span<const Finding> findings, std::vector<Finding>& into) {
  for (const Finding& finding : findings) into.emplace_back(finding).kernel = kernel_called(finding.kernel);
}

// Does the line show, by its own counters, a tenth or more of what the label is about?
bool shows(std::string_view label, const HotLine& line) {
  constexpr double much_pct = 10, few_lanes = 24;
  if (label == "uncoalesced_access") return line.sectors && line.sectors->of_kernel_pct >= much_pct;
  if (label == "shared_memory_bank_conflicts") return line.wavefronts && line.wavefronts->of_kernel_pct >= much_pct;
  if (label == "warp_divergence") return line.active_threads.value_or(32) < few_lanes && line.executed_share_pct.value_or(0) >= much_pct;
  if (label == "warp_stall_sync")
    return line.share_pct.value_or(0) >= much_pct && !line.stalls.empty() && line.stalls.front().reason == "barrier";
  return false;
}

std::vector<model::TextPlace> places_of(std::string_view label, const HotCode& code) {
  std::vector<model::TextPlace> places;
  for (const HotLine& line : code.lines) {
    if (line.place.line == 0 || !shows(label, line)) continue;
    model::TextPlace& place = places.emplace_back();
    place.file = line.place.file;
    place.line = line.place.line;
  }
  return places;
}

// `what`: "--set full" or "--metrics a,b". The log file keeps the program's own output out of the CSV.
std::string ncu_words(std::string_view what, std::string_view kernel, std::string_view file) {
  const std::string filter = kernel.empty() ? "" : fmt::format(" --kernel-name {}", shell_quote(kernel));
  return fmt::format("ncu --csv --page raw {}{} --log-file {}.csv ./your_app", what, filter, file);
}

std::string metrics_words(const std::vector<WantedCounter>& counters) {
  std::vector<std::string> names;
  for (const WantedCounter& counter : counters) names.emplace_back(counter.counter);
  return "--metrics " + join(names, ",");
}

model::FindingType layout_copies_type() {
  model::FindingType type;
  type.id = layout_copies_sign;
  type.display = "Layout Copies";
  type.category = "memory";
  type.layer = Layer::profiler;
  type.suggestion = "frx layout analyze on the trace tells which tensors are copied, where, and how to spare it";
  type.where = "data/reconciliation/diagnoses.yaml";
  return type;
}

// The texts stand beside the type that points to them.
struct LayoutFindingType {
  std::string id;
  model::FindingType type;
};

std::shared_ptr<const model::FindingType> layout_finding_type(const std::string& detector) {
  auto made = std::make_shared<LayoutFindingType>();
  made->id = "layout_" + detector;
  made->type.id = made->id;
  made->type.display = made->id;
  made->type.category = layout_category;
  made->type.layer = Layer::profiler;
  made->type.where = fmt::format("data/layout/detectors/{}.yaml", detector);
  return {made, &made->type};
}

model::Severity severity_of_layout(LayoutSeverity severity) {
  return severity == LayoutSeverity::high     ? model::Severity::high
         : severity == LayoutSeverity::medium ? model::Severity::medium
                                              : model::Severity::low;
}

Finding evidence_of_layout(const LayoutFinding& one) {
  constexpr double sure = 0.8, likely = 0.5;
  Finding finding;
  finding.score = one.time_share_pct.value_or(0) / 100;
  finding.severity = severity_of_layout(one.severity);
  finding.confidence = one.confidence >= sure ? "high" : one.confidence >= likely ? "medium" : "low";
  finding.message = fmt::format("{} at {}{}", one.title, one.site.text(),
                                one.time_share_pct ? fmt::format(", {:.0f} % of the GPU's time", *one.time_share_pct) : "");
  if (!one.site.file.empty()) {
    model::TextPlace& place = finding.places.emplace_back();
    place.file = one.site.file;
    place.line = one.site.line;
  }
  return finding;
}

std::optional<MissingEvidence> missing_for(const diagnose::Reconciled& one, const knowledge::MetricCatalogue& metrics) {
  if (!one.ncu_is_silent) return std::nullopt;
  MissingEvidence missing;
  for (const model::Metric metric : one.diagnosis->counters) {
    const knowledge::MetricDefinition& definition = metrics[metric];
    const std::string_view counter = knowledge::counter_of(definition);
    if (!counter.empty()) missing.counters.push_back({counter, definition.label, definition.meaning});
  }
  if (missing.counters.empty()) return std::nullopt;
  missing.ncu_command = ncu_words(metrics_words(missing.counters), one.unmeasured, fmt::format("missing_{}", one.diagnosis->id));
  missing.full_collection_command = ncu_words("--set full", one.unmeasured, "full");
  missing.if_confirmed = one.if_confirmed;
  return missing;
}

}  // namespace

void Evidence::add(const CudaReport& report) {
  for (const std::string& file : report.files) files.emplace_back(Layer::source, file);
  add_all(report.findings, findings);
  add_all(report.withheld, withheld);
}

// A label of the file does not say anything about a kernel where a finding is one: it would apply to all kernels.
void Evidence::add(const PtxReport& report) {
  files.emplace_back(Layer::ptx, report.source);
  add_all(report.diagnosis.findings, findings);
  if (report.diagnosis.kernels.size() != 1) return;
  const std::string kernel = kernel_called(report.diagnosis.kernels[0].facts.name);
  for (const Finding& label : report.diagnosis.labels) {
    if (label.proof != model::Proof::unproven) add_all(std::span(&label, 1), kernel, findings);
  }
}

void Evidence::add(const DeviceReport& report) {
  files.emplace_back(Layer::cubin, report.source);
  add_all(report.findings, findings);
}

void Evidence::add(const NcuReport& report) {
  files.emplace_back(Layer::ncu, report.source);
  for (const Kernel& kernel : report.kernels) {
    const std::string name = kernel_called(kernel.name);
    const std::size_t first = findings.size();
    add_all(kernel.findings, name, findings);
    for (Finding& finding : std::span(findings).last(kernel.findings.size())) finding.places = places_of(finding.id(), kernel.hot);
    add_all(kernel.others, name, findings);
    profiled_.push_back({derive::compare::canonical_kernel_name(readable_symbol(kernel.name)), name, first, findings.size() - first});
  }
}

// A label that does not hold for the run as a whole is not held against what one kernel shows.
void Evidence::add(std::string source, const diagnose::TrainingDiagnosis& diagnosis) {
  files.emplace_back(Layer::profiler, std::move(source));
  add_all(diagnosis.findings, "", findings);
  for (const Finding& finding : diagnosis.others) {
    if (!finding.is_clear()) findings.push_back(finding);
  }
}

void Evidence::add_layout_copies(double share) {
  constexpr double noticeable = 0.05, large = 0.10;
  static const model::FindingType type = layout_copies_type();
  if (share < noticeable) return;
  Finding& finding = findings.emplace_back();
  finding.type = &type;
  finding.score = share;
  finding.severity = share >= large ? model::Severity::high : model::Severity::medium;
  finding.confidence = "medium";
  finding.message = fmt::format("kernels that only bring tensors into another layout take {:.0f} % of kernel time", 100 * share);
}

// Where kernels of other template arguments have the same key, those that are meant get all of their name as key.
std::string Evidence::key_of_traced(const std::string& kernel) {
  const std::string key = kernel_called(kernel);
  const auto is_it = [&](const Profiled& one) { return one.name == kernel || one.name == key; };
  const auto has_key = [&](const Profiled& one) { return one.key == key; };
  const auto is_other = [&](const Profiled& one) { return has_key(one) && !is_it(one); };
  if (std::ranges::none_of(profiled_, is_other)) return key;
  for (Profiled& one : profiled_) {
    if (!is_it(one)) continue;
    one.key = kernel;
    for (std::size_t i = 0; i < one.count; ++i) findings[one.first + i].kernel = kernel;
  }
  return kernel;
}

void Evidence::add(const LayoutReport& report) {
  for (const LayoutFinding& one : report.findings) {
    if (one.kind == "measure") continue;
    const auto is_type = [&](const auto& type) { return type->id == "layout_" + one.detector; };
    auto type = std::ranges::find_if(types_, is_type);
    if (type == types_.end()) type = types_.insert(types_.end(), layout_finding_type(one.detector));
    Finding finding = evidence_of_layout(one);
    finding.type = type->get();
    if (one.kernels.empty() || !one.saved_time_pct) {
      findings.push_back(std::move(finding));
      continue;
    }
    for (const std::string& kernel : one.kernels) {
      finding.kernel = key_of_traced(kernel);
      findings.push_back(finding);
    }
  }
}

std::vector<Layer> Evidence::layers() const {
  std::vector<Layer> layers;
  for (const auto& [layer, file] : files) {
    if (std::ranges::find(layers, layer) == layers.end()) layers.push_back(layer);
  }
  return layers;
}

// A withheld finding of the source is shown where another layer says the same of its kernel.
void Evidence::add_withheld_that_others_confirm(std::span<const knowledge::ReconciledDiagnosis> known) {
  std::set<std::pair<const knowledge::ReconciledDiagnosis*, std::string_view>> confirmed;  // for a kernel, "" for all
  for (const knowledge::ReconciledDiagnosis& diagnosis : known) {
    for (const Finding& finding : findings) {
      const Layer layer = finding.type->layer;
      if (layer != Layer::source && finding.fires() && diagnosis.is_confirmed_by(layer, finding.id()))
        confirmed.emplace(&diagnosis, finding.kernel.view());
    }
  }
  const auto is_confirmed = [&](const Finding& finding) {
    return std::ranges::any_of(known, [&](const knowledge::ReconciledDiagnosis& diagnosis) {
      return diagnosis.is_confirmed_by(Layer::source, finding.id()) &&
             (confirmed.contains({&diagnosis, ""}) || confirmed.contains({&diagnosis, finding.kernel.view()}));
    });
  };
  std::ranges::copy_if(withheld, std::back_inserter(findings), is_confirmed);
  withheld.clear();
}

std::unique_ptr<EvidenceReport> reconcile(Evidence evidence, std::vector<knowledge::ReconciledDiagnosis> known,
                                          const knowledge::MetricCatalogue& metrics) {
  auto report = std::make_unique<EvidenceReport>();
  report->evidence = std::move(evidence);
  std::ranges::stable_sort(report->evidence.files, {}, &std::pair<Layer, std::string>::first);
  report->known = std::move(known);
  report->evidence.add_withheld_that_others_confirm(report->known);
  report->reconciliation = diagnose::reconcile(report->known, report->evidence.layers(), report->evidence.findings);
  for (const diagnose::Reconciled& one : report->reconciliation.diagnoses) report->missing.push_back(missing_for(one, metrics));
  return report;
}

Result<std::unique_ptr<EvidenceReport>> reconcile(Evidence evidence, const knowledge::Knowledge& knowledge) {
  TRY_ASSIGN(std::vector<knowledge::ReconciledDiagnosis> known, knowledge::load_reconciliation(knowledge.library, knowledge.metrics));
  return reconcile(std::move(evidence), std::move(known), knowledge.metrics);
}

}  // namespace frx::report
