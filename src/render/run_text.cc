#include "base/text.h"
#include "base/units.h"
#include "render/run_report.h"
#include "render/run_scope_text.h"

namespace frx::render {
namespace {

using model::RunFact;
using report::RunReport;
using report::RunScope;

const RunScope& chosen(const RunReport& report, std::string_view scope) { return scope == "run" ? report.run : report.scope(); }

void add_head(Page& page, const RunReport& report, const RunScope& scope) {
  page.title("FRX RUN ANALYSIS");
  page.fact("Run", printable(report.name) + (report.job.empty() ? "" : fmt::format(" ({})", printable(report.job))));
  if (!report.status.empty()) page.fact("Status", printable(report.status));
  page.fact("Evidence", report.evidence + (report.trace && report.evidence != "profiler trace" ? ", profiler trace" : ""));
  std::string steps = count_text(scope.step_numbers.size(), "completed step");
  if (scope.skipped > 0) steps += fmt::format(", the first {} left out as warming up", scope.skipped);
  page.fact("Steps", steps);
}

// Documented numbers of a run; what was not recorded says so.
void add_numbers(Page& page, const RunReport& report, const RunScope& scope) {
  page.section("MEASURED");
  const auto fact = [&](RunFact name, std::string_view unit, double scale) {
    return scope.facts[name] ? fmt::format("{:.1f}{}", scale * *scope.facts[name], unit) : std::string("not recorded");
  };
  if (const auto times = report::step_times(report.record, scope)) {
    const double before = times->total_ns - times->wall_ns;
    page.fact("Step time",
              before > 0 ? fmt::format("{} and {} waiting before it", format_quantity(times->wall_ns, "ns"), format_quantity(before, "ns"))
                         : format_quantity(times->wall_ns, "ns"));
    page.fact("Throughput", fmt::format("{:.2f} steps/s", times->per_second()));
  }
  page.fact("GPU utilisation", fact(RunFact::gpu_utilization_pct, " %", 1));
  page.fact("GPU memory, peak", fact(RunFact::memory_peak_ratio, " %", 100));
  page.fact("Data loader", fact(RunFact::input_wait_fraction, " % of a step", 100));
  page.fact("Copies to GPU", fact(RunFact::copy_fraction, " % of a step", 100));
  page.fact("Waiting for GPU", fact(RunFact::sync_fraction, " % of a step", 100));
}

}  // namespace

std::string run_text(const RunReport& report, std::string_view scope_name, const Style& style) {
  const RunScope& scope = chosen(report, scope_name);
  Page page(style);
  add_head(page, report, scope);
  add_run_verdict(page, scope);
  add_numbers(page, report, scope);
  // Steps of the stream and of the trace need not be the same; only those of the trace itself are chosen alike.
  if (report.trace) add_breakdown(page, *report.trace, report.evidence == "profiler trace" ? scope.skipped : report.trace->scope().skipped);
  add_run_recommendations(page, scope);
  const std::string about_summary = report::summary_note(report);
  if (!report.notes.empty() || !about_summary.empty()) page.section("NOTES");
  if (!about_summary.empty()) page.hanging("- ", about_summary);
  for (const std::string& note : report.notes) page.hanging("- ", note);
  return page.take();
}

}  // namespace frx::render
