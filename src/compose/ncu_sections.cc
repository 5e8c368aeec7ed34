#include "compose/ncu_sections.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "base/units.h"
#include "compose/metric_table.h"
#include "compose/ncu_words.h"

namespace frx::compose {

using model::Finding;
using report::Kernel;
using report::NcuReport;

namespace {

constexpr std::size_t max_kernels = 10;
constexpr std::size_t label_width = 13;
constexpr std::size_t text_column = 2 + label_width + 2;
constexpr double minor_score = 0.05;  // below it a finding gets one line

void add_field(Document& page, std::string_view label, Text text, Tone tone = Tone::plain) {
  page.hanging(pad_right(label, label_width) + (label.empty() ? "  " : ": "), std::move(text), 2, Tone::dim, tone);
}

std::string scale_text(const NcuReport& report) {
  std::string text = count_text(report.kernels.size(), "kernel") + ", " + count_text(report.launches, "launch");
  if (report.duration_us) {
    text += fmt::format(", {} of GPU time", time_text(report.duration_us));
    if (report.timed_launches < report.launches)
      text += fmt::format(" in the {} of them that are timed", format_number(static_cast<double>(report.timed_launches)));
  } else {
    text += ", no durations in the file";
  }
  return text;
}

std::string weight_text(const Kernel& kernel) {
  const std::string launches = count_text(kernel.launches, "launch");
  return kernel.runtime_share_pct ? fmt::format("{} of the time, {}", percent_text(kernel.runtime_share_pct), launches) : launches;
}

// "in training: step / forward and 3 more ranges"
std::string ranges_text(const Kernel& kernel) {
  if (kernel.ranges.empty()) return {};
  const std::size_t more = kernel.ranges.size() - 1;
  return "in " + kernel.ranges[0] + (more > 0 ? " and " + count_text(more, "more range") : "");
}

// The kernels that the verdict is about, longest first.
void add_where(Document& page, const NcuReport& report) {
  if (report.primary == "insufficient_ncu_data" && report.kernels.size() > 1) return;
  constexpr std::size_t shown = 3;
  std::vector<std::size_t> led;
  for (std::size_t i = 0; i < report.kernels.size(); ++i) {
    if (report.kernels[i].primary == report.primary) led.push_back(i);
  }
  const std::vector<std::string> names = kernel_names(report);
  for (std::size_t i = 0; i < led.size() && i < shown; ++i) {
    add_field(page, i == 0 ? "Where" : "", as_name(names[led[i]], Fit::shorten), Tone::bold);
    if (report.kernels.size() > 1) page.paragraph(weight_text(report.kernels[led[i]]), text_column);
    if (const std::string ranges = ranges_text(report.kernels[led[i]]); !ranges.empty()) page.paragraph(ranges, text_column);
  }
  if (led.size() > shown) page.paragraph(fmt::format("and {} more", led.size() - shown), text_column);
}

Tone tone_of_verdict(const NcuReport& report) {
  if (report.primary == "at_hardware_limit") return Tone::green;
  return primary_finding(report) ? Tone::red : Tone::yellow;
}

void add_stake(Document& page, const NcuReport& report) {
  const Finding* finding = primary_finding(report);
  if (!finding || finding->id() == "insufficient_ncu_data") return;
  const std::string stake = stake_text(*finding, report);
  if (stake.empty()) {
    if (!report.duration_us) add_field(page, "At stake", "not known: the file has no durations");
    return;
  }
  const bool bounded = stake.starts_with("at most");
  add_field(page, "At stake",
            !bounded                            ? stake
            : finding->type->stake_note.empty() ? stake + ", if the fix were perfect"
                                                : fmt::format("{}, {}", stake, finding->type->stake_note));
}

// Details below the table, for the kernel the verdict is about.
void add_details(Document& page, const NcuReport& report) {
  const Kernel* focus = focus_kernel(report);
  page.blank();
  if (!report.stalls.empty()) add_field(page, "Stalls", stalls_text(report.stalls, 5) + " (of warp time)");
  if (focus) {
    if (report.kernels.size() > 1) add_field(page, "Of the kernel", as_name(focus->short_name, Fit::cut), Tone::bold);
    const std::string occupancy = occupancy_text(focus->occupancy);
    if (!occupancy.empty()) add_field(page, "Occupancy", occupancy);
    if (!focus->occupancy.advice.empty()) page.paragraph(focus->occupancy.advice, text_column);
    add_field(page, "Roofline", roofline_text(focus->roofline));
  }
}

struct Ranked {
  const Finding* finding;
  bool indented;
};

// A consequence stands below its cause.
std::vector<Ranked> with_consequences(const std::vector<Finding>& findings) {
  std::vector<Ranked> order;
  for (const Finding& finding : findings) {
    if (!finding.consequence_of.empty() && find_finding(findings, finding.consequence_of)) continue;
    order.push_back({&finding, false});
    for (const Finding& other : findings) {
      if (other.consequence_of == finding.id() && &other != &finding) order.push_back({&other, true});
    }
  }
  // Consequences of consequences, and circles.
  for (const Finding& finding : findings) {
    const auto same = [&](const Ranked& ranked) { return ranked.finding == &finding; };
    if (std::none_of(order.begin(), order.end(), same)) order.push_back({&finding, true});
  }
  return order;
}

// Evidence of a run is that of the longest kernel in which the label holds.
std::string evidence_kernel(const Finding& finding, const NcuReport& report) {
  const Kernel* const kernel = report.kernels.size() < 2 ? nullptr : report.kernel_of(finding);
  return kernel ? clip(printable(kernel->short_name), 40) : std::string();
}

std::string holds_text(const Finding& finding, const NcuReport& report) {
  std::string text;
  if (report.launches > 1 && finding.time_share < 0.995) {
    text = fmt::format("in {:.{}f} % of {}", 100 * finding.time_share, finding.time_share < 0.1 ? 1 : 0,
                       report.duration_us ? "the time" : "the launches");
  }
  const std::string where = evidence_kernel(finding, report);
  if (!where.empty()) text += fmt::format("{}values of {}", text.empty() ? "" : "; ", where);
  const std::string stake = stake_text(finding, report);
  if (!stake.empty()) text += (text.empty() ? "" : "; ") + std::string("at stake ") + stake;
  return text;
}

void add_finding(Document& page, const Finding& finding, bool indented, const NcuReport& report) {
  const std::size_t indent = indented ? 6 : 2;
  const Tone tone = indented                              ? Tone::dim
                    : finding.id() == "at_hardware_limit" ? Tone::green
                    : finding.score >= 0.6                ? Tone::red
                                                          : Tone::yellow;
  page.add(answer::Item{fmt::format("{:.2f}  ", finding.score), fmt::format("{} ({})", finding.display(), finding.id()), indent, tone,
                        indented ? Tone::plain : Tone::bold, finding.score});
  const std::size_t inner = indent + 4;
  if (!finding.consequence_of.empty()) page.paragraph(fmt::format("consequence of {}", finding.consequence_of), inner, Tone::dim);
  for (const model::Evidence& line : finding.evidence) {
    const std::string value = pad_left(short_quantity(line.value.value(), line.value.unit), 10);
    page.add(answer::Item{value + "  ",
                          line.because.empty() ? std::string(line.value.label) : line.because,
                          inner,
                          Tone::plain,
                          Tone::plain,
                          {},
                          source_text(line.value, report.file())});
  }
  const std::string holds = holds_text(finding, report);
  if (!holds.empty() && !indented) page.paragraph(holds, inner, Tone::dim);
}

void add_heading_of_kernels(Document& page, std::size_t shown, const NcuReport& report) {
  const std::string count =
      shown < report.kernels.size() ? fmt::format("{} of {}", shown, report.kernels.size()) : fmt::format("{}", shown);
  page.section("Kernels", fmt::format("({}{})", count, report.duration_us ? ", by time" : ""));
}

}  // namespace

void add_header(Document& page, std::string_view title, const NcuReport& report) {
  page.title(title);
  add_field(page, "Source", report.format.empty() ? report.source : fmt::format("{} ({})", report.source, report.format));
  add_field(page, "Kernels", scale_text(report));
  add_field(page, "GPU", report.gpu.empty() ? "not known" : report.gpu);
  add_field(page, "Confidence",
            report.confidence_reason.empty() ? report.confidence : fmt::format("{}: {}", report.confidence, report.confidence_reason));
}

// What was measured of code that was compiled without optimisation says little about the code that will run: said before anything else.
void add_build(Document& page, const NcuReport& report) {
  if (report.debug_kernels.empty()) return;
  const bool all = report.debug_kernels.size() == report.kernels.size();
  add_field(page, "Build",
            fmt::format("{} compiled for debugging (-G), so the compiler optimised nothing: build without -G and profile that first",
                        all && report.kernels.size() == 1 ? std::string("the kernel was")
                        : all                             ? std::string("the kernels were")
                              : fmt::format("{} of {} kernels were", report.debug_kernels.size(), report.kernels.size())),
            Tone::red);
}

void add_verdict(Document& page, const NcuReport& report) {
  page.section("Verdict", answer::Part::verdict);
  add_build(page, report);
  add_field(page, "Primary", fmt::format("{} ({})", report.primary_display, report.primary), tone_of_verdict(report));
  add_where(page, report);
  add_field(page, "Why", verdict_words(report));
  add_stake(page, report);
  const std::vector<std::string> others = secondary_labels(report);
  if (!others.empty()) add_field(page, "Also detected", join(others, ", "));
}

void add_validation(Document& page, const NcuReport& report, std::size_t max_warnings) {
  const std::size_t warnings = std::min(max_warnings, report.validation.warnings.size());
  if (report.validation.errors.empty() && warnings == 0) return;
  page.section("CSV validation", answer::Part::closing);
  for (const std::string& error : report.validation.errors) page.hanging("error: ", error, 2, Tone::red);
  for (std::size_t i = 0; i < warnings; ++i) page.hanging("warning: ", report.validation.warnings[i], 2, Tone::yellow);
}

void add_metrics(Document& page, const NcuReport& report) {
  const bool averaged = report.launches > 1;
  page.section(
      "Measured metrics",
      averaged ? fmt::format("({} over {})", report.duration_us ? "weighted by time" : "mean", count_text(report.launches, "launch")) : "");
  const std::vector<MetricRow> rows = metric_rows(report);
  add_metric_table(page, rows);
  add_details(page, report);
  const auto missing = std::count_if(rows.begin(), rows.end(), [](const MetricRow& row) { return row.status == Status::missing; });
  if (missing < 4) return;
  const auto total = static_cast<std::ptrdiff_t>(rows.size());
  page.paragraph((missing == total ? fmt::format("None of these {} metrics is in the file", total)
                                   : fmt::format("{} of these {} metrics are not in the file", missing, total)) +
                 (ncu_runs_on(report) ? ": `frx ncu-command full` prints the command that collects them all." : "."));
}

void add_kernels(Document& page, const NcuReport& report) {
  if (report.kernels.size() < 2) return;
  const std::size_t shown = std::min(max_kernels, report.kernels.size());
  add_heading_of_kernels(page, shown, report);
  Table table{{number_column("share", 8),
               number_column("time", 9, 1),
               number_column("launches", 9, 1),
               {"opportunity", 11},
               words_column("primary bottleneck", Fit::cut),
               {"kernel", 0, false, 2, true, Fit::shorten, Tone::dim, 4}}};
  table.indent = 0;
  table.heading_tone = Tone::dim;
  const std::vector<std::string> names = kernel_names(report);
  for (std::size_t i = 0; i < shown; ++i) {
    const Kernel& kernel = report.kernels[i];
    table.add({percent_text(kernel.runtime_share_pct), time_text(kernel.duration_us), format_number(static_cast<double>(kernel.launches)),
               opportunity_text(kernel), kernel.primary, names[i]});
  }
  page.add(std::move(table));
}

void add_kernel_times(Document& page, const NcuReport& report) {
  const std::size_t shown = std::min(max_kernels, report.kernels.size());
  add_heading_of_kernels(page, shown, report);
  Table table{{number_column("share", 8),
               number_column("time", 9, 1),
               number_column("launches", 9, 1),
               number_column("each", 9, 1),
               {"kernel", 0, false, 2, true, Fit::shorten, Tone::plain, 4}}};
  table.indent = 0;
  table.heading_tone = Tone::dim;
  const std::vector<std::string> names = kernel_names(report);
  for (std::size_t i = 0; i < shown; ++i) {
    const Kernel& kernel = report.kernels[i];
    const bool timed = kernel.duration_us && kernel.launches > 0;
    const auto each = timed ? std::optional(*kernel.duration_us / static_cast<double>(kernel.launches)) : std::nullopt;
    table.add({percent_text(kernel.runtime_share_pct), time_text(kernel.duration_us), format_number(static_cast<double>(kernel.launches)),
               time_text(each), names[i]});
  }
  page.add(std::move(table));
}

void add_bottlenecks(Document& page, const NcuReport& report) {
  page.section("Bottlenecks detected", report.findings.size(), report.findings.size());
  if (report.findings.empty()) page.paragraph("None. " + verdict_words(report));
  bool first = true;
  std::vector<std::string> minor;
  for (const Ranked& ranked : with_consequences(report.findings)) {
    if (ranked.finding->score < minor_score && ranked.finding->id() != report.primary) {
      minor.push_back(fmt::format("{} ({:.2f})", ranked.finding->id(), ranked.finding->score));
      continue;
    }
    if (!first && !ranked.indented) page.blank();
    first = false;
    add_finding(page, *ranked.finding, ranked.indented, report);
  }
  if (minor.empty()) return;
  if (!first) page.blank();
  page.hanging("Minor: ", join(minor, ", "), 2, Tone::dim, Tone::dim);
}

}  // namespace frx::compose
