#include "compose/layout_diff.h"

#include "base/text.h"
#include "base/units.h"

namespace frx::compose {
namespace {

using answer::exact;
using answer::JsonObject;
using answer::unless_empty;
using report::LayoutDiff;
using report::LayoutFindingChange;
using report::LayoutNumberChange;
using report::LayoutOutcome;
using report::LayoutRecord;
using report::LayoutRecordFinding;

constexpr std::size_t diff_fact_width = 12;

std::string amount_text(const std::optional<double>& value, std::string_view unit) {
  if (!value) return "n/a";
  if (unit == "us") return format_quantity(*value * 1000, "ns");
  if (unit == "byte") return format_quantity(*value, "byte");
  return unit == "%" ? fmt::format("{:.3g} %", *value) : fmt::format("{:.4g}", *value);
}

// "38 -> 2"; one number where both are alike, or one side does not have the finding.
std::string change_of(const LayoutNumberChange& number, const LayoutFindingChange& of) {
  const std::string before = amount_text(number.before, number.unit), after = amount_text(number.after, number.unit);
  if (!of.before || before == after) return after;
  return of.after ? fmt::format("{} -> {}", before, after) : before;
}

std::string counts_text(const LayoutDiff& diff) {
  std::vector<std::string> parts;
  for (const LayoutOutcome change : {LayoutOutcome::added, LayoutOutcome::worse, LayoutOutcome::better, LayoutOutcome::same,
                                     LayoutOutcome::gone, LayoutOutcome::inconclusive}) {
    if (diff.count(change) > 0) parts.push_back(fmt::format("{} {}", diff.count(change), name_of(change)));
  }
  return parts.empty() ? "no findings on either side" : fmt::format("Findings: {}", join(parts, ", "));
}

Tone tone_of_change(LayoutOutcome change) {
  switch (change) {
    case LayoutOutcome::added:
    case LayoutOutcome::worse: return Tone::red;
    case LayoutOutcome::better:
    case LayoutOutcome::gone: return Tone::green;
    case LayoutOutcome::inconclusive: return Tone::yellow;
    default: return Tone::plain;
  }
}

std::string side_text(const LayoutRecord& record) {
  std::vector<std::string> parts = {record.model.empty() ? "no name" : record.model};
  parts.push_back(record.is_cpu_only ? "CPU only" : record.gpu.empty() ? "GPU not known" : record.gpu);
  if (!record.level.empty()) parts.push_back("evidence " + record.level);
  if (record.steps) parts.push_back(count_text(*record.steps, "step"));
  parts.push_back(count_text(record.findings.size(), "finding"));
  return join(parts, ", ");
}

std::string_view place_of(const LayoutRecordFinding& finding) {
  return finding.site.text.empty() ? std::string_view(finding.site.op_path) : std::string_view(finding.site.text);
}

void add_change(Document& page, const LayoutDiff& diff, const LayoutFindingChange& change) {
  constexpr std::size_t indent = 6;
  const LayoutRecordFinding& finding = diff.finding(change);
  const std::string head = fmt::format("{:<12} ", name_of(change.change));
  page.hanging(head, answer::Text(fmt::format("[{}] ", name_of(finding.severity))) + as_name(finding.title), 2,
               tone_of_change(change.change));
  page.hanging("Site  : ", as_name(place_of(finding)), indent);
  const LayoutNumberChange &count = change.numbers[0], &bytes = change.numbers[1], &time = change.numbers[2];
  std::vector<std::string> numbers = {fmt::format("{} in a step", change_of(count, change))};
  if (bytes.before || bytes.after) numbers.push_back(change_of(bytes, change));
  if (time.before.value_or(0) > 0 || time.after.value_or(0) > 0) numbers.push_back(change_of(time, change));
  page.hanging("Cost  : ", join(numbers, ", "), indent);
  if (!change.reason.empty()) page.hanging("Why   : ", as_name(change.reason), indent);
  if (change.has_moved)
    page.hanging("Moved : ", as_name(fmt::format("it was at {}", place_of(diff.before.findings[*change.before]))), indent);
}

void add_totals(Document& page, const LayoutDiff& diff) {
  page.section("Totals of a step");
  Table table;
  table.columns = {
      {"", 26}, number_column("before", 12), number_column("after", 12), number_column("change", 10), words_column("", Fit::wrap)};
  for (const LayoutNumberChange& one : diff.totals) {
    if (!one.before && !one.after) continue;
    const std::optional<double> pct = one.change_pct();
    table.add({one.name, amount_text(one.before, one.unit), amount_text(one.after, one.unit),
               pct && one.unit != "%" ? fmt::format("{:+.1f} %", *pct) : "", one.why_not.empty() ? "" : "not compared"});
  }
  page.add(std::move(table));
}

Document layout_diff_document(const LayoutDiff& diff, std::size_t shown) {
  Document page;
  page.headline = counts_text(diff);
  page.title("FRX layout comparison", fmt::format("{} -> {}", diff.before.file, diff.after.file));
  page.paragraph(counts_text(diff), 2, Tone::bold);
  page.blank();
  page.fact("Before", as_name(side_text(diff.before)), diff_fact_width);
  page.fact("After", as_name(side_text(diff.after)), diff_fact_width);
  const std::size_t rows = std::min(shown, diff.findings.size());
  if (rows > 0) page.section("Findings", rows, diff.findings.size(), answer::Part::verdict);
  for (std::size_t i = 0; i < rows; ++i) add_change(page, diff, diff.findings[i]);
  add_totals(page, diff);
  add_list(page, "Inconclusive", diff.inconclusive, answer::Part::closing);
  add_notes(page, diff.notes);
  return page;
}

void put_side(JsonObject& out, const LayoutRecord& record) {
  out.add("file", record.file, "model", unless_empty(record.model), "trace", unless_empty(record.trace), "sha256",
          unless_empty(record.sha256), "gpu", unless_empty(record.gpu), "level", unless_empty(record.level), "steps", record.steps,
          "findings", record.findings.size());
}

void put_number_change(JsonObject& out, const LayoutNumberChange& number) {
  out.add("name", number.name, "before", exact(number.before), "after", exact(number.after), "change_pct", exact(number.change_pct()),
          "why_not", unless_empty(number.why_not));
}

void put_change(JsonObject& out, const LayoutDiff& diff, const LayoutFindingChange& change) {
  const LayoutRecordFinding& finding = diff.finding(change);
  const auto id_in = [](const LayoutRecord& record, const std::optional<std::size_t>& index) {
    return index ? std::optional(std::string_view(record.findings[*index].id)) : std::nullopt;
  };
  out.add("change", name_of(change.change), "reason", unless_empty(change.reason), "id_before", id_in(diff.before, change.before),
          "id_after", id_in(diff.after, change.after), "detector", finding.detector, "pattern", unless_empty(finding.pattern), "title",
          unless_empty(finding.title));
  const auto severity_in = [](const LayoutRecord& record, const std::optional<std::size_t>& index) {
    return index ? std::optional(name_of(record.findings[*index].severity)) : std::nullopt;
  };
  out.add("severity_before", severity_in(diff.before, change.before), "severity_after", severity_in(diff.after, change.after), "site",
          place_of(finding), "moved", change.has_moved);
  out.list("numbers", change.numbers, put_number_change);
}

}  // namespace

void add_layout_changes(Document& page, const LayoutDiff& diff, std::size_t shown) {
  std::vector<const LayoutFindingChange*> changed;
  for (const LayoutFindingChange& one : diff.findings) {
    if (one.change != LayoutOutcome::same) changed.push_back(&one);
  }
  changed.resize(std::min(shown, changed.size()));
  page.section("Memory layouts", changed.size(), diff.findings.size());
  page.paragraph(counts_text(diff));
  for (const LayoutFindingChange* const one : changed) add_change(page, diff, *one);
  for (const std::string& sentence : diff.inconclusive) page.paragraph("Inconclusive: " + sentence + ".");
}

void put_layout_diff(JsonObject& out, const LayoutDiff& diff) {
  out.add("schema", "layout_diff.v1");
  out.object("before", [&](JsonObject& inner) { put_side(inner, diff.before); });
  out.object("after", [&](JsonObject& inner) { put_side(inner, diff.after); });
  out.object("counts", [&](JsonObject& inner) {
    for (const LayoutOutcome change : {LayoutOutcome::added, LayoutOutcome::worse, LayoutOutcome::better, LayoutOutcome::same,
                                       LayoutOutcome::gone, LayoutOutcome::inconclusive})
      inner.add(name_of(change), diff.count(change));
  });
  out.list("findings", diff.findings, [&](JsonObject& inner, const LayoutFindingChange& one) { put_change(inner, diff, one); });
  out.list("totals", diff.totals, put_number_change);
  out.add("inconclusive", diff.inconclusive, "notes", diff.notes);
}

answer::Answer answer_of(std::shared_ptr<const LayoutDiff> diff, std::size_t shown) {
  answer::Answer answer;
  answer.what = "a comparison of layouts";
  answer.mode = "layout_diff";
  answer.document = [diff = diff.get(), shown](answer::Detail) { return layout_diff_document(*diff, shown); };
  answer.payload = [diff = diff.get()](JsonObject& out) { put_layout_diff(out, *diff); };
  answer.kept = {diff};
  return answer;
}

}  // namespace frx::compose
