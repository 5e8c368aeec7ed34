#include <algorithm>
#include <cmath>
#include <span>

#include "base/text.h"
#include "base/units.h"
#include "compose/documents.h"
#include "compose/markdown.h"
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

void add_side(Document& page, const ComparedRun& run) {
  const std::string gpus = run.gpus.empty() ? "GPU not named" : run.gpus;
  page.hanging(pad_right(clip(printable(run.label), 15), 15) + " : ",
               fmt::format("{} ({}), {}, {}{}", printable(run.source), run.evidence, gpus, steps_of(run),
                           run.primary.empty() ? "" : "; leading: " + run.primary));
}

void add_parts(Document& page, const RunComparison& comparison) {
  if (comparison.parts.empty()) return;
  page.section("Where a step goes");
  Table table{{{"", 24}, number_column(comparison.first.label, 12), number_column(comparison.second.label, 12), number_column("change", 13)}};
  double first = 0, second = 0;
  for (const ComparedPart& part : comparison.parts) {
    first += part.first_ns.value_or(0);
    second += part.second_ns.value_or(0);
    table.add({part.name, time_or_dash(part.first_ns), time_or_dash(part.second_ns), change_of(part.first_ns, part.second_ns)});
  }
  table.add({"step", time_or_dash(first), time_or_dash(second), signed_time(second - first)});
  page.add(std::move(table));
}

// Times of both sides, and what they are of.
Table changes_table(const RunComparison& comparison, std::string_view what) {
  return {{number_column(comparison.first.label, 10), number_column(comparison.second.label, 11), number_column("change", 12),
           names_column(what)}};
}

void add_kernels(Document& page, const RunComparison& comparison) {
  if (comparison.kernels.empty()) return;
  const std::size_t shown = std::min(kernels_shown, comparison.kernels.size());
  page.section("Kernels by change, per step", shown, comparison.kernels.size());
  Table table = changes_table(comparison, "kernel");
  for (const ComparedKernel& row : std::span(comparison.kernels).first(shown))
    table.add({time_or_dash(row.first_ns), time_or_dash(row.second_ns), change_of(row.first_ns, row.second_ns), row.name});
  page.add(std::move(table));
}

std::string operator_words(const report::ComparedOperator& row) { return row.shapes.empty() ? row.name : row.name + " " + row.shapes; }

// "fused from aten::add, aten::relu", "" for most.
std::string fused_words(const report::ComparedOperator& row) {
  if (row.fused_of.empty()) return "";
  return fmt::format("{} {}", row.second_ns ? "fused from" : "split into", join(row.fused_of, ", "));
}

void add_operators(Document& page, const RunComparison& comparison) {
  const report::OperatorComparison& operators = comparison.operators;
  if (operators.rows.empty()) return;
  const std::size_t shown = std::min(kernels_shown, operators.rows.size());
  page.section("Operators by change of GPU time, per step", shown, operators.rows.size());
  Table table = changes_table(comparison, operators.by_shapes ? "operator and shapes of its inputs" : "operator");
  table.columns.push_back({"", 0, false, 2, false, Fit::cut, Tone::plain, 37});
  const auto add = [&](const std::optional<double>& before, const std::optional<double>& after, std::string_view what,
                       std::string_view fused = {}) {
    table.add({time_or_dash(before), time_or_dash(after), change_of(before, after), what, fused});
  };
  double first = operators.first_ns, second = operators.second_ns;
  for (const report::ComparedOperator& row : std::span(operators.rows).first(shown)) {
    add(row.first_ns, row.second_ns, operator_words(row), fused_words(row));
    first -= row.first_ns.value_or(0);
    second -= row.second_ns.value_or(0);
  }
  if (shown < operators.rows.size())
    add(std::max(0.0, first), std::max(0.0, second), fmt::format("{} others", operators.rows.size() - shown));
  add(operators.first_ns, operators.second_ns, "all work of the GPU");
  page.add(std::move(table));
}

}  // namespace

Document document_of(const RunComparison& comparison) {
  Document page;
  page.title("FRX run comparison");
  add_side(page, comparison.first);
  add_side(page, comparison.second);
  page.section("Verdict");
  page.paragraph(verdict_sentence(comparison), 2, tone_of(comparison.judgement.answer));
  if (const std::string words = what_would_tell(comparison); !words.empty()) page.paragraph("What would tell: " + words + ".");
  add_parts(page, comparison);
  add_operators(page, comparison);
  add_kernels(page, comparison);
  add_notes(page, comparison.notes);
  return page;
}

std::string markdown_of(const RunComparison& comparison) {
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
