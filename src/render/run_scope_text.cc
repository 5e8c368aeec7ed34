#include "render/run_scope_text.h"

#include <algorithm>

#include "render/recommendation_text.h"

namespace frx::render {
namespace {

constexpr std::size_t recommendations_shown = 3;
constexpr std::string_view what_busy_gpus_leave =
    "None about how the GPU is fed. Look into the kernels with the most time: frx profile -- COMMAND measures them with Nsight Compute.";

}  // namespace

void add_run_verdict(Page& page, const report::RunScope& scope) {
  const diagnose::TrainingDiagnosis& d = scope.diagnosis;
  page.section("VERDICT");
  if (d.findings.empty()) {
    page.fact("Primary", d.primary == "inconclusive" ? "inconclusive: nothing stands out" : "none: too little was recorded");
  } else {
    const diagnose::RunFinding* facing = d.with_id(d.user_facing);
    page.fact("Primary", fmt::format("{} ({})", facing ? facing->label->display : d.user_facing, d.user_facing));
    if (d.user_facing != d.primary) page.fact("Internal Signal", fmt::format("{} (symptom)", d.primary));
    page.fact("Confidence", fmt::format("{} ({:.2f}): {}", d.confidence_level, d.confidence, d.confidence_reason));
  }
  if (d.thresholds_source != "defaults") page.fact("Thresholds", fmt::format("{} ({})", d.thresholds_source, d.thresholds_hash));
  for (const std::string& why : d.why) page.hanging("- ", why);
  for (const diagnose::RunFinding& finding : d.findings) {
    if (finding.label->id == d.user_facing || finding.label->id == d.primary) continue;
    page.hanging("- ", fmt::format("{} ({}) holds too, {:.2f}", finding.label->display, finding.label->id, finding.score));
  }
}

void add_framework_tax(Page& page, const report::RunScope& scope) {
  if (!scope.tax) return;
  page.section("FRAMEWORK ABSTRACTION TAX");
  page.fact("Score", fmt::format("{}/100 ({})", scope.tax->score, scope.tax->severity));
  if (scope.tax->contributors.empty()) return;
  page.raw("  Contributors:");
  for (const diagnose::TaxContributor& one : scope.tax->contributors)
    page.hanging("- ", fmt::format("{}{}", one.name, one.inferred ? " (inferred)" : ""), 4);
}

void add_run_recommendations(Page& page, const report::RunScope& scope) {
  const auto& all = scope.advice.recommendations;
  const std::size_t shown = std::min(recommendations_shown, all.size());
  page.section("RECOMMENDATIONS", shown, all.size());
  if (all.empty())
    page.paragraph(scope.diagnosis.with_id("gpu_kept_busy") ? what_busy_gpus_leave : "None: no rule answers what was found.");
  for (std::size_t i = 0; i < shown; ++i) {
    if (i > 0) page.blank();
    CardOptions options;
    options.number = i + 1;
    options.max_actions = 3;
    options.brief = true;
    add_card(page, all[i], options);
  }
}

}  // namespace frx::render
