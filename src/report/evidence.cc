#include "report/evidence.h"

#include <algorithm>

#include "base/text.h"
#include "knowledge/presets.h"

namespace frx::report {
namespace {

using diagnose::Holds;
using diagnose::Sign;
using knowledge::Layer;

std::string place_words(const model::TextPlace& place) {
  if (place.line == 0) return "";
  return fmt::format("{}:{}", printable(file_name_in(place.file)), place.line);
}

void add_findings(Layer layer, std::span<const model::CodeFinding> findings, std::vector<Sign>& signs) {
  for (const model::CodeFinding& finding : findings) {
    signs.push_back({layer, std::string(finding.code), kernel_called(finding.kernel), Holds::yes, place_words(finding.place)});
  }
}

std::string evidence_words(const Finding& finding) {
  std::vector<std::string> words;
  for (const EvidenceLine& line : finding.evidence) {
    if (words.size() < 2) words.push_back(fmt::format("{} {:.4g} {}", line.value.label, line.value.value(), line.value.unit));
  }
  return join(words, ", ");
}

void add_kernel(const Kernel& kernel, std::vector<Sign>& signs) {
  const std::string name = kernel_called(kernel.name);
  for (const Finding& finding : kernel.findings) signs.push_back({Layer::ncu, finding.label, name, Holds::yes, evidence_words(finding)});
  for (const std::string& label : kernel.ruled_out) signs.push_back({Layer::ncu, label, name, Holds::no, "measured, and it does not hold"});
  for (const Unknown& unknown : kernel.unknown) signs.push_back({Layer::ncu, unknown.label, name, Holds::unknown, ""});
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

std::optional<MissingEvidence> missing_for(const diagnose::Reconciled& one, const knowledge::MetricCatalogue& metrics) {
  if (!one.ncu_is_silent) return std::nullopt;
  MissingEvidence missing;
  for (const model::Metric metric : one.diagnosis->counters) {
    const knowledge::MetricDefinition& definition = metrics[metric];
    const std::string_view counter = knowledge::counter_of(definition);
    if (!counter.empty()) missing.counters.push_back({counter, definition.label, definition.meaning});
  }
  if (missing.counters.empty()) return std::nullopt;
  missing.ncu_command = ncu_words(metrics_words(missing.counters), one.kernel, fmt::format("missing_{}", one.diagnosis->id));
  missing.full_collection_command = ncu_words("--set full", one.kernel, "full");
  missing.if_confirmed = one.if_confirmed;
  return missing;
}

}  // namespace

void Evidence::add(const CudaReport& report) {
  for (const std::string& file : report.files) files.emplace_back(Layer::source, file);
  add_findings(Layer::source, report.findings, signs);
}

// A label of the file is not a sign about a kernel where a finding is one: it would apply to all kernels.
void Evidence::add(const PtxReport& report) {
  files.emplace_back(Layer::ptx, report.source);
  add_findings(Layer::ptx, report.diagnosis.findings, signs);
  const bool is_one_kernel = report.diagnosis.kernels.size() == 1;
  for (const diagnose::CodeLabelFinding& label : report.diagnosis.labels) {
    if (label.proof == knowledge::Proof::unproven || !is_one_kernel) continue;
    signs.push_back({Layer::ptx, std::string(label.id), kernel_called(report.diagnosis.kernels[0].facts.name), Holds::yes, label.evidence});
  }
}

void Evidence::add(const DeviceReport& report) {
  files.emplace_back(Layer::cubin, report.source);
  add_findings(Layer::cubin, report.findings, signs);
}

void Evidence::add(const NcuReport& report) {
  files.emplace_back(Layer::ncu, report.source);
  for (const Kernel& kernel : report.kernels) add_kernel(kernel, signs);
}

void Evidence::add(std::string source, const diagnose::TrainingDiagnosis& diagnosis) {
  files.emplace_back(Layer::profiler, std::move(source));
  for (const diagnose::RunFinding& finding : diagnosis.findings)
    signs.push_back({Layer::profiler, std::string(finding.label->id), "", Holds::yes, fmt::format("score {:.2f}", finding.score)});
  for (const knowledge::RunLabel* label : diagnosis.cannot_tell)
    signs.push_back({Layer::profiler, std::string(label->id), "", Holds::unknown, ""});
}

std::vector<Layer> Evidence::layers() const {
  std::vector<Layer> layers;
  for (const auto& [layer, file] : files) {
    if (std::ranges::find(layers, layer) == layers.end()) layers.push_back(layer);
  }
  return layers;
}

std::unique_ptr<EvidenceReport> reconcile(Evidence evidence, std::vector<knowledge::ReconciledDiagnosis> known,
                                          const knowledge::MetricCatalogue& metrics) {
  auto report = std::make_unique<EvidenceReport>();
  report->evidence = std::move(evidence);
  std::ranges::stable_sort(report->evidence.files, {}, &std::pair<Layer, std::string>::first);
  report->known = std::move(known);
  report->reconciliation = diagnose::reconcile(report->known, report->evidence.layers(), report->evidence.signs);
  for (const diagnose::Reconciled& one : report->reconciliation.diagnoses) report->missing.push_back(missing_for(one, metrics));
  return report;
}

Result<std::unique_ptr<EvidenceReport>> reconcile(Evidence evidence, const knowledge::Knowledge& knowledge) {
  TRY_ASSIGN(std::vector<knowledge::ReconciledDiagnosis> known, knowledge::load_reconciliation(knowledge.library, knowledge.metrics));
  return reconcile(std::move(evidence), std::move(known), knowledge.metrics);
}

}  // namespace frx::report
