#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"
#include "base/units.h"
#include "compose/documents.h"
#include "compose/findings.h"

namespace frx::compose {
namespace {

using diagnose::Confidence;
using diagnose::Reconciled;
using model::Finding;
using report::EvidenceReport;
using report::MissingEvidence;

constexpr std::size_t for_and_against_shown = 6, kernels_named = 5;

std::string finding_words(const Finding& finding) {
  const std::string words = evidence_words(finding);
  return fmt::format("{}: {}{}", name_of(finding.type->layer), finding.id(), words.empty() ? "" : " (" + printable(words) + ")");
}

Tone tone_of(Confidence confidence) {
  return confidence >= Confidence::high ? Tone::red : confidence >= Confidence::medium ? Tone::yellow : Tone::plain;
}

// Each with how sure it is, where they differ.
std::string kernels_of(const Reconciled& one) {
  const bool differ =
      std::ranges::any_of(one.kernels, [&](const diagnose::ReconciledKernel& kernel) { return kernel.confidence != one.confidence; });
  std::vector<std::string> names;
  for (const diagnose::ReconciledKernel& one_of_them : one.kernels) {
    const std::string& kernel = one_of_them.kernel;
    if (names.size() < kernels_named)
      names.push_back(differ ? fmt::format("{} ({})", kernel, diagnose::name_of(one_of_them.confidence)) : kernel);
  }
  const std::string more = one.kernels.size() > kernels_named ? fmt::format(" and {} more", one.kernels.size() - kernels_named) : "";
  return join(names, ", ") + more;
}

void add_findings(Document& page, std::string_view mark, const std::vector<const Finding*>& findings) {
  const std::size_t shown = std::min(for_and_against_shown, findings.size());
  for (std::size_t i = 0; i < shown; ++i) page.hanging(mark, finding_words(*findings[i]), 4);
  if (shown < findings.size()) page.paragraph(fmt::format("and {} more", findings.size() - shown), 6);
}

// The evidence about further kernels, which is their own.
void add_other_kernels(Document& page, const Reconciled& one) {
  std::size_t shown = 0;
  for (const diagnose::ReconciledKernel& other : one.kernels) {
    if (other.kernel == one.kernel) continue;
    for (const Finding* finding : other.confirming) {
      if (finding->kernel.view().empty() || shown++ >= for_and_against_shown) continue;
      page.hanging("also   : ", fmt::format("{}: {}", printable(other.kernel), finding_words(*finding)), 4);
    }
  }
  if (shown > for_and_against_shown) page.paragraph(fmt::format("and {} more", shown - for_and_against_shown), 6);
}

// "memory_layout_mismatch: its remedy removes this, too", "memory_layout_mismatch in transpose".
void add_cause(Document& page, const Reconciled& one) {
  std::map<std::string_view, std::vector<std::string>> kernels;
  for (const diagnose::ReconciledKernel& kernel : one.kernels) {
    if (kernel.cause) kernels[kernel.cause->id].push_back(printable(kernel.kernel));
  }
  for (const auto& [cause, names] : kernels) {
    page.hanging("cause  : ",
                 one.cause ? fmt::format("{}: its remedy removes this, too", cause) : fmt::format("{} in {}", cause, join(names, ", ")), 4);
  }
}

void add_diagnosis(Document& page, const Reconciled& one) {
  page.hanging(fmt::format("[{}] ", diagnose::name_of(one.confidence)), fmt::format("{} ({})", one.diagnosis->display, one.diagnosis->id),
               2, tone_of(one.confidence));
  page.hanging("kernel : ", printable(kernels_of(one)), 4);
  add_findings(page, "for    : ", one.confirming);
  if (one.measured_at)
    page.hanging("where  : ",
                 fmt::format("{}:{}, where the counters of single lines show it, too", printable(one.measured_at->file.view()),
                             one.measured_at->line),
                 4);
  add_findings(page, "against: ", one.contradicting);
  add_cause(page, one);
  add_other_kernels(page, one);
  page.hanging("do     : ", one.diagnosis->fix, 4);
}

void add_missing(Document& page, const Reconciled& one, const MissingEvidence& missing) {
  page.paragraph(one.diagnosis->id);
  page.paragraph(fmt::format("confidence: {} -> {} if confirmed", diagnose::name_of(one.now), diagnose::name_of(missing.if_confirmed)), 4);
  std::vector<std::string> labels;
  for (const report::WantedCounter& counter : missing.counters) labels.emplace_back(counter.label);
  page.hanging("collect: ", join(labels, ", "), 4);
  page.command(missing.ncu_command, 4);
  page.paragraph("or everything:", 4);
  page.command(missing.full_collection_command, 4);
}

void add_unreconciled(Document& page, const EvidenceReport& report) {
  if (report.reconciliation.unreconciled.empty()) return;
  page.section("Found by one layer alone, part of none of these");
  for (const model::Layer layer : report.reconciliation.layers_available) {
    std::vector<std::string> names;
    for (const Finding* finding : report.reconciliation.unreconciled) {
      if (finding->type->layer == layer && std::ranges::find(names, finding->id()) == names.end()) names.emplace_back(finding->id());
    }
    if (!names.empty()) page.hanging(std::string(model::name_of(layer)) + ": ", join(names, ", "));
  }
}

}  // namespace

void add_diagnoses(Document& page, const EvidenceReport& report) {
  for (const Reconciled& one : report.reconciliation.diagnoses) add_diagnosis(page, one);
}

// Each diagnosis once, whichever report lacks it first.
void add_missing_evidence(Document& page, const std::vector<const EvidenceReport*>& reports) {
  std::set<std::string_view> said;
  for (const EvidenceReport* report : reports) {
    for (std::size_t i = 0; i < report->missing.size(); ++i) {
      const Reconciled& one = report->reconciliation.diagnoses[i];
      if (!report->missing[i] || !said.insert(one.diagnosis->id).second) continue;
      if (said.size() == 1) page.section("Missing evidence", answer::Part::closing);
      add_missing(page, one, *report->missing[i]);
    }
  }
}

Document document_of(const EvidenceReport& report) {
  const auto& diagnoses = report.reconciliation.diagnoses;
  Document page;
  page.headline = diagnoses.empty() ? "no cause that several layers speak of"
                                    : fmt::format("{} ({}, confidence {})", diagnoses[0].diagnosis->display, diagnoses[0].diagnosis->id,
                                                  diagnose::name_of(diagnoses[0].confidence));
  page.title("FRX evidence of several layers");
  for (const auto& [layer, file] : report.evidence.files) page.fact(model::name_of(layer), as_name(file));
  page.section("Diagnoses", diagnoses.size(), diagnoses.size(), answer::Part::verdict);
  if (diagnoses.empty()) page.paragraph("None: no layer found anything that these diagnoses are about.");
  add_diagnoses(page, report);
  add_missing_evidence(page, {&report});
  add_unreconciled(page, report);
  return page;
}

}  // namespace frx::compose
