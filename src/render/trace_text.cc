#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "base/units.h"
#include "render/page.h"
#include "render/run_scope_text.h"
#include "render/trace_report.h"
#include "report/time_parts.h"

namespace frx::render {
namespace {

using derive::trace::GpuTime;
using derive::trace::GpuTrack;
using derive::trace::ProcessTimes;
using model::RunFact;
using report::TraceReport;

constexpr std::size_t gpus_shown = 8, rows_shown = 5;

std::string steps_text(const TraceReport& report, std::size_t skipped) {
  if (!report.has_step_boundaries()) return "none marked; the recording counts as one";
  const auto& steps = report.processes.front().steps;
  std::string text = fmt::format("{} ({})", count_text(report.step_count(), "step"), printable(steps.name));
  if (skipped > 0) text += fmt::format(", the first {} left out as warming up", skipped);
  return text;
}

std::string step_time_text(const TraceReport& report, std::size_t skipped) {
  const std::optional<double> time = report.step_time_ns(skipped);
  return time ? format_quantity(*time, "ns") : "n/a";
}

void add_head(Page& page, const TraceReport& report, std::size_t skipped) {
  page.title("FRX TRACE ANALYSIS");
  page.fact("File", printable(report.source));
  const std::string gpus = report.gpu_names();
  if (!report.gpus.empty()) page.fact("GPU", gpus.empty() ? fmt::format("{}, not named", count_text(report.gpus.size(), "GPU")) : gpus);
  if (report.facts.rank) {
    page.fact("Rank", report.facts.world_size ? fmt::format("{} of {}", *report.facts.rank, *report.facts.world_size)
                                              : fmt::format("{}", *report.facts.rank));
  }
  page.fact("Recorded", fmt::format("{}, {}, {}", count_text(report.events, "event"), count_text(report.kernels, "kernel"),
                                    count_text(report.operators, "operator call")));
  page.fact("Steps", steps_text(report, skipped));
  page.fact(report.has_step_boundaries() ? "Step time" : "Time", step_time_text(report, skipped));
}

// Waiting for late ranks apart from the rest of exposed communication.
std::vector<report::TimePart> shown_parts(const GpuTime& time, double waiting) {
  const std::int64_t waited = std::min(time.communication, static_cast<std::int64_t>(waiting * static_cast<double>(time.span)));
  std::vector<report::TimePart> parts;
  for (report::TimePart part : report::parts_of(time)) {
    if (part.name == "exposed communication") {
      parts.push_back({"waiting for late ranks", waited});
      part.ns -= waited;
    }
    parts.push_back(part);
  }
  return parts;
}

void add_bar(Page& page, const report::TimePart& part, std::int64_t span) {
  const double share = static_cast<double>(part.ns) / static_cast<double>(span);
  const std::size_t room = page.width() > 42 ? page.width() - 36 : 8;
  const auto length = static_cast<std::size_t>(std::lround(share * static_cast<double>(room)));
  const Tone tone = part.name == "computing" ? Tone::green : part.name.starts_with("idle") ? Tone::red : Tone::yellow;
  const std::string row = fmt::format("  {:<23}{:>5.1f} %", part.name, 100 * share);
  page.raw(length == 0 ? row : row + "  " + page.paint(tone, std::string(length, '#')));
}

}  // namespace

void add_breakdown(Page& page, const TraceReport& report, std::size_t skipped, std::string_view whose, double waiting) {
  const std::string heading = whose.empty() ? "WHERE A STEP GOES" : fmt::format("WHERE A STEP OF {} GOES", whose);
  std::size_t shown = 0;
  for (const ProcessTimes& process : report.processes) {
    for (const GpuTrack& gpu : process.gpus) {
      const GpuTime time = report::time_after(gpu, skipped);
      if (time.span <= 0 || shown == 2) continue;
      ++shown;
      page.section(report.gpus.size() == 1 ? heading : fmt::format("{} ON GPU {}", heading, gpu.device));
      for (const report::TimePart& part : shown_parts(time, waiting)) {
        if (part.ns * 1000 >= time.span) add_bar(page, part, time.span);
      }
    }
  }
}

namespace {

void add_gpus(Page& page, const TraceReport& report) {
  if (report.gpus.size() < 2) return;
  const std::size_t shown = std::min(gpus_shown, report.gpus.size());
  page.section("GPUS", shown, report.gpus.size());
  page.raw("  GPU  process        busy  computing  communication  leading");
  for (const report::GpuVerdict& gpu : std::span(report.gpus).first(shown)) {
    const auto percent = [&](RunFact fact) { return gpu.facts[fact] ? fmt::format("{:.1f} %", 100 * *gpu.facts[fact]) : "n/a"; };
    page.raw(fmt::format("  {:>3}  {:<12} {:>7} {:>10} {:>14}  {}", gpu.device, clip(printable(gpu.pid), 12),
                         percent(RunFact::gpu_busy_fraction), percent(RunFact::compute_fraction), percent(RunFact::communication_fraction),
                         gpu.primary));
  }
}

void add_times(Page& page, std::string_view heading, const std::vector<report::TimeOf>& rows) {
  if (rows.empty()) return;
  const std::size_t shown = std::min(rows_shown, rows.size());
  page.section(heading);
  for (const report::TimeOf& row : std::span(rows).first(shown)) {
    page.raw(fmt::format("  {:>9} {:>7}x  {}", format_quantity(static_cast<double>(row.gpu_ns), "ns"), row.count,
                         clip(printable(row.name), page.width() - 22)));
  }
}

}  // namespace

std::string trace_text(const TraceReport& report, std::string_view scope_name, const Style& style) {
  const report::RunScope& scope = scope_name == "run" ? report.run : report.scope();
  Page page(style);
  add_head(page, report, scope.skipped);
  add_run_verdict(page, scope);
  add_framework_tax(page, scope);
  add_breakdown(page, report, scope.skipped);
  add_gpus(page, report);
  add_times(page, "OPERATORS BY GPU TIME", report.top_operators);
  add_times(page, "BACKWARD PASS BY FORWARD OPERATOR", report.top_backward);
  add_times(page, "KERNELS BY TIME", report.top_kernels);
  add_run_recommendations(page, scope);
  if (!report.notes.empty()) page.section("NOTES");
  for (const std::string& note : report.notes) page.hanging("- ", note);
  return page.take();
}

}  // namespace frx::render
