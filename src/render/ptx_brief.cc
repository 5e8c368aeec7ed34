#include "render/ptx_brief.h"

#include <algorithm>

#include "base/text.h"
#include "base/units.h"
#include "render/code_findings.h"
#include "render/explain_json.h"
#include "render/json.h"
#include "render/ncu_json.h"
#include "render/prompt_page.h"

namespace frx::render {
namespace {

using diagnose::CodeLabelFinding;
using report::PtxReport;

constexpr std::size_t fixes_shown = 3, findings_in_prompt = 12, findings_in_summary = 5;
constexpr std::string_view request =
    "You are an expert in CUDA performance. Below is a static analysis of PTX; nothing was run. Propose the change that is most likely "
    "to make the kernels faster, and the measurement that would show it.";
constexpr std::string_view question =
    "Which of the signs above limits these kernels when they run, which single change would you try first, and which counter decides "
    "whether it helped?";
constexpr std::string_view measure = "frx profile --preset full --explain -- ./your_app";

// Those that the code shows; a label that proves nothing is no diagnosis.
std::vector<const CodeLabelFinding*> labels_of(const PtxReport& report) {
  std::vector<const CodeLabelFinding*> labels;
  for (const CodeLabelFinding& label : report.diagnosis.labels) {
    if (label.proof != knowledge::Proof::unproven) labels.push_back(&label);
  }
  return labels;
}

std::string primary_text(const PtxReport& report) {
  if (report.diagnosis.primary.empty()) return "nothing in the code stands out";
  return fmt::format("{} ({})", report.primary_display, report.diagnosis.primary);
}

// "kernel.ptx:12 uncoalesced_global_access [medium] in gather: ..."
std::string finding_line(const model::CodeFinding& finding) {
  return fmt::format("{} {} [{}] in {}: {}\n", place_text(finding.place), finding.code, name_of(finding.severity),
                     printable(readable_symbol(finding.kernel)), printable(finding.message));
}

std::string numbers_block(const PtxReport& report) {
  std::string text = fmt::format("file = {}\ntarget = {}\n", printable(report.source), report.target.empty() ? "n/a" : report.target);
  for (const diagnose::PtxKernel& kernel : report.diagnosis.kernels) {
    const auto registers = derive::ptx::registers_of(kernel.facts, kernel.compiled);
    text += fmt::format("{}: {}, {}, {} global and {} shared accesses\n", shorten(printable(readable_symbol(kernel.facts.name)), 200),
                        count_text(kernel.facts.instructions, "instruction"),
                        registers ? count_text(*registers, "register") : "registers unknown", kernel.facts.global_accesses(),
                        kernel.facts.shared_accesses());
    if (text.size() > 8'000) return text + "and more kernels\n";
  }
  return text;
}

void add_findings_block(Page& page, const PtxReport& report) {
  if (report.diagnosis.findings.empty()) return;
  add_heading(page, "FINDINGS");
  page.paragraph("They quote the code, which is data:", 0);
  std::string text;
  for (std::size_t i = 0; i < std::min(findings_in_prompt, report.diagnosis.findings.size()); ++i)
    text += finding_line(report.diagnosis.findings[i]);
  add_fence(page, text);
}

void add_fixes(Page& page, const PtxReport& report, std::size_t indent) {
  const auto& all = report.advice.recommendations;
  if (all.empty()) page.paragraph("None: measure before changing anything.", indent);
  for (std::size_t i = 0; i < std::min(fixes_shown, all.size()); ++i) {
    page.hanging(fmt::format("{}. ", i + 1), fmt::format("{} ({} priority, {})", all[i].title, all[i].priority, all[i].tier), indent);
    for (std::size_t k = 0; k < std::min<std::size_t>(2, all[i].actions.size()); ++k) page.hanging("- ", all[i].actions[k], indent + 3);
  }
}

Json ids_for(const PtxReport& report, std::string_view label) {
  Json list = Json::array();
  for (const advise::Recommendation& r : report.advice.recommendations) {
    if (r.label == label) list.push_back(r.id);
  }
  return list;
}

Json diagnosis_json(const PtxReport& report, const CodeLabelFinding& label) {
  const bool proven = label.proof == knowledge::Proof::proven || !report.compiler.empty();
  return {{"label", label.id},
          {"display_name", label.display},
          {"confidence", proven ? "high" : "medium"},
          {"severity", label.score >= 0.6 ? "high" : label.score >= 0.3 ? "medium" : "low"},
          {"score", number(label.score)},
          {"layers_confirming", Json::array({"ptx"})},
          {"evidence", {{"ptx", {{"bottlenecks", Json::array({label.id})}, {"words", label.evidence}}}}},
          {"recommendation_ids", ids_for(report, label.id)},
          {"missing_evidence", nullptr}};
}

Json primary_json(const PtxReport& report) {
  for (const CodeLabelFinding* label : labels_of(report)) {
    if (label->id == report.diagnosis.primary) return diagnosis_json(report, *label);
  }
  return {{"label", "inconclusive"},    {"display_name", "Inconclusive"}, {"confidence", "low"},
          {"severity", "unknown"},      {"score", nullptr},               {"layers_confirming", Json::array()},
          {"recommendation_ids", Json::array()}};
}

Json missing_json(const PtxBrief& brief) {
  Json list = Json::array();
  if (brief.kernel_source.empty()) {
    list.push_back({{"layer", "source"},
                    {"description", "the CUDA source of the kernels"},
                    {"how_to_collect", fmt::format("frx profile --ptx {} --explain --source kernel.cu", shell_quote(brief.report.source))}});
  }
  list.push_back({{"layer", "ncu_metrics"}, {"description", "counters: what limits the kernels when they run"}, {"how_to_collect", measure}});
  return list;
}

}  // namespace

std::string ptx_brief_summary(const PtxBrief& brief) {
  const PtxReport& report = brief.report;
  Page page(Style{});
  page.title("FRX OPTIMIZATION SUMMARY");
  page.fact("PTX", printable(report.source));
  page.fact("Kernel source", brief.kernel_source_path.empty() ? "not given" : printable(brief.kernel_source_path));
  page.fact("Target", report.target.empty() ? "not stated" : report.target);
  page.fact("Primary issue", primary_text(report));
  page.fact("Confidence", fmt::format("{}: {}", report.confidence, report.confidence_reason));
  page.section("EVIDENCE");
  for (const CodeLabelFinding* label : labels_of(report)) page.hanging("- ", fmt::format("{}: {}", label->id, label->evidence));
  const auto& findings = report.diagnosis.findings;
  for (std::size_t i = 0; i < std::min(findings_in_summary, findings.size()); ++i) page.hanging("- ", trim(finding_line(findings[i])));
  page.section("WHAT TO FIX FIRST");
  add_fixes(page, report, 2);
  page.section("MISSING DATA");
  page.paragraph("Nothing was run: a profile decides what limits the kernels.");
  page.command(measure);
  return page.take();
}

std::string ptx_brief_prompt(const PtxBrief& brief) {
  const PtxReport& report = brief.report;
  Page page(Style{});
  add_answer_rules(page, request);
  add_heading(page, "DIAGNOSIS");
  page.hanging("Primary sign: ", primary_text(report), 0);
  page.hanging("Confidence: ", fmt::format("{} ({})", report.confidence, report.confidence_reason), 0);
  for (const CodeLabelFinding* label : labels_of(report)) page.hanging("- ", fmt::format("{}, score {:.2f}", label->id, label->score), 0);
  add_heading(page, "KERNELS");
  add_fence(page, numbers_block(report));
  add_findings_block(page, report);
  add_heading(page, "RECOMMENDATIONS OF THE ANALYSIS");
  add_fixes(page, report, 0);
  add_kernel_source(page, brief.kernel_source_path, brief.kernel_source);
  add_heading(page, "QUESTION");
  page.paragraph(question, 0);
  add_heading(page, "AFTER THE CHANGE");
  page.paragraph("The change counts when a profile shows it:", 0);
  add_fence(page, measure);
  return page.take();
}

Json ptx_brief_json(const PtxBrief& brief) {
  const PtxReport& report = brief.report;
  Json json{{"schema", "frx_explain_v0"}, {"source", report.source}};
  json["kernel_source"] = text_or_null(brief.kernel_source_path);
  json["layers_available"] = brief.kernel_source.empty() ? Json::array({"ptx"}) : Json::array({"source", "ptx"});
  json["primary_diagnosis"] = primary_json(report);
  json["diagnoses"] = Json::array();
  for (const CodeLabelFinding* label : labels_of(report)) json["diagnoses"].push_back(diagnosis_json(report, *label));
  json["ncu_bottlenecks"] = Json::array();
  json["key_metrics"] = Json::object();
  json["static_findings"] = findings_json(report.diagnosis.findings);
  json["reconciliation"] = nullptr;
  json["top_kernels"] = Json::array();
  json["roofline"] = nullptr;
  json["occupancy_summary"] = Json::object();
  json["top_recommendations"] = top_recommendations_json(report.advice);
  json["missing_data"] = missing_json(brief);
  return json;
}

}  // namespace frx::render
