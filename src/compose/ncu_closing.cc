// The end of the report: what the profiler itself says, what the data lacks, what to do next.

#include <algorithm>
#include <span>

#include "base/text.h"
#include "base/units.h"
#include "compose/ncu_sections.h"
#include "compose/ncu_words.h"

namespace frx::compose {

using report::NcuReport;
using report::ProfilerRule;

namespace {

// Some finding rests on the metrics of the preset.
bool concerns(std::string_view preset, const NcuReport& report) {
  return std::ranges::any_of(report.findings, [&](const model::Finding& finding) { return finding.type->preset == preset; });
}

// How a GPU was matched is news only when it was not simply its name.
bool gpu_note_matters(const NcuReport& report) {
  const bool plain = report.gpu_id.empty()
                         ? report.compute_capability.empty() && report.gpu_name.empty()
                         : report.gpu_note.ends_with("by name") || report.gpu_note.ends_with("by name and device attributes");
  return !plain && !report.gpu_note.empty();
}

std::vector<std::string> note_lines(const NcuReport& report) {
  std::vector<std::string> lines = report.notes;
  if (gpu_note_matters(report)) lines.push_back("GPU: " + report.gpu_note);
  for (const report::FamilyGap& gap : report.validation.missing_by_preset) {
    const bool is_question = gap.preset != "full";  // that one is all of them
    if (is_question && !gap.missing.empty() && concerns(gap.preset, report)) {
      lines.push_back(fmt::format("for the {} question the file lacks {}", gap.preset, join(gap.missing, ", ")));
    }
  }
  if (report.absent_values > 0)
    lines.push_back("n/a, nan or empty in the file, so taken as not measured: " + count_text(report.absent_values, "value"));
  if (!report.unknown_metrics.empty()) {
    lines.push_back("not in our catalogue, so not used: " + count_text(report.unknown_metrics.size(), "metric") + " of the file");
  }
  return lines;
}

std::string unknown_labels(const NcuReport& report) {
  std::vector<std::string> labels;
  for (const model::Finding* finding : findings_with(report.others, model::Verdict::cannot_tell)) labels.emplace_back(finding->id());
  constexpr std::size_t shown = 4;
  if (labels.size() <= shown) return join(labels, ", ");
  return join(std::span(labels).first(shown), ", ") + fmt::format(" and {} more", labels.size() - shown);
}

// Bytes or operations per second without the peak they would be compared with.
bool peak_would_tell(const NcuReport& report) {
  if (!report.gpu_id.empty()) return false;
  const derive::RooflinePoint* main = report.roofline.main();
  return (report.value("dram_bytes_per_second") && !report.value("dram_pct")) || (main && !main->peak_tflops);
}

// The best card by score may answer something else than the verdict.
std::string start_text(const NcuReport& report) {
  const auto& all = report.advice.recommendations;
  const std::string start = fmt::format("Start with: {} (recommendation 1).", all.front().title);
  const auto answers = [&](const advise::Recommendation& r) { return r.label == report.primary; };
  const auto at = std::find_if(all.begin(), all.end(), answers);
  if (at == all.end() || at == all.begin()) return start;
  return fmt::format("{} What answers {} itself is recommendation {}: {}.", start, report.primary, at - all.begin() + 1, at->title);
}

// To the first period before a capital letter: "a 32.0 - way conflict" goes on. Markup of links is left as it is.
std::string_view first_sentence(std::string_view text) {
  for (std::size_t at = text.find(". "); at != text.npos; at = text.find(". ", at + 1)) {
    if (at + 2 < text.size() && text[at + 2] >= 'A' && text[at + 2] <= 'Z') return text.substr(0, at + 1);
  }
  return text;
}

}  // namespace

void add_profiler_rules(Document& page, const NcuReport& report) {
  constexpr std::size_t shown = 5;
  const std::vector<const ProfilerRule*> rules = strongest_rules(report, {});
  if (rules.empty()) return;
  page.section("Nsight says", "(its own rules and estimates, not ours)", answer::Part::closing);
  const bool has_kernels = std::ranges::any_of(rules, [&](const ProfilerRule* rule) { return rule->kernel != rules.front()->kernel; });
  for (std::size_t i = 0; i < rules.size() && i < shown; ++i) {
    const ProfilerRule& rule = *rules[i];
    std::string start = rule.name.empty() ? rule.section : rule.name;
    if (rule.estimated_speedup_pct) {
      start += fmt::format("{}est. {:.0f} % of the {}", start.empty() ? "" : ", ", *rule.estimated_speedup_pct,
                           rule.is_local_estimate ? "part it is about" : "kernel");
    }
    page.hanging("- ", Span{fmt::format("{}{}{}", printable(start), start.empty() ? "" : ": ", first_sentence(rule.text))});
    if (has_kernels) page.hanging("  ", Span{fmt::format("in {}", rule.kernel), false, Fit::cut});
  }
}

void add_notes(Document& page, const NcuReport& report) {
  const std::vector<std::string> lines = note_lines(report);
  if (lines.empty()) return;
  constexpr std::size_t shown = 12;
  page.section("Data notes", answer::Part::closing);
  for (std::size_t i = 0; i < lines.size() && i < shown; ++i) page.hanging("- ", lines[i]);
  if (lines.size() > shown) page.paragraph(fmt::format("and {} more (--json lists them all)", lines.size() - shown));
}

void add_next_steps(Document& page, const NcuReport& report) {
  page.section("Next steps", answer::Part::advice);
  std::size_t step = 0;
  const auto add = [&](std::string_view text) { page.hanging(fmt::format("{}. ", ++step), text); };
  const bool too_little = report.primary == "insufficient_ncu_data";
  if (!report.debug_kernels.empty()) {
    add("Build without -G (-lineinfo keeps the lines of the source) and profile again; the rest is about code that was not optimised.");
  }
  if (!report.advice.recommendations.empty()) add(start_text(report));
  if (peak_would_tell(report)) {
    add("Name the GPU: rates are measured, and its peaks tell whether they are high.");
    page.command(fmt::format("frx analyze {} --gpu-model NAME", profile_argument(report)), 5);
  }
  if (!report.collect_command.empty() && !too_little && !has_only_times(report) && ncu_runs_on(report)) {
    add("Collect what is missing to tell: " + unknown_labels(report) + ".");
    page.command(report.collect_command, 5);
  }
  if (has_only_times(report) && ncu_runs_on(report)) {
    add("Measure the kernel that takes most time with Nsight Compute, and give its report to frx.");
    page.command(longest_kernel_command(report), 5);
    return page.command("frx analyze report.ncu-rep", 5);
  }
  add(too_little ? "Measure again, with all counters." : "Measure again after the change.");
  if (!report.next_command.empty() && ncu_runs_on(report)) page.command(report.next_command, 5);
}

}  // namespace frx::compose
