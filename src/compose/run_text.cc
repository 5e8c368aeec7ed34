#include <algorithm>
#include <span>

#include "base/text.h"
#include "base/units.h"
#include "compose/documents.h"
#include "compose/figures.h"
#include "compose/ranks_words.h"

namespace frx::compose {
namespace {

using model::RunFact;
using report::RunReport;
using report::RunScope;

// Of the trace whose steps are shown.
std::int64_t rank_of_trace(const RunReport& report) { return report.ranks->ranks[report.ranks->answering].rank; }
double waiting(const RunReport& report) { return report.ranks ? report.ranks->lateness.ranks[report.ranks->answering].lost_share : 0; }

void add_head(Document& page, const RunReport& report, const RunScope& scope) {
  page.headline = primary_words(scope);
  page.title("FRX run analysis");
  page.fact("Run", printable(report.name) + (report.job.empty() ? "" : fmt::format(" ({})", printable(report.job))));
  if (!report.status.empty()) page.fact("Status", printable(report.status));
  page.fact("Evidence", report.evidence + (report.trace && report.evidence != "profiler trace" ? ", profiler trace" : ""));
  std::string steps = count_text(scope.step_numbers.size(), "completed step");
  if (scope.skipped > 0) steps += fmt::format(", the first {} left out as warming up", scope.skipped);
  page.fact("Steps", steps);
}

// What was not recorded says so.
void add_snapshot(Document& page, const RunReport& report, const RunScope& scope) {
  constexpr std::size_t name_width = 21;
  const bool without_waiting = report.ranks && report.evidence == "profiler trace" && report.ranks->left_out > 0;
  page.section(without_waiting ? fmt::format("Performance snapshot of rank {}, without its waiting", rank_of_trace(report))
                               : "Performance snapshot");
  const auto number = [&](std::string_view name, RunFact fact, double scale, std::string_view unit, int digits = 1) {
    page.fact(name, scope.facts[fact] ? fmt::format("{:.{}f}{}", scale * *scope.facts[fact], digits, unit) : "not recorded", name_width);
  };
  number("Avg GPU Utilization", RunFact::gpu_utilization_pct, 1, " %");
  number("Avg Memory Util", RunFact::memory_utilization_pct, 1, " %");
  number("Peak Memory Pressure", RunFact::memory_peak_ratio, 1, "", 2);
  if (const auto& times = scope.times) {
    const double before = times->total_ns - times->wall_ns;
    const std::string waiting = before > 0 ? fmt::format(" and {} waiting before it", format_quantity(before, "ns")) : "";
    page.fact("Avg Step Time", format_quantity(times->wall_ns, "ns") + waiting, name_width);
    page.fact("Throughput", fmt::format("{:.2f} steps/sec", times->per_second()), name_width);
  }
  page.fact("Dominant Stall", scope.dominant_stall, name_width);
  number("Data loader", RunFact::input_wait_fraction, 100, " % of a step");
  number("Copies to GPU", RunFact::copy_fraction, 100, " % of a step");
  number("Waiting for GPU", RunFact::sync_fraction, 100, " % of a step");
}

// What the SDK saw on each rank.
void add_streams(Document& page, const RunReport& report) {
  constexpr std::size_t most = 16;
  const std::size_t shown = std::min(most, report.streams.size());
  page.section("Ranks", shown, report.streams.size());
  Table table{{number_column("rank", 4), number_column("steps", 6, 1), number_column("step time", 10, 1),
               number_column("data loader", 12, 1), number_column("copies", 7, 1), number_column("waiting for GPU", 16, 1),
               words_column("says")}};
  for (const report::StreamOfRank& one : std::span(report.streams).first(shown)) {
    const RunScope& scope = one.scope();
    const auto percent = [&](RunFact fact) { return scope.facts[fact] ? fmt::format("{:.0f} %", 100 * *scope.facts[fact]) : "n/a"; };
    table.add({std::to_string(one.rank), std::to_string(scope.step_numbers.size()),
               scope.times ? format_quantity(scope.times->total_ns, "ns") : "n/a", percent(RunFact::input_wait_fraction),
               percent(RunFact::copy_fraction), percent(RunFact::sync_fraction), scope.diagnosis.user_facing});
  }
  page.add(std::move(table));
  page.blank();
  page.paragraph(
      "Step times are with the wait for the loader before the step, and shares are of them. Ranks that wait for each other in collectives "
      "take equally long: which of them is late shows in traces of the profiler only.");
}

}  // namespace

Document document_of(const RunReport& report, std::string_view scope_name) {
  const RunScope& scope = report.scope_named(scope_name);
  Document page;
  add_head(page, report, scope);
  const bool of_trace = report.evidence == "profiler trace";
  if (report.ranks) add_ranks(page, *report.ranks);
  if (!report.streams.empty()) add_streams(page, report);
  add_run_verdict(page, scope);
  if (report.ranks && of_trace) add_answer_from(page, *report.ranks);
  if (!report.streams.empty()) page.hanging("- ", streams_sentence(report));
  add_snapshot(page, report, scope);
  add_framework_tax(page, scope);
  // Steps of the stream and of the trace need not be the same; only those of the trace itself are chosen alike.
  if (report.trace) {
    const std::string whose = report.ranks ? fmt::format("rank {}", rank_of_trace(report)) : "";
    add_breakdown(page, *report.trace, of_trace ? scope.skipped : report.trace->scope().skipped, whose, waiting(report));
  }
  add_figures(page, report);
  add_run_recommendations(page, scope);
  const std::string about_summary = report::summary_note(report);
  if (!report.notes.empty() || !about_summary.empty()) page.section("Notes", answer::Part::closing);
  if (!about_summary.empty()) page.hanging("- ", about_summary);
  for (const std::string& note : report.notes) page.hanging("- ", note);
  return page;
}

}  // namespace frx::compose
