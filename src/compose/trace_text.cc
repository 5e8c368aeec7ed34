#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "base/units.h"
#include "compose/documents.h"
#include "compose/figures.h"
#include "report/time_parts.h"

namespace frx::compose {
namespace {

using model::GpuTime;
using model::RunFact;
using report::TraceReport;

constexpr std::size_t gpus_shown = 8, trace_rows_shown = 5, self_times_shown = 10, threads_shown = 3;

std::string steps_text(const TraceReport& report, std::size_t skipped) {
  if (!report.has_step_boundaries()) return "none marked; the recording counts as one";
  std::string text = fmt::format("{} ({})", count_text(report.step_count(), "step"), printable(report.processes.front().name));
  if (skipped > 0) text += fmt::format(", the first {} left out as warming up", skipped);
  return text;
}

std::string step_time_text(const TraceReport& report, std::size_t skipped) {
  const std::optional<double> time = report.step_time_ns(skipped);
  if (!time) return "n/a";
  const std::optional<std::int64_t> in_program = report.step_time_in_program_ns();
  if (!in_program) return format_quantity(*time, "ns");
  return fmt::format("{} until the GPU has done it ({} in the program, which runs ahead)", format_quantity(*time, "ns"),
                     format_quantity(static_cast<double>(*in_program), "ns"));
}

void add_head(Document& page, const TraceReport& report, std::size_t skipped) {
  page.title("FRX trace analysis");
  page.fact("File", as_name(report.source));
  const std::string gpus = report.gpu_names();
  if (!report.gpus.empty()) page.fact("GPU", gpus.empty() ? fmt::format("{}, not named", count_text(report.gpus.size(), "GPU")) : gpus);
  if (report.facts.rank) {
    page.fact("Rank", report.facts.world_size ? fmt::format("{} of {}", *report.facts.rank, *report.facts.world_size)
                                              : fmt::format("{}", *report.facts.rank));
  }
  page.fact("Recorded", fmt::format("{}, {}, {}", count_text(report.events, "event"),
                                    report.cpu ? "only of the CPU" : count_text(report.kernels, "kernel"),
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

Tone tone_of(std::string_view part) { return part == "computing" ? Tone::green : part.starts_with("idle") ? Tone::red : Tone::yellow; }

}  // namespace

void add_breakdown(Document& page, const TraceReport& report, std::size_t skipped, std::string_view whose, double waiting) {
  const std::string heading = whose.empty() ? "Where a step goes" : fmt::format("Where a step of {} goes", whose);
  std::size_t shown = 0;
  for (const model::StepTable& process : report.processes) {
    for (const model::GpuSteps& gpu : process.gpus) {
      const GpuTime time = model::total_of(gpu, skipped);
      if (time.span <= 0 || shown == 2) continue;
      ++shown;
      page.section(report.gpus.size() == 1 ? heading : fmt::format("{} on GPU {}", heading, gpu.device));
      answer::Bars bars{"part of a step", {}};
      for (const report::TimePart& part : shown_parts(time, waiting)) {
        if (part.ns * 1000 >= time.span)
          bars.bars.push_back({std::string(part.name), static_cast<double>(part.ns) / static_cast<double>(time.span), tone_of(part.name)});
      }
      page.add(std::move(bars));
    }
  }
}

namespace {

std::string_view words_of(model::IdleCause cause) {
  switch (cause) {
    case model::IdleCause::input: return "data loader";
    case model::IdleCause::sync: return "after a sync";
    case model::IdleCause::allocator: return "allocator";
    case model::IdleCause::first_use: return "first use";
    case model::IdleCause::host: return "not launched";
    case model::IdleCause::device: return "launched";
    case model::IdleCause::unknown: break;
  }
  return "unknown";
}

// The longest gaps of the first GPU, as far as they are a hundredth of the time each.
void add_gaps(Document& page, const TraceReport& report) {
  if (report.processes.empty() || report.processes.front().gpus.empty()) return;
  const model::StepTable& steps = report.processes.front();
  const model::GpuSteps& gpu = steps.gpus.front();
  const std::int64_t all = model::total_of(gpu).span;
  Table table{{number_column("length", 9),
               number_column("share", 7, 1),
               number_column(report.has_step_boundaries() ? "in step" : "after", 9, 1),
               {"idle", 20, false, 2, true, Fit::cut},
               names_column("the program was in")}};
  for (const model::IdleGap* gap : report::longest_gaps(gpu)) {
    if (gap->length() * 100 < all) continue;
    const std::string place =
        report.has_step_boundaries() ? std::to_string(steps.ids[gap->step]) : format_quantity(static_cast<double>(gap->after), "ns");
    table.add({format_quantity(static_cast<double>(gap->length()), "ns"),
               fmt::format("{:.1f} %", 100.0 * static_cast<double>(gap->length()) / static_cast<double>(all)), place,
               fmt::format("{}{}", words_of(gap->cause()), gap->is_one_off ? ", once" : ""),
               gap->during.empty() ? "nothing that was recorded" : gap->during});
  }
  if (table.rows.empty()) return;
  answer::Section section{"Longest idle gaps", ""};
  section.drawn_as = "timeline";
  page.add(std::move(section));
  page.add(std::move(table));
}

void add_gpus(Document& page, const TraceReport& report) {
  if (report.gpus.size() < 2) return;
  const std::size_t shown = std::min(gpus_shown, report.gpus.size());
  page.section("GPUs", shown, report.gpus.size());
  Table table{{number_column("GPU", 3),
               {"process", 12, false, 2, true, Fit::cut},
               number_column("busy", 7, 1),
               number_column("computing", 10, 1),
               number_column("communication", 14, 1),
               words_column("leading")}};
  for (const report::GpuVerdict& gpu : std::span(report.gpus).first(shown)) {
    const auto percent = [&](RunFact fact) { return gpu.facts[fact] ? fmt::format("{:.1f} %", 100 * *gpu.facts[fact]) : "n/a"; };
    table.add({std::to_string(gpu.device), gpu.pid, percent(RunFact::gpu_busy_fraction), percent(RunFact::compute_fraction),
               percent(RunFact::communication_fraction), gpu.primary});
  }
  page.add(std::move(table));
}

void add_times(Document& page, std::string_view heading, const std::vector<report::TimeOf>& rows, std::int64_t all_ns,
               std::string_view drawn_as = {}) {
  if (rows.empty()) return;
  const std::size_t shown = std::min(trace_rows_shown, rows.size());
  answer::Section section{std::string(heading), ""};
  section.drawn_as = drawn_as;
  page.add(std::move(section));
  Table table{{number_column("GPU time", 9), number_column("share", 7, 1), number_column("count", 8, 1), names_column("name")}};
  table.headings = Table::Headings::implied;
  for (const report::TimeOf& row : std::span(rows).first(shown))
    table.add({format_quantity(static_cast<double>(row.gpu_ns), "ns"),
               fmt::format("{:.1f} %", 100.0 * static_cast<double>(row.gpu_ns) / static_cast<double>(std::max<std::int64_t>(all_ns, 1))),
               fmt::format("{}x", row.count), row.name});
  page.add(std::move(table));
}

// How much of the recording the operators cover on each thread.
std::string threads_text(const report::CpuTimes& cpu) {
  std::vector<std::string> words;
  for (const derive::trace::OperatorThread& thread : std::span(cpu.threads).first(std::min(threads_shown, cpu.threads.size())))
    words.push_back(fmt::format("{} on thread {}", format_quantity(static_cast<double>(thread.operators_ns), "ns"), printable(thread.tid)));
  if (cpu.threads.size() > threads_shown) words.push_back(fmt::format("{} more", cpu.threads.size() - threads_shown));
  return fmt::format("{} in operators: {}. Self time is without the operators that an operator calls.",
                     format_quantity(static_cast<double>(cpu.operators_ns), "ns"), join(words, ", "));
}

void add_self_times(Document& page, const report::CpuTimes& cpu) {
  if (cpu.operators_ns <= 0) return;
  const std::size_t shown = std::min(self_times_shown, cpu.operators.size());
  page.section("Operators by self time on the CPU", shown, cpu.operator_names);
  page.paragraph(threads_text(cpu));
  Table table{{number_column("self", 9), number_column("share", 7, 1), number_column("calls", 9, 1), number_column("total", 9, 1),
               names_column("operator")}};
  for (const derive::trace::SelfTime& row : std::span(cpu.operators).first(shown)) {
    table.add({format_quantity(static_cast<double>(row.self_ns), "ns"),
               fmt::format("{:.1f} %", 100.0 * static_cast<double>(row.self_ns) / static_cast<double>(cpu.operators_ns)),
               fmt::format("{}x", row.calls), format_quantity(static_cast<double>(row.total_ns), "ns"), row.name});
  }
  page.add(std::move(table));
}

// Metrics that were never anything but 0 are in the JSON only, and so is what follows the first ones.
void add_gpu_metrics(Document& page, const TraceReport& report) {
  constexpr std::size_t metrics_shown = 24;
  std::vector<const model::GpuMetric*> shown;
  for (const model::GpuMetric& one : report.gpu_metrics) {
    if (one.largest > 0 && shown.size() < metrics_shown) shown.push_back(&one);
  }
  if (shown.empty()) return;
  const bool has_several = report.gpu_metrics.front().device != report.gpu_metrics.back().device;
  page.section("Sampled while it ran", shown.size(), report.gpu_metrics.size());
  Table table;
  if (has_several) table.columns.push_back(number_column("GPU", 3));
  for (const char* heading : {"mean", "in kernels", "largest"}) table.columns.push_back(number_column(heading, 10, 1));
  table.columns.push_back(names_column("metric"));
  for (const model::GpuMetric* one : shown) {
    std::vector<answer::Cell> cells;
    if (has_several) cells.emplace_back(fmt::to_string(one->device));
    cells.emplace_back(fmt::format("{:.1f}", one->mean));
    cells.emplace_back(one->busy_mean ? fmt::format("{:.1f}", *one->busy_mean) : "n/a");
    cells.emplace_back(fmt::format("{:.1f}", one->largest));
    cells.emplace_back(one->name);
    table.add(std::move(cells));
  }
  page.add(std::move(table));
}

}  // namespace

Document document_of(const TraceReport& report, std::string_view scope_name) {
  const report::RunScope& scope = report.scope_named(scope_name);
  Document page;
  page.headline = primary_words(scope);
  add_head(page, report, scope.skipped);
  add_run_verdict(page, scope);
  add_framework_tax(page, scope);
  add_breakdown(page, report, scope.skipped);
  add_step_chart(page, report, scope.skipped);
  add_gaps(page, report);
  add_gpus(page, report);
  if (report.cpu) add_self_times(page, *report.cpu);
  add_gpu_use(page, report);
  add_gpu_metrics(page, report);
  add_times(page, "Operators by GPU time", report.top_operators, report.all_work_ns);
  add_times(page, "Backward pass by forward operator", report.top_backward, report.all_work_ns);
  add_times(page, "Kernels by time", report.top_kernels, report.all_work_ns, "kernels");
  add_figures(page, report, scope.skipped);
  add_run_recommendations(page, scope);
  add_notes(page, report.notes);
  return page;
}

}  // namespace frx::compose
