#include <algorithm>
#include <cmath>
#include <span>

#include "base/text.h"
#include "base/units.h"
#include "compose/markdown.h"
#include "compose/page.h"
#include "compose/run_comparison.h"
#include "compose/run_comparison_words.h"

namespace frx::compose {
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

std::string operator_words(const report::ComparedOperator& row) { return row.shapes.empty() ? row.name : row.name + " " + row.shapes; }

// "fused from aten::add, aten::relu", "" for most.
std::string fused_words(const report::ComparedOperator& row) {
  if (row.fused_of.empty()) return "";
  return fmt::format("{} {}", row.second_ns ? "fused from" : "split into", join(row.fused_of, ", "));
}

void add_operators(Page& page, const RunComparison& comparison) {
  const report::OperatorComparison& operators = comparison.operators;
  if (operators.rows.empty()) return;
  const std::size_t shown = std::min(kernels_shown, operators.rows.size());
  page.section("OPERATORS BY CHANGE OF GPU TIME, PER STEP", shown, operators.rows.size());
  const auto line = [&](const std::optional<double>& first, const std::optional<double>& second, std::string_view what) {
    page.raw(fmt::format("  {:>10}{:>11}{:>12}  {}", time_or_dash(first), time_or_dash(second), change_of(first, second),
                         clip(printable(what), page.width() - 37)));
  };
  page.raw(fmt::format("  {:>10}{:>11}{:>12}  {}", clip(comparison.first.label, 9), clip(comparison.second.label, 10), "change",
                       operators.by_shapes ? "operator and shapes of its inputs" : "operator"));
  double first = operators.first_ns, second = operators.second_ns;
  for (const report::ComparedOperator& row : std::span(operators.rows).first(shown)) {
    line(row.first_ns, row.second_ns, operator_words(row));
    if (const std::string fused = fused_words(row); !fused.empty())
      page.raw(fmt::format("{:37}{}", "", clip(printable(fused), page.width() - 37)));
    first -= row.first_ns.value_or(0);
    second -= row.second_ns.value_or(0);
  }
  if (shown < operators.rows.size())
    line(std::max(0.0, first), std::max(0.0, second), fmt::format("{} others", operators.rows.size() - shown));
  line(operators.first_ns, operators.second_ns, "all work of the GPU");
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
  add_operators(page, comparison);
  add_kernels(page, comparison);
  page.section("NOTES");
  for (const std::string& note : comparison.notes) page.hanging("- ", note);
  return page.take();
}

std::string run_comparison_markdown(const RunComparison& comparison) {
  const std::string first = markdown_text(comparison.first.label), second = markdown_text(comparison.second.label);
  std::string text = fmt::format("### frx: {}\n\n", markdown_text(verdict_sentence(comparison)));
  if (const std::string words = what_would_tell(comparison); !words.empty())
    text += fmt::format("What would tell: {}.\n\n", markdown_text(words));
  text += markdown_head({"", "steps", "GPU", "leading"}, false);
  for (const ComparedRun* run : {&comparison.first, &comparison.second})
    text += markdown_row({markdown_text(run->label), steps_of(*run), markdown_text(run->gpus), markdown_text(run->primary)});
  if (!comparison.parts.empty()) text += "\n" + markdown_head({"part of a step", first, second, "change"});
  for (const ComparedPart& part : comparison.parts) {
    text += markdown_row(
        {std::string(part.name), time_or_dash(part.first_ns), time_or_dash(part.second_ns), change_of(part.first_ns, part.second_ns)});
  }
  if (!comparison.operators.rows.empty()) text += "\n" + markdown_head({"operator, per step", first, second, "change"});
  for (const report::ComparedOperator& row :
       std::span(comparison.operators.rows).first(std::min(kernels_shown, comparison.operators.rows.size()))) {
    text +=
        markdown_row({markdown_code(clip(operator_words(row), 100)) + (row.fused_of.empty() ? "" : ", " + markdown_text(fused_words(row))),
                      time_or_dash(row.first_ns), time_or_dash(row.second_ns), change_of(row.first_ns, row.second_ns)});
  }
  if (!comparison.kernels.empty()) text += "\n" + markdown_head({"kernel, per step", first, second, "change"});
  for (const ComparedKernel& row : std::span(comparison.kernels).first(std::min(kernels_shown, comparison.kernels.size()))) {
    text += markdown_row({markdown_code(clip(row.name, 80)), time_or_dash(row.first_ns), time_or_dash(row.second_ns),
                          change_of(row.first_ns, row.second_ns)});
  }
  text += "\n";
  for (const std::string& note : comparison.notes) text += fmt::format("- {}\n", markdown_text(note));
  return text;
}

}  // namespace frx::compose
