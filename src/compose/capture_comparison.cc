#include "compose/capture_comparison.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "base/units.h"
#include "compose/parts.h"

namespace frx::compose {
namespace {

namespace compare = derive::compare;
using report::Agreement;
using report::CaptureComparison;
using report::CaptureRow;
using report::OperatorCapture;
using report::RowPart;
using report::RowStatus;

std::string iteration_time(double ns) { return format_quantity(ns, "ns"); }

std::string side_time(const std::optional<double>& ns) { return ns ? iteration_time(*ns) : "-"; }

std::string change_text(double ns) { return fmt::format("{}{}", ns < 0 ? "-" : "+", iteration_time(std::abs(ns))); }

// "[[8, 16], [4, 16]]" of "[[8, 16], [4, 16], [], []]": what stands at the end are numbers.
std::string without_numbers(std::string_view shapes) {
  constexpr std::string_view number = ", []", end = "]";
  if (!shapes.ends_with(end)) return std::string(shapes);
  shapes.remove_suffix(end.size());
  while (shapes.ends_with(number)) shapes.remove_suffix(number.size());
  return fmt::format("{}{}", shapes, end);
}

std::string operator_words(std::string_view name, std::string_view shapes) {
  const std::string_view words = report::shown_name(name);
  return shapes.empty() ? std::string(words) : fmt::format("{} {}", words, without_numbers(shapes));
}

// An iteration, where iterations are known.
bool has_iterations(const CaptureComparison& comparison) { return comparison.before.iterations_by != report::IterationSource::none; }

std::string row_words(const CaptureRow& row) {
  std::string words = operator_words(row.name, row.shapes);
  if (!row.shapes_after.empty()) words += " -> " + without_numbers(row.shapes_after);
  return row.is_scope ? words + " (a range, no operator)" : words;
}

std::string total_words(const CaptureComparison& comparison) {
  const double before = comparison.before_ns(), after = comparison.after_ns();
  return fmt::format("{} -> {} of kernel time{} ({:+.1f} %)", iteration_time(before), iteration_time(after),
                     has_iterations(comparison) ? " in an iteration" : "", 100 * (after - before) / before);
}

std::string ratio_words(const CaptureComparison& comparison) {
  const auto& judgement = comparison.judgement;
  if (!judgement.low) return "";
  return fmt::format(", {:.3g} times as long (99 % sure: {:.3g} to {:.3g})", *judgement.ratio, *judgement.low, *judgement.high);
}

std::string doubt_words(const CaptureComparison& comparison) {
  if (!comparison.not_comparable.empty()) return join(comparison.not_comparable, "; ");
  if (comparison.why_not == "too_few_iterations" && !has_iterations(comparison)) return "nothing marks iterations";
  if (comparison.why_not == "too_few_iterations")
    return fmt::format("{} before and {} after are too few; it takes {} on each side",
                       count_text(comparison.before.iteration_ns.size(), "iteration"), comparison.after.iteration_ns.size(),
                       report::fewest_iterations);
  if (comparison.why_not == "within_noise")
    return fmt::format("any difference is within {:.3g} %, which is noise", 100 * derive::compare::default_noise_floor);
  return "the iterations scatter too much";
}

std::string what_would_tell(const CaptureComparison& comparison) {
  if (comparison.why_not == "too_scattered") return "more iterations (--measure-iters 20) at locked clocks";
  if (comparison.why_not != "too_few_iterations") return {};
  constexpr std::string_view more = "frx operators profile SCRIPT --measure-iters 10, on each side";
  if (has_iterations(comparison)) return fmt::format("{}, or as many steps of the profiler", more);
  const std::string& how = comparison.before.how_to_mark.empty() ? comparison.after.how_to_mark : comparison.before.how_to_mark;
  return how.empty() ? std::string(more) : fmt::format("{}; in a program of your own, {}", more, how);
}

void add_capture_side(Document& page, std::string_view name, const OperatorCapture& side) {
  const std::string gpu = side.facts.device_name.empty() ? "GPU not named" : printable(side.facts.device_name);
  const std::string iterations =
      side.iterations_by == report::IterationSource::none ? "iterations not marked" : count_text(side.iteration_ns.size(), "iteration");
  page.fact(name, fmt::format("{} ({}), {}, {}", printable(side.source), side.kind, gpu, iterations));
}

void add_launches(Document& page, const CaptureComparison& comparison) {
  const auto launches = [](const OperatorCapture& side) { return static_cast<double>(side.kernels) / side.iterations(); };
  page.fact("Kernels", fmt::format("{:.6g} -> {:.6g} launches{}", launches(comparison.before), launches(comparison.after),
                                   has_iterations(comparison) ? " in an iteration" : ""));
}

Table rows_table() {
  return {{number_column("before", 9),
           number_column("after", 9, 1),
           number_column("change", 10, 1),
           {"", 13},
           words_column("operator", Fit::wrap)}};
}

Tone tone_of_row(const CaptureRow& row) {
  const bool is_better = row.judgement.answer == compare::Answer::better || row.status == RowStatus::removed;
  const bool is_worse = row.judgement.answer == compare::Answer::worse || row.status == RowStatus::added;
  return is_better ? Tone::green : is_worse ? Tone::red : Tone::plain;
}

// "fused", "fused, faster".
std::string status_words(const CaptureRow& row) {
  std::string words(report::name_of(row.status));
  if (row.status != RowStatus::fused && row.status != RowStatus::split) return words;
  if (row.judgement.answer == compare::Answer::better) return words + ", faster";
  return row.judgement.answer == compare::Answer::worse ? words + ", slower" : words;
}

void add_row(Table& table, const CaptureRow& row) {
  table.add({side_time(row.before_ns), side_time(row.after_ns), change_text(row.change_ns()), status_words(row), row_words(row)},
            tone_of_row(row));
  // What the row is called after needs no line of its own.
  const auto add_parts = [&](const std::vector<RowPart>& parts, bool is_before) {
    if (parts.size() == 1 && parts.front().name == row.name) return;
    for (const RowPart& part : parts)
      table.add({is_before ? iteration_time(part.ns) : "", is_before ? "" : iteration_time(part.ns), "", is_before ? "  before" : "  after",
                 operator_words(part.name, part.shapes)});
  };
  add_parts(row.parts_before, true);
  add_parts(row.parts_after, false);
}

void add_rows(Document& page, const CaptureComparison& comparison, std::size_t most) {
  const std::size_t shown = std::min(most, comparison.rows.size());
  page.section(fmt::format("Operators{} by change{}", comparison.by_shapes ? " and shapes" : "",
                           has_iterations(comparison) ? ", in an iteration" : ""),
               shown, comparison.rows.size());
  Table table = rows_table();
  double before = comparison.before_ns(), after = comparison.after_ns();
  for (const CaptureRow& row : std::span(comparison.rows).first(shown)) {
    add_row(table, row);
    before -= row.before_ns.value_or(0);
    after -= row.after_ns.value_or(0);
  }
  if (shown < comparison.rows.size()) {
    before = std::max(0.0, before);
    after = std::max(0.0, after);
    table.add({iteration_time(before), iteration_time(after), change_text(after - before), "",
               fmt::format("{} more", comparison.rows.size() - shown)});
  }
  table.add({iteration_time(comparison.before_ns()), iteration_time(comparison.after_ns()),
             change_text(comparison.after_ns() - comparison.before_ns()), "", "all kernels"});
  page.add(std::move(table));
}

std::string_view agreement_words(const CaptureRow& row) {
  switch (row.agreement) {
    case Agreement::both_moved:
      return row.status == RowStatus::faster ? "faster, and its counters moved" : "slower, and its counters moved";
    case Agreement::counters_only: return "its counters moved, its time did not: no gain is credited";
    case Agreement::time_only: return "its time changed, its counters did not: the change may not be the reason";
    case Agreement::neither_moved: return "neither time nor counters moved";
    case Agreement::unknown: break;
  }
  return "its counters moved; whether its time did cannot be told";
}

std::string counter_text(const report::RowCounter& counter, double value) {
  constexpr double large = 1e5;
  if (counter.member.find("_bytes_") != counter.member.npos) return format_quantity(value, "byte");
  return std::abs(value) < large ? fmt::format("{:.4g}", value) : fmt::format("{:.0f}", value);
}

void add_counter_changes(Document& page, const CaptureComparison& comparison, std::size_t most) {
  std::vector<const CaptureRow*> found;
  for (const CaptureRow& row : comparison.rows) {
    const bool has_moved = std::ranges::any_of(row.counters, &report::RowCounter::is_moved);
    if (has_moved || row.agreement == Agreement::time_only) found.push_back(&row);
  }
  if (found.empty()) return;
  const std::size_t shown = std::min(most, found.size());
  page.section("Counters", shown, found.size());
  for (const CaptureRow* row : std::span(found).first(shown)) {
    page.hanging("- ", fmt::format("{}: {}", row_words(*row), agreement_words(*row)));
    Table table{{number_column("before", 12), number_column("after", 12, 1), names_column("counter")}};
    table.indent = 4;
    for (const report::RowCounter& counter : row->counters) {
      if (counter.is_moved) table.add({counter_text(counter, counter.before), counter_text(counter, counter.after), counter.member});
    }
    if (!table.rows.empty()) page.add(std::move(table));
  }
}

void add_remaining(Document& page, const CaptureComparison& comparison, std::size_t most) {
  constexpr std::size_t usual = 5;
  const std::size_t shown = std::min({most, usual, comparison.remaining.size()});
  page.section("What takes the time now", shown, comparison.remaining.size());
  Table table{
      {number_column("GPU time", 9), number_column("share", 7, 1), number_column("kernels", 8, 1), words_column("operator", Fit::wrap)}};
  for (const RowPart& part : std::span(comparison.remaining).first(shown))
    table.add({iteration_time(part.ns), share_of(part.ns, comparison.after_ns()), fmt::format("{:.4g}", part.kernels),
               operator_words(part.name, part.shapes)});
  page.add(std::move(table));
}

Document page_of(const CaptureComparison& comparison, std::size_t shown) {
  const compare::Answer answer = comparison.judgement.answer;
  Document page;
  page.headline = verdict_sentence(comparison);
  page.title("FRX operator comparison");
  add_capture_side(page, "Before", comparison.before);
  add_capture_side(page, "After", comparison.after);
  add_launches(page, comparison);
  page.section("Verdict", answer::Part::verdict);
  page.paragraph(page.headline, 2,
                 answer == compare::Answer::better  ? Tone::green
                 : answer == compare::Answer::worse ? Tone::red
                                                    : Tone::yellow);
  if (const std::string words = what_would_tell(comparison); !words.empty()) page.paragraph("What would tell: " + words + ".");
  add_rows(page, comparison, shown);
  add_counter_changes(page, comparison, shown);
  add_remaining(page, comparison, shown);
  if (comparison.caveats.empty()) return page;
  page.section("Notes", answer::Part::closing);
  for (const report::Caveat& caveat : comparison.caveats) page.hanging("- ", caveat.text);
  return page;
}

}  // namespace

std::string verdict_sentence(const CaptureComparison& comparison) {
  const std::string seen = total_words(comparison) + ratio_words(comparison);
  switch (comparison.judgement.answer) {
    case compare::Answer::better: return fmt::format("The change makes the model faster: {}.", seen);
    case compare::Answer::worse: return fmt::format("The change makes the model slower: {}.", seen);
    case compare::Answer::cannot_tell: break;
  }
  return fmt::format("It is inconclusive whether the change makes the model faster: {}. What was seen: {}.", doubt_words(comparison), seen);
}

answer::Answer answer_of(std::shared_ptr<const CaptureComparison> comparison, std::size_t shown) {
  answer::Answer answer{.what = "a comparison of operators", .mode = "operator_comparison"};
  answer.document = [comparison, shown](answer::Detail) { return page_of(*comparison, shown); };
  answer.payload = [comparison](answer::JsonObject& out) { put_capture_comparison(out, *comparison); };
  answer.kept = {comparison};
  return answer;
}

}  // namespace frx::compose
