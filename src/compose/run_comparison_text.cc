#include <algorithm>
#include <cmath>
#include <span>

#include "base/text.h"
#include "base/units.h"
#include "compose/documents.h"
#include "compose/figures.h"
#include "compose/layout_diff.h"

namespace frx::compose {
namespace {

using Judged = derive::compare::Answer;
using derive::compare::Doubt;
using report::ComparedKernel;
using report::ComparedPart;
using report::ComparedRun;
using report::RunComparison;

constexpr std::size_t compared_rows_shown = 8, layouts_shown = 4;

std::string time_or_dash(const std::optional<double>& ns) { return ns ? format_quantity(*ns, "ns") : "-"; }

std::string signed_time(double ns) { return fmt::format("{}{}", ns < 0 ? "-" : "+", format_quantity(std::abs(ns), "ns")); }

std::string change_of(const std::optional<double>& first, const std::optional<double>& second) {
  if (first && second) return signed_time(*second - *first);
  return first ? "gone" : "new";
}

Tone tone_of(Judged answer) { return answer == Judged::better ? Tone::green : answer == Judged::worse ? Tone::red : Tone::yellow; }

std::string seen(const RunComparison& comparison) {
  const auto& judgement = comparison.judgement;
  if (!judgement.ratio) return "";
  const std::string unit = comparison.per_sample ? "a sample" : "a step";
  std::string text =
      fmt::format("{} takes {:.2f} times as long in {} as in {}", unit, *judgement.ratio, comparison.second.label, comparison.first.label);
  if (judgement.low) text += fmt::format(" (99 % sure: {:.2f} to {:.2f})", *judgement.low, *judgement.high);
  return text;
}

std::string doubt_words(const RunComparison& comparison) {
  const auto& judgement = comparison.judgement;
  if (!comparison.not_comparable.empty()) return "the two are not comparable, " + join(comparison.not_comparable, "; ");
  switch (judgement.doubt) {
    case Doubt::too_few:
      return fmt::format("{} and {} are too few; it takes {} on each side", judgement.first, judgement.second,
                         count_text(derive::compare::fewest_values, "step"));
    case Doubt::within_noise:
      if (comparison.baselines && comparison.noise_floor == comparison.baselines->share_less()) {
        return fmt::format("any difference is within {:.3g} %, which {} runs of one configuration may differ by, too",
                           100 * comparison.noise_floor, comparison.baselines->runs);
      }
      return fmt::format("any difference is within {:.3g} %, which is noise", 100 * comparison.noise_floor);
    case Doubt::too_scattered: return "the steps scatter too much";
    case Doubt::none: break;
  }
  return {};
}

std::string steps_of(const report::ComparedRun& run) {
  if (run.step_ns.empty()) return "no steps";
  const double median = derive::compare::median_of(run.step_ns);
  std::string text =
      fmt::format("{} of {} (median)", count_text(run.step_ns.size(), run.has_steps ? "step" : "recording"), format_quantity(median, "ns"));
  if (run.skipped > 0) text += fmt::format(", {} left out as warming up", run.skipped);
  return text;
}

void add_side(Document& page, const ComparedRun& run) {
  const std::string gpus = run.gpus.empty() ? "GPU not named" : run.gpus;
  page.hanging(pad_right(clip(printable(run.label), 15), 15) + " : ",
               fmt::format("{} ({}), {}, {}{}", printable(run.source), run.evidence, gpus, steps_of(run),
                           run.primary.empty() ? "" : "; leading: " + run.primary));
}

void add_parts(Document& page, const RunComparison& comparison) {
  if (comparison.parts.empty()) return;
  page.section("Where a step goes");
  Table table{{{"", 24}, label_column(comparison.first.label, 12), label_column(comparison.second.label, 12), number_column("change", 13)}};
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
  return {{label_column(comparison.first.label, 10), label_column(comparison.second.label, 11), number_column("change", 12),
           names_column(what)}};
}

void add_kernels(Document& page, const RunComparison& comparison) {
  if (comparison.kernels.empty()) return;
  const std::size_t shown = std::min(compared_rows_shown, comparison.kernels.size());
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
  const std::size_t shown = std::min(compared_rows_shown, operators.rows.size());
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

// "What carries it: idle: data loader, -55.97 ms a step; against it: idle: not launched, +13.29 ms."
std::string carrier_words(const RunComparison& comparison) {
  const ComparedPart* carrier = comparison.carrier();
  if (!carrier) return {};
  if (comparison.judgement.answer == Judged::cannot_tell) {
    return fmt::format(
        " What the recordings do tell: \"{}\" takes {} a step instead of {}, which by itself makes a step {:.2f} times as long "
        "(99 % sure: {:.2f} to {:.2f}).",
        carrier->name, time_or_dash(carrier->second_ns), time_or_dash(carrier->first_ns), *carrier->effect.ratio, *carrier->effect.low,
        *carrier->effect.high);
  }
  std::string text = fmt::format(" Most of the difference is \"{}\": {} a step", carrier->name, signed_time(carrier->change_ns()));
  const ComparedPart* against = nullptr;
  for (const ComparedPart& part : comparison.parts) {
    if (part.change_ns() * carrier->change_ns() < 0 && (!against || std::abs(part.change_ns()) > std::abs(against->change_ns())))
      against = &part;
  }
  if (against && std::abs(against->change_ns()) >= 0.1 * std::abs(carrier->change_ns()))
    text += fmt::format("; against it, \"{}\": {}", against->name, signed_time(against->change_ns()));
  return text + ".";
}

}  // namespace

std::string what_would_tell(const RunComparison& comparison) {
  if (comparison.judgement.answer != Judged::cannot_tell || !comparison.not_comparable.empty()) return {};
  if (comparison.judgement.doubt == Doubt::too_few) return "record about 20 steps on each side, after 2 that warm up";
  if (!comparison.steps_needed) return {};
  return fmt::format("about {} on each side would tell a difference as large as this one",
                     count_text(static_cast<std::uint64_t>(*comparison.steps_needed), "step"));
}

std::string verdict_sentence(const RunComparison& comparison) {
  const std::string ratio = seen(comparison);
  switch (comparison.judgement.answer) {
    case Judged::better:
      return fmt::format("{} is faster: {}, {:.2f}x the speed.{}", comparison.second.label, ratio, 1 / *comparison.judgement.ratio,
                         carrier_words(comparison));
    case Judged::worse: return fmt::format("{} is slower: {}.{}", comparison.second.label, ratio, carrier_words(comparison));
    case Judged::cannot_tell: break;
  }
  const std::string observed = ratio.empty() ? "" : fmt::format(". What was seen: {}", ratio);
  return fmt::format("It is inconclusive which is faster: {}{}.{}", doubt_words(comparison), observed, carrier_words(comparison));
}

Document document_of(const RunComparison& comparison) {
  Document page;
  page.headline = verdict_sentence(comparison);
  page.title("FRX run comparison");
  add_side(page, comparison.first);
  add_side(page, comparison.second);
  page.section("Verdict", answer::Part::verdict);
  page.paragraph(verdict_sentence(comparison), 2, tone_of(comparison.judgement.answer));
  if (const std::string words = what_would_tell(comparison); !words.empty()) page.paragraph("What would tell: " + words + ".");
  add_parts(page, comparison);
  add_operators(page, comparison);
  add_kernels(page, comparison);
  if (comparison.layouts) add_layout_changes(page, *comparison.layouts, layouts_shown);
  add_figures(page, comparison);
  add_notes(page, comparison.notes);
  return page;
}

}  // namespace frx::compose
