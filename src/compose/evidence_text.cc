#include <algorithm>
#include <set>

#include "base/text.h"
#include "base/units.h"
#include "compose/documents.h"

namespace frx::compose {
namespace {

using diagnose::Confidence;
using diagnose::Reconciled;
using diagnose::Sign;
using report::EvidenceReport;
using report::MissingEvidence;

constexpr std::size_t signs_shown = 6, kernels_named = 5;

std::string sign_words(const Sign& sign) {
  return fmt::format("{}: {}{}", knowledge::name_of(sign.layer), sign.name, sign.words.empty() ? "" : " (" + printable(sign.words) + ")");
}

Tone tone_of(Confidence confidence) {
  return confidence >= Confidence::high ? Tone::red : confidence >= Confidence::medium ? Tone::yellow : Tone::plain;
}

// Each with how sure it is, where they differ.
std::string kernels_of(const Reconciled& one) {
  const bool differ = std::ranges::any_of(one.kernels, [&](const auto& kernel) { return kernel.second != one.confidence; });
  std::vector<std::string> names;
  for (const auto& [kernel, confidence] : one.kernels) {
    if (names.size() < kernels_named) names.push_back(differ ? fmt::format("{} ({})", kernel, diagnose::name_of(confidence)) : kernel);
  }
  const std::string more = one.kernels.size() > kernels_named ? fmt::format(" and {} more", one.kernels.size() - kernels_named) : "";
  return join(names, ", ") + more;
}

void add_signs(Document& page, std::string_view mark, const std::vector<const Sign*>& signs) {
  const std::size_t shown = std::min(signs_shown, signs.size());
  for (std::size_t i = 0; i < shown; ++i) page.hanging(mark, sign_words(*signs[i]), 4);
  if (shown < signs.size()) page.paragraph(fmt::format("and {} more", signs.size() - shown), 6);
}

void add_diagnosis(Document& page, const Reconciled& one) {
  page.hanging(fmt::format("[{}] ", diagnose::name_of(one.confidence)), fmt::format("{} ({})", one.diagnosis->display, one.diagnosis->id),
               2, tone_of(one.confidence));
  page.hanging("kernel : ", printable(kernels_of(one)), 4);
  add_signs(page, "for    : ", one.confirming);
  add_signs(page, "against: ", one.contradicting);
  page.hanging("do     : ", one.diagnosis->fix, 4);
}

void add_missing(Document& page, const Reconciled& one, const MissingEvidence& missing) {
  page.paragraph(one.diagnosis->id);
  page.paragraph(
      fmt::format("confidence: {} -> {} if confirmed", diagnose::name_of(one.confidence), diagnose::name_of(missing.if_confirmed)), 4);
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
  for (const knowledge::Layer layer : report.reconciliation.layers_available) {
    std::vector<std::string> names;
    for (const Sign* sign : report.reconciliation.unreconciled) {
      if (sign->layer == layer && std::ranges::find(names, sign->name) == names.end()) names.push_back(sign->name);
    }
    if (!names.empty()) page.hanging(std::string(knowledge::name_of(layer)) + ": ", join(names, ", "));
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
      if (said.size() == 1) page.section("Missing evidence");
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
  for (const auto& [layer, file] : report.evidence.files) page.fact(knowledge::name_of(layer), as_name(file));
  page.section("Diagnoses", diagnoses.size(), diagnoses.size());
  if (diagnoses.empty()) page.paragraph("None: no layer found anything that these diagnoses are about.");
  add_diagnoses(page, report);
  add_missing_evidence(page, {&report});
  add_unreconciled(page, report);
  return page;
}

}  // namespace frx::compose
