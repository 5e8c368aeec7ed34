#include <algorithm>

#include "base/text.h"
#include "base/units.h"
#include "compose/documents.h"
#include "compose/figures.h"

namespace frx::compose {
namespace {

using Judged = derive::compare::Answer;
using derive::compare::Doubt;
using model::Bench;
using model::BenchSide;
using report::BenchClock;
using report::BenchOutputs;
using report::BenchReport;
using report::BenchTiming;

std::string time_of(const BenchClock& clock, double value) { return format_quantity(value * clock.to_ns, "ns"); }

void add_side(Document& page, std::string_view name, const BenchSide& side) {
  const std::string compiled =
      side.compile_ms ? fmt::format(", compiled in {}", format_quantity(*side.compile_ms * 1e6, "ns")) : ", not compiled";
  page.fact(name, printable(side.source) + compiled);
}

void add_gpu(Document& page, const Bench& bench) {
  if (!bench.gpu) {
    page.fact("GPU", "no driver answered");
    return;
  }
  std::string text = printable(bench.gpu->name) + (bench.gpu->driver.empty() ? "" : ", driver " + printable(bench.gpu->driver));
  if (bench.gpu->sm_clock_after_mhz) text += fmt::format(", {:.0f} MHz", *bench.gpu->sm_clock_after_mhz);
  if (bench.gpu->temperature_after_c) text += fmt::format(", {:.0f} C", *bench.gpu->temperature_after_c);
  page.fact("GPU", text);
}

void add_trouble(Document& page, std::string_view name, const BenchSide& side) {
  const std::string& trouble = side.compile_error.empty() ? side.run_error : side.compile_error;
  if (trouble.empty()) return;
  page.hanging(fmt::format("{} ({}): ", side.compile_error.empty() ? "did not run" : "did not compile", name),
               printable(side.source) + ": " + trouble, 2, Tone::red);
}

// "1.80x, 99 % sure: 1.71 to 1.90"
std::string speedup_words(const BenchClock& clock) {
  const auto& judgement = clock.judgement;
  if (!judgement.ratio) return "";
  std::string text = fmt::format("{:.2f}x", 1 / *judgement.ratio);
  if (judgement.low) text += fmt::format(" (99 % sure: {:.2f} to {:.2f})", 1 / *judgement.high, 1 / *judgement.low);
  return text;
}

std::string spread_words(const BenchClock& clock, const std::optional<BenchTiming>& timing) {
  if (!timing) return "-";
  return fmt::format("{} ({} to {})", time_of(clock, timing->median), time_of(clock, timing->min), time_of(clock, timing->max));
}

void add_times(Document& page, const BenchReport& report) {
  if (!report.clocks.front().timing[0] && !report.clocks.front().timing[1]) return;
  page.section("Times: median (fastest to slowest)");
  for (const BenchClock& clock : report.clocks) {
    if (report.basis == &clock) {
      page.hanging(fmt::format("{}  ", clock.name), "<- decides");
    } else {
      page.paragraph(clock.name);
    }
    page.hanging("before : ", spread_words(clock, clock.timing[0]), 4);
    page.hanging("after  : ", spread_words(clock, clock.timing[1]), 4);
    if (const std::string words = speedup_words(clock); !words.empty()) page.hanging("speedup: ", words, 4);
  }
  if (!report.ncu || !report.ncu->speedup) return;
  page.paragraph("kernels, by Nsight Compute (one run each, at the base clock)");
  page.hanging("before : ", format_quantity(*report.ncu->baseline_us * 1e3, "ns"), 4);
  page.hanging("after  : ", format_quantity(*report.ncu->optimized_us * 1e3, "ns"), 4);
  page.hanging("speedup: ", fmt::format("{:.2f}x", *report.ncu->speedup), 4);
}

std::string doubt_words(const BenchReport& report) {
  const derive::compare::Judgement& judgement = report.basis->judgement;
  switch (judgement.doubt) {
    case Doubt::too_few: return fmt::format("it takes {} runs of each side (--runs)", derive::compare::fewest_values);
    case Doubt::within_noise: return "any difference is within the noise: as good as equal";
    case Doubt::too_scattered: return "the runs scatter too much; more of them (--runs 20) may tell";
    case Doubt::none: break;
  }
  return {};
}

struct Verdict {
  std::string words;
  Tone tone = Tone::yellow;
};

Verdict verdict_of(const BenchReport& report) {
  if (!report.basis) return {"None: one side has no times."};
  if (report.outputs == BenchOutputs::differ)
    return {"Not comparable: the two do not compute the same. FRX_CHECKSUM: " + report.outputs_words + ".", Tone::red};
  const std::string speedup = speedup_words(*report.basis), basis = fmt::format("basis: {}", report.basis->name);
  switch (report.answer) {
    case Judged::better: return {fmt::format("Better. Speedup: {}, {}", speedup, basis), Tone::green};
    case Judged::worse: return {fmt::format("Worse. Speedup: {}, {}", speedup, basis), Tone::red};
    case Judged::cannot_tell: break;
  }
  return {fmt::format("Cannot tell: {}. Seen: {}, {}", doubt_words(report), speedup, basis)};
}

void add_verdict(Document& page, const BenchReport& report) {
  const Verdict verdict = verdict_of(report);
  page.headline = verdict.words;
  page.section("Verdict", answer::Part::verdict);
  page.paragraph(verdict.words, 2, verdict.tone);
  if (report.basis && report.outputs == BenchOutputs::same) page.paragraph("Both compute the same (FRX_CHECKSUM).");
}

void add_bottlenecks(Document& page, const BenchReport& report) {
  if (!report.ncu_trouble.empty()) {
    page.section("Bottlenecks");
    page.paragraph("Not profiled: " + report.ncu_trouble, 2, Tone::yellow);
  }
  if (!report.ncu) return;
  page.section("Bottlenecks");
  const auto list = [&](std::string_view heading, const std::vector<std::string>& labels) {
    if (!labels.empty()) page.hanging(heading, join(labels, ", "));
  };
  list("resolved : ", report.ncu->resolved);
  list("new      : ", report.ncu->appeared);
  list("unchanged: ", report.ncu->persistent);
  for (const std::string& caveat : report.ncu->caveats) page.hanging("- ", caveat);
}

}  // namespace

Document document_of(const BenchReport& report) {
  const Bench& bench = *report.bench;
  Document page;
  page.title("Bench:", fmt::format("{} -> {}", file_name_in(bench.before.source), file_name_in(bench.after.source)));
  add_side(page, "Before", bench.before);
  add_side(page, "After", bench.after);
  page.fact("Compiler", printable(bench.compiler) + (bench.architecture.empty() ? "" : " for " + printable(bench.architecture)));
  add_gpu(page, bench);
  const std::size_t runs = std::max(bench.before.runs.size(), bench.after.runs.size());
  if (runs > 0) page.fact("Runs", fmt::format("{} of each side in turn, {} before them not counted", runs, bench.warmup));
  add_trouble(page, "before", bench.before);
  add_trouble(page, "after", bench.after);
  add_times(page, report);
  add_bottlenecks(page, report);
  add_verdict(page, report);
  add_figures(page, report);
  add_notes(page, report.notes);
  return page;
}

}  // namespace frx::compose
