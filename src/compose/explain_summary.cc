// frx_summary.txt: the diagnosis on one page, for people.

#include <algorithm>

#include "base/text.h"
#include "compose/documents.h"
#include "compose/explain_facts.h"
#include "compose/findings.h"
#include "compose/hot_lines.h"
#include "compose/ncu_words.h"
#include "compose/recommendation_text.h"

namespace frx::compose {
namespace {

using report::NcuReport;

void add_summary_line(Document& page, std::string_view label, std::string_view text) { page.hanging(pad_right(label, 14) + ": ", text); }

void add_head(Document& page, const ExplainInput& input) {
  const NcuReport& report = input.report;
  std::string layers;
  for (const std::string_view layer : layers_available(input)) layers += (layers.empty() ? "" : ", ") + std::string(layer);
  page.title("FRX optimization summary");
  add_summary_line(page, "Profile", report.source);
  add_summary_line(page, "Kernel source", input.source.path.empty() ? "not given" : input.source.path);
  add_summary_line(page, "Layers", layers);
  add_summary_line(page, "GPU", report.gpu);
  page.blank();
  add_summary_line(page, "Primary issue", fmt::format("{} ({})", report.primary_display, report.primary));
  add_summary_line(
      page, "Confidence",
      report.confidence_reason.empty() ? report.confidence : fmt::format("{}: {}", report.confidence, report.confidence_reason));
  if (const diagnose::Reconciled* together = reconciled_with(input, report.primary); together && together->layers.size() > 1)
    add_summary_line(page, "Source agrees", fmt::format("{}, {}", together->diagnosis->id, diagnose::name_of(together->confidence)));
  add_summary_line(page, "Severity", severity_of(primary_finding(report)));
}

void add_evidence(Document& page, const NcuReport& report) {
  page.section("Evidence");
  Table table{{{"metric", 32}, number_column("value", 9), {"status"}}};
  table.headings = Table::Headings::implied;
  for (const KeyMetric& metric : key_metrics(report)) {
    if (!metric.value) continue;
    table.add(
        {metric.label, metric.text, metric.caveat.empty() ? std::string(metric.word) : fmt::format("{}; {}", metric.word, metric.caveat)});
  }
  for (const auto& [reason, value, kind] : report.stalls) {
    if (reason != report.dominant_stall || value <= 5) continue;
    table.add({"Dominant stall", percent_text(value), reason});
  }
  if (table.rows.empty()) page.paragraph("none of the key metrics is in the file");
  page.add(std::move(table));
}

void add_cause(Document& page, const NcuReport& report) {
  page.section("Root cause");
  page.paragraph(verdict_words(report));
  const model::Finding* finding = primary_finding(report);
  const std::string stake = finding ? stake_text(*finding, report) : std::string();
  if (!stake.empty()) page.paragraph("At stake: " + stake + ".");
}

// What the source shows of these kernels.
void add_source(Document& page, const ExplainInput& input) {
  const std::vector<const model::Finding*> findings = source_findings(input, 3);
  if (findings.empty()) return;
  page.section("In the source");
  for (const model::Finding* finding : findings)
    page.hanging("- ", fmt::format("{} {}: {}", place_text(finding->place()), finding->id(), finding->message));
}

void add_hot_places(Document& page, const NcuReport& report) {
  constexpr std::size_t shown = 3;
  const report::Kernel* const focus = focus_kernel(report);
  if (!focus || focus->hot.lines.empty()) return;
  page.section("Where to look");
  page.paragraph("Share of " + hot_basis(focus->hot));
  std::set<std::string_view> explained;
  for (const report::HotLine* line : lines_to_show(focus->hot, shown)) {
    const std::string facts = join(hot_facts(*line, focus->hot.by_samples, explained), "; ");
    page.hanging(pad_left(hot_share(*line, focus->hot.by_samples), 8) + "  ", hot_place(*line) + (facts.empty() ? "" : ", " + facts));
  }
}

void add_fixes(Document& page, const NcuReport& report) {
  page.section("What to fix first");
  const auto& all = report.advice.recommendations;
  if (all.empty()) page.paragraph("no recommendation answers what was found");
  for (std::size_t i = 0; i < all.size() && i < 2; ++i) {
    const std::string speedup = speedup_text(all[i]);
    page.hanging(fmt::format("{}. ", i + 1),
                 speedup.empty() ? std::string(all[i].title) : fmt::format("{} (estimated {} faster)", all[i].title, speedup));
    if (!all[i].actions.empty()) page.paragraph(all[i].actions.front(), 5);
  }
}

void add_secondary(Document& page, const NcuReport& report) {
  const std::vector<std::string> labels = secondary_labels(report);
  if (labels.empty()) return;
  page.section("Secondary issues");
  for (std::size_t i = 0; i < labels.size() && i < 2; ++i) {
    const model::Finding* finding = find_finding(report.findings, labels[i]);
    page.hanging("- ", fmt::format("{} ({}), score {:.2f}{}", finding->display(), finding->id(), finding->score,
                                   finding->consequence_of.empty() ? "" : fmt::format(", consequence of {}", finding->consequence_of)));
  }
}

void add_missing(Document& page, const ExplainInput& input) {
  page.section("Missing data");
  for (const MissingData& missing : missing_data(input)) {
    page.hanging("- ", fmt::format("{}: {}", missing.layer, missing.description));
    if (!missing.how_to_collect.empty()) page.command(missing.how_to_collect);
  }
}

}  // namespace

Document explain_summary_document(const ExplainInput& input) {
  Document page;
  add_head(page, input);
  add_evidence(page, input.report);
  add_cause(page, input.report);
  add_source(page, input);
  add_hot_places(page, input.report);
  add_fixes(page, input.report);
  add_secondary(page, input.report);
  add_missing(page, input);
  return page;
}

}  // namespace frx::compose
