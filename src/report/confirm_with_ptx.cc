#include "report/confirm_with_ptx.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/text.h"
#include "detect/code_rules.h"
#include "report/ptx_evidence.h"

namespace frx::report {
namespace {

using model::Finding;

constexpr std::string_view confirmation = " Confirmed by PTX: ";

// A header is compiled with every file that includes it; one of them is enough.
bool is_confirmed(const Finding& finding) { return finding.message.view().find(confirmation) != std::string::npos; }

void confirm(Finding& finding, const PtxVerdict& verdict) {
  if (!verdict.confidence.empty()) finding.confidence = verdict.confidence;
  finding.message = fmt::format("{}{}{}.", finding.message.view(), confirmation, verdict.sentence);
}

std::string withdrawal(const Finding& finding, const PtxVerdict& verdict) {
  return fmt::format("{} at {}:{} withdrawn: in PTX {}", finding.id(), printable(file_name_in(finding.place().file)), finding.place().line,
                     verdict.sentence);
}

}  // namespace

void confirm_with_ptx(CudaReport& report, const PtxReport& ptx) {
  const PtxEvidence evidence(report, ptx);
  report.held_against_ptx = true;
  std::vector<Finding> kept, withheld;
  for (Finding& finding : report.findings) {
    const PtxVerdict verdict = is_confirmed(finding) ? PtxVerdict{} : evidence.about(finding);
    if (verdict.kind == PtxVerdict::withdrawn) {
      report.notes.push_back(withdrawal(finding, verdict));
      continue;
    }
    if (verdict.kind == PtxVerdict::confirmed) confirm(finding, verdict);
    kept.push_back(std::move(finding));
  }
  // What was not shown and is withdrawn needs no note.
  for (Finding& finding : report.withheld) {
    const PtxVerdict verdict = evidence.about(finding);
    if (verdict.kind == PtxVerdict::withdrawn) continue;
    const bool is_confirmed = verdict.kind == PtxVerdict::confirmed, is_sure = is_confirmed && verdict.confidence == "high";
    if (is_confirmed) finding.tier = std::min(finding.tier, model::Tier::pedantic);
    const bool is_shown = is_sure || finding.tier <= report.last_shown;
    if (is_shown && is_confirmed) confirm(finding, verdict);
    (is_shown ? kept : withheld).push_back(std::move(finding));
  }
  detect::sort_findings(kept);
  report.findings = std::move(kept);
  report.withheld = std::move(withheld);
}

}  // namespace frx::report
