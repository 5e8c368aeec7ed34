#include "compose/documents.h"
#include "compose/figures.h"

#include <algorithm>

#include "base/text.h"
#include "base/units.h"
#include "compose/hot_lines.h"
#include "compose/metric_table.h"
#include "compose/ncu_sections.h"
#include "compose/ncu_words.h"
#include "compose/recommendation_text.h"

namespace frx::compose {
namespace {

using report::NcuReport;

constexpr std::size_t snapshot_width = 26;

void add_recommendations(Document& page, const NcuReport& report, std::size_t most, CardOptions style) {
  style.names_kernel = report.kernels.size() > 1;
  style.ncu_runs = ncu_runs_on(report);
  add_recommendations(page, report.advice, most, "None: no rule answers what was found.", style);
}

// The documented measured metrics of the short report. Missing ones print n/a.
void add_snapshot(Document& page, const NcuReport& report) {
  page.section("Measured metrics");
  constexpr std::string_view left_out[] = {"tensor_core_utilization_pct", "global_load_sectors_per_request", "dominant_stall"};
  const std::vector<MetricRow> rows = metric_rows(report);
  for (const MetricRow& row : rows) {
    if (std::find(std::begin(left_out), std::end(left_out), row.id) == std::end(left_out)) page.fact(row.name, row.value, snapshot_width);
  }
  const std::optional<double> memory = report::stall_fraction(report.stalls, "memory");
  page.fact("Memory Stall Fraction", memory ? fmt::format("{:.2f}", *memory) : "n/a", snapshot_width);
  page.fact(rows.back().name, rows.back().value, snapshot_width);
  const report::Kernel* focus = focus_kernel(report);
  const std::string occupancy = focus ? occupancy_text(focus->occupancy) : std::string();
  page.fact("Occupancy Limits", occupancy.empty() ? "n/a" : occupancy, snapshot_width);
}

void add_ranking(Document& page, const NcuReport& report) {
  constexpr std::size_t limit = 5;
  const std::size_t shown = std::min(limit, report.findings.size());
  page.section("Bottleneck ranking", shown, report.findings.size());
  if (shown == 0) page.paragraph("None. " + verdict_words(report));
  for (std::size_t i = 0; i < shown; ++i) {
    const model::Finding& finding = report.findings[i];
    std::string text = fmt::format("{} ({})", finding.display(), finding.id());
    if (!finding.consequence_of.empty()) text += fmt::format(", consequence of {}", finding.consequence_of);
    page.hanging(fmt::format("{}. {:.2f}  ", i + 1, finding.score), text);
  }
}

// What an export of Nsight Compute lacks is news; that a timeline holds no counters is not.
void add_short_times(Document& page, const NcuReport& report) {
  add_kernel_times(page, report);
  if (report.primary != "insufficient_ncu_data") add_ranking(page, report);
  add_recommendations(page, report, 3, {.max_actions = 3, .brief = true});
  add_notes(page, report);
  add_next_steps(page, report);
}

}  // namespace

Document document_of(const NcuReport& report, answer::Detail detail) {
  Document page;
  const bool is_brief = detail == answer::Detail::brief;
  page.headline = fmt::format("{} ({}), {} confidence", report.primary_display, report.primary, report.confidence);
  add_header(page, is_brief ? "FRX NCU analysis" : "FRX GPU profile report", report);
  add_verdict(page, report);
  const bool is_short_list = is_brief && has_only_times(report);
  add_validation(page, report, is_brief && !is_short_list ? 4 : 0);
  if (is_short_list) {
    add_short_times(page, report);
    return page;
  }
  if (is_brief) {
    add_snapshot(page, report);
    add_ranking(page, report);
    add_recommendations(page, report, 3, {.max_actions = 3, .brief = true});
    return page;
  }
  add_metrics(page, report);
  add_kernels(page, report);
  add_bottlenecks(page, report);
  add_hot_lines(page, report);
  add_figures(page, report);
  add_recommendations(page, report, report.advice.recommendations.size(), {});
  add_profiler_rules(page, report);
  add_notes(page, report);
  add_next_steps(page, report);
  return page;
}

}  // namespace frx::compose
