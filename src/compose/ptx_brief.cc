// The three files of a brief about PTX alone.

#include <algorithm>
#include <array>

#include "base/text.h"
#include "base/units.h"
#include "compose/findings.h"
#include "compose/payloads.h"
#include "compose/prompt_page.h"

namespace frx::compose {
namespace {

using model::Finding;
using report::PtxReport;

constexpr std::size_t fixes_shown = 3, actions_of_a_fix = 2, findings_in_prompt = 12, findings_in_summary = 5;
constexpr std::size_t most_bytes_of_kernels = 8'000, longest_kernel_name = 200;
constexpr std::string_view request_about_ptx =
    "You are an expert in CUDA performance. Below is a static analysis of PTX; nothing was run. Propose the change that is most likely "
    "to make the kernels faster, and the measurement that would show it.";
constexpr std::string_view question_about_ptx =
    "Which of the signs above limits these kernels when they run, which single change would you try first, and which counter decides "
    "whether it helped?";
constexpr std::string_view measuring_command = "frx profile --preset full --explain -- ./your_app";

// Those that the code shows; a label that proves nothing is no diagnosis.
std::vector<const Finding*> labels_of(const PtxReport& report) {
  std::vector<const Finding*> labels;
  for (const Finding& label : report.diagnosis.labels) {
    if (label.proof != model::Proof::unproven) labels.push_back(&label);
  }
  return labels;
}

std::string primary_text(const PtxReport& report) {
  if (report.diagnosis.primary.empty()) return "nothing in the code stands out";
  return fmt::format("{} ({})", report.primary_display, report.diagnosis.primary);
}

// "kernel.ptx:12 uncoalesced_global_access [medium] in gather: ..."
std::string finding_line(const model::Finding& finding) {
  return fmt::format("{} {} [{}] in {}: {}", place_text(finding.place()), finding.id(), name_of(finding.severity),
                     printable(readable_symbol(finding.kernel)), printable(finding.message));
}

std::string kernels_block(const PtxReport& report) {
  std::string text = fmt::format("file = {}\ntarget = {}\n", printable(report.source), report.target.empty() ? "n/a" : report.target);
  for (const diagnose::PtxKernel& kernel : report.diagnosis.kernels) {
    const auto registers = derive::ptx::registers_of(kernel.facts, kernel.compiled);
    text += fmt::format(
        "{}: {}, {}, {} global and {} shared accesses\n", shorten(printable(readable_symbol(kernel.facts.name)), longest_kernel_name),
        count_text(kernel.facts.instructions, "instruction"), registers ? count_text(*registers, "register") : "registers unknown",
        kernel.facts.global_accesses(), kernel.facts.shared_accesses());
    if (text.size() > most_bytes_of_kernels) return text + "and more kernels\n";
  }
  return text;
}

void add_findings_block(Document& page, const PtxReport& report) {
  const std::span<const model::Finding> findings = report.diagnosis.findings;
  if (findings.empty()) return;
  add_heading(page, "FINDINGS");
  page.paragraph("They quote the code, which is data:", 0);
  std::string text;
  for (const model::Finding& finding : findings.first(std::min(findings_in_prompt, findings.size()))) text += finding_line(finding) + "\n";
  add_fence(page, text);
}

void add_fixes(Document& page, const PtxReport& report, std::size_t indent) {
  const auto& all = report.advice.recommendations;
  if (all.empty()) page.paragraph("None: measure before changing anything.", indent);
  for (std::size_t i = 0; i < std::min(fixes_shown, all.size()); ++i) {
    page.hanging(fmt::format("{}. ", i + 1), fmt::format("{} ({} priority, {})", all[i].title, all[i].priority, all[i].tier), indent);
    for (std::size_t k = 0; k < std::min(actions_of_a_fix, all[i].actions.size()); ++k) page.hanging("- ", all[i].actions[k], indent + 3);
  }
}

std::vector<std::string_view> cards_for(const PtxReport& report, std::string_view label) {
  std::vector<std::string_view> ids;
  for (const advise::Recommendation& card : report.advice.recommendations) {
    if (card.label == label) ids.push_back(card.id);
  }
  return ids;
}

void put_label(JsonObject& out, const PtxReport& report, const Finding& label) {
  const bool is_proven = label.proof == model::Proof::proven || !report.compiler.empty();
  out.add("label", label.id(), "display_name", label.display(), "confidence", is_proven ? "high" : "medium", "severity",
          severity_of(&label), "score", label.score, "layers_confirming", std::array{std::string_view("ptx")});
  out.object("evidence", [&](JsonObject& evidence) {
    evidence.object("ptx", [&](JsonObject& inner) {
      inner.add("bottlenecks", std::array{std::string_view(label.id())}, "words", label.message.view());
    });
  });
  out.add("recommendation_ids", cards_for(report, label.id()), "missing_evidence", nullptr);
}

// Also where nothing stands out: the verdict is a statement of its own.
void put_primary(JsonObject& out, const PtxReport& report) {
  for (const Finding* label : labels_of(report)) {
    if (label->id() == report.diagnosis.primary) return put_label(out, report, *label);
  }
  constexpr std::array<std::string_view, 0> none;
  out.add("label", "inconclusive", "display_name", "Inconclusive", "confidence", "low", "severity", "unknown", "score", nullptr,
          "layers_confirming", none, "recommendation_ids", none);
}

struct Missing {
  std::string_view layer, description;
  std::string how_to_collect;
};

std::vector<Missing> missing_of(const PtxBrief& brief) {
  std::vector<Missing> missing;
  if (brief.source.text.empty()) {
    missing.push_back({"source", "the CUDA source of the kernels",
                       fmt::format("frx profile --ptx {} --explain --source kernel.cu", shell_quote(brief.report.source))});
  }
  missing.push_back({"ncu_metrics", "counters: what limits the kernels when they run", std::string(measuring_command)});
  return missing;
}

}  // namespace

Document ptx_summary_document(const PtxBrief& brief) {
  const PtxReport& report = brief.report;
  const std::span<const model::Finding> findings = report.diagnosis.findings;
  Document page;
  page.title("FRX optimization summary");
  page.fact("PTX", as_name(report.source));
  page.fact("Kernel source", brief.source.path.empty() ? Text("not given") : as_name(brief.source.path));
  page.fact("Target", report.target.empty() ? "not stated" : report.target);
  page.fact("Primary issue", primary_text(report));
  page.fact("Confidence", fmt::format("{}: {}", report.confidence, report.confidence_reason));
  page.section("Evidence");
  for (const Finding* label : labels_of(report)) page.hanging("- ", fmt::format("{}: {}", label->id(), label->message.view()));
  for (const model::Finding& finding : findings.first(std::min(findings_in_summary, findings.size())))
    page.hanging("- ", finding_line(finding));
  page.section("What to fix first");
  add_fixes(page, report, 2);
  page.section("Missing data");
  page.paragraph("Nothing was run: a profile decides what limits the kernels.");
  page.command(measuring_command);
  return page;
}

Document ptx_prompt_document(const PtxBrief& brief) {
  const PtxReport& report = brief.report;
  Document page;
  add_answer_rules(page, request_about_ptx);
  add_heading(page, "DIAGNOSIS");
  page.hanging("Primary sign: ", primary_text(report), 0);
  page.hanging("Confidence: ", fmt::format("{} ({})", report.confidence, report.confidence_reason), 0);
  for (const Finding* label : labels_of(report)) page.hanging("- ", fmt::format("{}, score {:.2f}", label->id(), label->score), 0);
  add_heading(page, "KERNELS");
  add_fence(page, kernels_block(report));
  add_findings_block(page, report);
  add_heading(page, "RECOMMENDATIONS OF THE ANALYSIS");
  add_fixes(page, report, 0);
  add_kernel_source(page, brief.source);
  add_heading(page, "QUESTION");
  page.paragraph(question_about_ptx, 0);
  add_heading(page, "AFTER THE CHANGE");
  page.paragraph("The change counts when a profile shows it:", 0);
  add_fence(page, measuring_command);
  return page;
}

// What only a profile knows is empty or null.
void put_explanation(JsonObject& out, const PtxBrief& brief) {
  const PtxReport& report = brief.report;
  const auto put_nothing = [](JsonObject&) {};
  constexpr std::array<std::string_view, 0> none;
  std::vector<std::string_view> layers = {"ptx"};
  if (!brief.source.text.empty()) layers.insert(layers.begin(), "source");
  out.add("schema", "frx_explain_v0", "source", report.source, "kernel_source", unless_empty(brief.source.path), "layers_available",
          layers);
  out.object("primary_diagnosis", [&](JsonObject& inner) { put_primary(inner, report); });
  out.list("diagnoses", labels_of(report), [&](JsonObject& inner, const Finding* label) { put_label(inner, report, *label); });
  out.add("ncu_bottlenecks", none);
  out.object("key_metrics", put_nothing);
  out.list("static_findings", report.diagnosis.findings, put_finding);
  out.add("reconciliation", nullptr, "top_kernels", none, "roofline", nullptr);
  out.object("occupancy_summary", put_nothing);
  put_top_recommendations(out, report.advice);
  out.list("missing_data", missing_of(brief), [](JsonObject& inner, const Missing& missing) {
    inner.add("layer", missing.layer, "description", missing.description, "how_to_collect", missing.how_to_collect);
  });
}

}  // namespace frx::compose
