#include "compose/documents.h"

#include <algorithm>

#include "base/text.h"
#include "base/units.h"
#include "compose/recommendation_text.h"

namespace frx::compose {
namespace {

constexpr std::size_t scope_recommendations_shown = 3;
constexpr std::string_view what_busy_gpus_of_amd_leave =
    "None about how the GPU is fed. Look into the kernels with the most time: rocprofv3 --kernel-trace -- COMMAND times them, "
    "rocprof-compute profile -- "
    "COMMAND measures them.";
constexpr std::string_view what_busy_gpus_leave =
    "None about how the GPU is fed. Look into the kernels with the most time: frx profile -- COMMAND measures them with Nsight Compute.";

// What a label rests on: the facts that were measured, over which steps, and the rule that weighs them.
std::string basis_of(const model::Finding& finding, const report::RunScope& scope) {
  std::vector<std::string> facts;
  for (const model::Evidence& line : finding.evidence) {
    const std::string_view unit = line.value.unit;
    if (line.is_known)
      facts.push_back(fmt::format("{} = {}", line.value.id,
                                  unit.empty() ? format_number(line.value.value()) : format_quantity(line.value.value(), unit)));
  }
  const std::size_t steps = scope.step_numbers.size();
  return fmt::format("{}{}{}. The rule is {}: {}. `frx analyze FILE --why {}` says more.", facts.empty() ? "no facts" : join(facts, ", "),
                     steps == 0 ? std::string(" over the recording") : fmt::format(" over {}", count_text(steps, "step")),
                     scope.name == "run" ? "" : fmt::format(" ({})", scope.name), finding.type->where, finding.type->rule, finding.id());
}

}  // namespace

std::string primary_words(const report::RunScope& scope) {
  const diagnose::TrainingDiagnosis& d = scope.diagnosis;
  if (const model::Finding* facing = d.with_id(d.user_facing)) return fmt::format("{} ({})", facing->display(), d.user_facing);
  return d.user_facing.empty() ? "none: too little was recorded" : "inconclusive: nothing stands out";
}

std::string confidence_words(const report::RunScope& scope) {
  const diagnose::TrainingDiagnosis& d = scope.diagnosis;
  return fmt::format("{} ({:.2f}): {}", d.confidence_level, d.confidence, d.confidence_reason);
}

void add_run_verdict(Document& page, const report::RunScope& scope) {
  const diagnose::TrainingDiagnosis& d = scope.diagnosis;
  page.section("Verdict", answer::Part::verdict);
  const model::Finding* facing = d.with_id(d.user_facing);
  page.fact("Primary", primary_words(scope), 17, facing ? basis_of(*facing, scope) : "");
  if (!d.findings.empty()) {
    if (d.user_facing != d.primary) page.fact("Internal Signal", fmt::format("{} (symptom)", d.primary));
    page.fact("Confidence", confidence_words(scope));
  }
  if (d.thresholds_source != "defaults") page.fact("Thresholds", fmt::format("{} ({})", d.thresholds_source, d.thresholds_hash));
  for (const std::string& why : d.why) page.hanging("- ", why);
  for (const model::Finding& finding : d.findings) {
    if (finding.id() == d.user_facing || finding.id() == d.primary) continue;
    page.add(answer::Item{.head = "- ",
                          .text = fmt::format("{} ({}) holds too, {:.2f}", finding.display(), finding.id(), finding.score),
                          .source = basis_of(finding, scope)});
  }
}

void add_framework_tax(Document& page, const report::RunScope& scope) {
  if (!scope.tax) return;
  page.section("Framework abstraction tax");
  page.fact("Score", fmt::format("{}/100 ({})", scope.tax->score, scope.tax->severity));
  if (scope.tax->is_worth_naming) page.paragraph("The GPU idles, and neither loader, copies nor waits explain it.");
  if (scope.tax->contributors.empty()) return;
  page.paragraph("Contributors:");
  for (const diagnose::TaxContributor& one : scope.tax->contributors)
    page.hanging("- ", fmt::format("{}{}", one.name, one.inferred ? " (inferred)" : ""), 4);
}

void add_run_recommendations(Document& page, const report::RunScope& scope) {
  add_recommendations(page, scope.advice, scope_recommendations_shown,
                      !scope.diagnosis.with_id("gpu_kept_busy") ? "None: no rule answers what was found."
                      : scope.program.is_amd.value_or(false)    ? what_busy_gpus_of_amd_leave
                                                                : what_busy_gpus_leave,
                      {.max_actions = 3, .brief = true});
}

}  // namespace frx::compose
