#include <algorithm>
#include <cmath>
#include <span>

#include "base/text.h"
#include "base/units.h"
#include "render/page.h"
#include "render/run_comparison.h"
#include "render/run_comparison_words.h"

namespace frx::render {
namespace {

using derive::compare::Answer;
using report::ComparedKernel;
using report::ComparedPart;
using report::ComparedRun;
using report::RunComparison;

constexpr std::size_t kernels_shown = 8;

std::string time_or_dash(const std::optional<double>& ns) { return ns ? format_quantity(*ns, "ns") : "-"; }

std::string signed_time(double ns) { return fmt::format("{}{}", ns < 0 ? "-" : "+", format_quantity(std::abs(ns), "ns")); }

std::string change_of(const std::optional<double>& first, const std::optional<double>& second) {
  if (first && second) return signed_time(*second - *first);
  return first ? "gone" : "new";
}

Tone tone_of(Answer answer) { return answer == Answer::better ? Tone::green : answer == Answer::worse ? Tone::red : Tone::yellow; }

void add_side(Page& page, const ComparedRun& run) {
  const std::string gpus = run.gpus.empty() ? "GPU not named" : run.gpus;
  page.hanging(pad_right(clip(printable(run.label), 15), 15) + " : ",
               fmt::format("{} ({}), {}, {}{}", printable(run.source), run.evidence, gpus, steps_of(run),
                           run.primary.empty() ? "" : "; leading: " + run.primary));
}

void add_parts(Page& page, const RunComparison& comparison) {
  if (comparison.parts.empty()) return;
  page.section("WHERE A STEP GOES");
  page.raw(fmt::format("  {:<24}{:>12}{:>12}{:>13}", "", clip(comparison.first.label, 11), clip(comparison.second.label, 11), "change"));
  double first = 0, second = 0;
  for (const ComparedPart& part : comparison.parts) {
    first += part.first_ns.value_or(0);
    second += part.second_ns.value_or(0);
    page.raw(fmt::format("  {:<24}{:>12}{:>12}{:>13}", part.name, time_or_dash(part.first_ns), time_or_dash(part.second_ns),
                         change_of(part.first_ns, part.second_ns)));
  }
  page.raw(fmt::format("  {:<24}{:>12}{:>12}{:>13}", "step", time_or_dash(first), time_or_dash(second), signed_time(second - first)));
}

void add_kernels(Page& page, const RunComparison& comparison) {
  if (comparison.kernels.empty()) return;
  const std::size_t shown = std::min(kernels_shown, comparison.kernels.size());
  page.section("KERNELS BY CHANGE, PER STEP", shown, comparison.kernels.size());
  page.raw(fmt::format("  {:>10}{:>11}{:>12}  {}", clip(comparison.first.label, 9), clip(comparison.second.label, 10), "change", "kernel"));
  for (const ComparedKernel& row : std::span(comparison.kernels).first(shown)) {
    page.raw(fmt::format("  {:>10}{:>11}{:>12}  {}", time_or_dash(row.first_ns), time_or_dash(row.second_ns),
                         change_of(row.first_ns, row.second_ns), clip(printable(row.name), page.width() - 37)));
  }
}

}  // namespace

std::string run_comparison_text(const RunComparison& comparison, const Style& style) {
  Page page(style);
  page.title("FRX RUN COMPARISON");
  add_side(page, comparison.first);
  add_side(page, comparison.second);
  page.section("VERDICT");
  page.paragraph(verdict_sentence(comparison), 2, tone_of(comparison.judgement.answer));
  if (const std::string words = what_would_tell(comparison); !words.empty()) page.paragraph("What would tell: " + words + ".");
  add_parts(page, comparison);
  add_kernels(page, comparison);
  page.section("NOTES");
  for (const std::string& note : comparison.notes) page.hanging("- ", note);
  return page.take();
}

std::string run_comparison_markdown(const RunComparison& comparison) {
  const auto cell = [](std::string text) {
    for (std::size_t at = text.find('|'); at != text.npos; at = text.find('|', at + 2)) text.insert(at, "\\");
    return text;
  };
  std::string text = fmt::format("### frx: {}\n\n", cell(verdict_sentence(comparison)));
  if (const std::string words = what_would_tell(comparison); !words.empty()) text += "What would tell: " + words + ".\n\n";
  text += "| | steps | GPU | leading |\n|---|---|---|---|\n";
  for (const ComparedRun* run : {&comparison.first, &comparison.second}) {
    text += fmt::format("| {} | {} | {} | {} |\n", cell(printable(run->label)), steps_of(*run), cell(run->gpus), run->primary);
  }
  if (!comparison.parts.empty()) {
    text += fmt::format("\n| part of a step | {} | {} | change |\n|---|---:|---:|---:|\n", cell(printable(comparison.first.label)),
                        cell(printable(comparison.second.label)));
    for (const ComparedPart& part : comparison.parts) {
      text += fmt::format("| {} | {} | {} | {} |\n", part.name, time_or_dash(part.first_ns), time_or_dash(part.second_ns),
                          change_of(part.first_ns, part.second_ns));
    }
  }
  text += "\n";
  for (const std::string& note : comparison.notes) text += fmt::format("- {}\n", cell(printable(note)));
  return text;
}

}  // namespace frx::render
