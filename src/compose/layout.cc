#include "compose/layout.h"

#include "base/text.h"
#include "base/units.h"
#include "compose/parts.h"

namespace frx::compose {
namespace {

using answer::exact;
using answer::JsonObject;
using answer::rounded;
using answer::unless_empty;
using report::LayoutFinding;
using report::LayoutReport;
using report::LayoutSeverity;
using report::LayoutShare;

constexpr std::size_t layout_fact_width = 20;

std::string_view dot(const LayoutStyle& style) { return style.is_utf8 ? "\u00b7" : "|"; }
std::string_view arrow(const LayoutStyle& style) { return style.is_utf8 ? "\u2192" : "->"; }
std::string_view minus(const LayoutStyle& style) { return style.is_utf8 ? "\u2212" : "-"; }

std::string times_text(double value) { return value == std::round(value) ? fmt::format("{:.0f}", value) : fmt::format("{:.1f}", value); }

// Two digits, and of large shares all whole ones: "0.44", "22", "100". Next to nothing is "<0.01".
std::string pct_digits(double value) {
  constexpr double least_shown = 0.01, of_two_digits = 10;
  if (value > 0 && value < least_shown) return "<0.01";
  return value < of_two_digits ? fmt::format("{:.2g}", value) : fmt::format("{:.0f}", value);
}

// "~22%"
std::string about_pct(double value) {
  const std::string digits = pct_digits(value);
  return digits.starts_with('<') ? digits + "%" : fmt::format("~{}%", digits);
}

std::string severities_text(const LayoutReport& report, const LayoutStyle& style) {
  std::vector<std::string> groups;
  for (const LayoutSeverity severity : {LayoutSeverity::high, LayoutSeverity::medium, LayoutSeverity::low}) {
    if (report.count(severity) > 0) groups.push_back(fmt::format("{} {}", report.count(severity), name_of(severity)));
  }
  return groups.empty() ? "" : fmt::format(" ({})", join(groups, fmt::format(" {} ", dot(style))));
}

std::string overhead_text(const LayoutReport& report) {
  if (report.totals.bw_overhead_pct) return fmt::format("({} bandwidth overhead)", about_pct(*report.totals.bw_overhead_pct));
  if (report.totals.time_overhead_pct)
    return fmt::format("({} of {})", about_pct(*report.totals.time_overhead_pct), report.is_cpu_only ? "the time of a step" : "GPU time");
  return "(their cost is not known)";
}

// What a fix brings whose saving no trace tells, as a column and as the first lines have it.
struct Benefit {
  std::string_view impact, sentence;
};
Benefit without_number(const LayoutFinding& finding) {
  const bool is_compiled = finding.pattern == "recompile" || finding.pattern == "stride_guard" || finding.severity == LayoutSeverity::high;
  if (finding.kind == "measure") return {"measure it", "gain not known before it is measured"};
  if (finding.kind != "pin_layout") return {"try it", "gain not known: frx layout trial"};
  if (finding.pattern.starts_with("graph_")) return {"CUDA graphs", "lets CUDA graphs be captured"};
  return is_compiled ? Benefit{"no recompile", "removes recompiles"} : Benefit{"same strides", "strides are the same in every step"};
}

// "−19%"; next to nothing is "<0.01%".
std::string less_pct(double value, const LayoutStyle& style) {
  const std::string digits = pct_digits(value);
  return fmt::format("{}{}%", digits.starts_with('<') ? "" : minus(style), digits);
}

// What the best fix saves, in the words of the column.
std::string impact_text(const LayoutFinding& finding, const LayoutStyle& style) {
  const bool by_bytes = finding.saved_bytes_pct && finding.saved_bytes_pct->best > 0;
  if (by_bytes) return less_pct(finding.saved_bytes_pct->best, style) + " BW";
  if (finding.saved_time_pct && finding.saved_time_pct->best > 0) return less_pct(finding.saved_time_pct->best, style) + " time";
  if (finding.saved_cpu_us) return fmt::format("{}{} CPU", minus(style), format_quantity(*finding.saved_cpu_us * 1000, "ns"));
  return std::string(without_number(finding).impact);
}

std::string saves_text(const LayoutFinding& finding, const LayoutStyle& style) {
  const std::string head = fmt::format("Top fix: {} {} ", finding.phrase, arrow(style));
  if (finding.saved_bytes_pct && finding.saved_bytes_pct->best > 0)
    return head + fmt::format("saves {} BW", about_pct(finding.saved_bytes_pct->best));
  if (finding.saved_time_pct && finding.saved_time_pct->best > 0)
    return head + fmt::format("saves {} of GPU time", about_pct(finding.saved_time_pct->best));
  if (finding.saved_cpu_us) return head + fmt::format("saves {} of CPU time per step", format_quantity(*finding.saved_cpu_us * 1000, "ns"));
  return head + std::string(without_number(finding).sentence);
}

void add_lines(Document& page, const LayoutReport& report, const LayoutStyle& style) {
  const report::LayoutTotals& totals = report.totals;
  page.paragraph(fmt::format("Analyzing {} ops across {}...", format_number(static_cast<double>(totals.operators)),
                             count_text(totals.passes, "forward pass")),
                 0);
  if (!totals.knows_copies) {
    page.paragraph("Layout issues and contiguous() calls are not known: no operators were recorded", 0);
    return;
  }
  page.paragraph(fmt::format("Detected {}{}", count_text(report.findings.size(), "layout issue"), severities_text(report, style)), 0,
                 report.findings.empty() ? Tone::green : Tone::bold);
  page.paragraph(fmt::format("{} contiguous() calls/step {}", times_text(totals.contiguous_calls), overhead_text(report)), 0);
  if (!report.findings.empty()) page.paragraph(saves_text(report.findings.front(), style), 0);
}

std::string overhead_of_traffic(const report::LayoutTotals& totals) {
  if (totals.bw_overhead_pct)
    return fmt::format("{} of the traffic that is known (for {:.0f} % of the GPU time){}", about_pct(*totals.bw_overhead_pct),
                       totals.coverage_pct.value_or(0), totals.layout_bytes_partial ? ", at least" : "");
  if (!totals.knows_copies) return "not known: no operators were recorded";
  if (!totals.layout_bytes) return "not told: the bytes of most copies are not known";
  return fmt::format("not told: traffic is known for {} of the GPU time",
                     totals.coverage_pct ? fmt::format("{:.0f} %", *totals.coverage_pct) : "none");
}

std::string classes_text(const LayoutReport& report) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < report.kernel_classes.size(); ++i) {
    const derive::layout::BoundCount& one = report.kernel_classes[i];
    if (one.kernels == 0 || report.totals.busy_us <= 0) continue;
    const double pct = one.time_ns / report.totals.busy_us / 10;
    if (pct >= 0.5) parts.push_back(fmt::format("{:.0f} % {}", pct, name_of(static_cast<derive::layout::BoundClass>(i))));
  }
  return join(parts, ", ");
}

void add_global_view(Document& page, const LayoutReport& report) {
  const derive::layout::GlobalLayout& costs = report.global.costs;
  if (!costs.not_assessed.empty()) return;
  page.section("Layouts of the whole graph", "(NCHW or channels-last)");
  Table table{{words_column("Policy"), number_column("Conversions", 12), number_column("Bytes", 11), number_column("Time", 11)}};
  table.columns.front().width = 40;
  const auto add = [&](std::string_view name, const derive::layout::LayoutCost& cost) {
    table.add({name, fmt::format("{}", cost.conversions), format_quantity(cost.bytes, "byte"),
               cost.time_ns ? format_quantity(*cost.time_ns, "ns") : "n/a"});
  };
  add("as recorded", costs.as_it_is);
  add("everything contiguous", costs.contiguous);
  add("everything channels-last", costs.channels_last);
  add("least (minimum cut)", costs.best);
  page.add(std::move(table));
  page.paragraph(
      fmt::format("Conversions: between operators; those inside of operators count in bytes and time alone. Inferred from sizes and order, "
                  "since a trace names no tensors; {} of the bytes of conversions that were seen are explained, confidence {:.2f}.",
                  costs.explained ? fmt::format("{:.0f} %", 100 * *costs.explained) : "none", costs.confidence));
  for (const report::GlobalView::Conversion& one : report.global.conversions)
    page.hanging("- ", fmt::format("convert {} to {} between {} and {} ({})", one.sizes, one.to, one.producer, one.consumer,
                                   format_quantity(one.bytes, "byte")));
}

void add_facts(Document& page, const LayoutReport& report) {
  const report::LayoutTotals& totals = report.totals;
  page.blank();
  page.fact("Evidence level", evidence_level_text(report), layout_fact_width);
  if (!report.gpu.empty()) page.fact("GPU", answer::as_name(report.gpu), layout_fact_width);
  const std::string steps = report.steps_named.empty() ? "the whole recording as one step"
                                                       : fmt::format("{} ({} of {})", totals.steps,
                                                                     report.first_step == report.last_step
                                                                         ? fmt::format("{}", report.first_step)
                                                                         : fmt::format("{} to {}", report.first_step, report.last_step),
                                                                     report.steps_named);
  page.fact("Steady steps", steps, layout_fact_width);
  page.fact("Layout copies",
            totals.knows_copies ? fmt::format("{}/step", times_text(totals.copies))
                                : fmt::format("at least {}/step, by the names of kernels", times_text(totals.copies)),
            layout_fact_width);
  page.fact("BW overhead", overhead_of_traffic(totals), layout_fact_width);
  page.fact("Time overhead",
            totals.time_overhead_pct
                ? fmt::format("{}{} ({} of {} in a step)", totals.knows_copies ? "" : "at least ", about_pct(*totals.time_overhead_pct),
                              format_quantity(totals.layout_time_us * 1000, "ns"), format_quantity(totals.busy_us * 1000, "ns"))
                : "not known",
            layout_fact_width);
  page.fact("Quick wins", fmt::format("{}", report.quick_wins()), layout_fact_width);
  if (report.classes_assessed) page.fact("GPU time by limit", classes_text(report), layout_fact_width);
  if (!report.measured_by.empty()) page.fact("Bytes measured by", answer::as_name(report.measured_by), layout_fact_width);
}

void add_table(Document& page, const LayoutReport& report, const LayoutStyle& style) {
  const std::size_t shown = std::min(style.shown, report.findings.size());
  page.section("Findings", shown, report.findings.size(), answer::Part::verdict);
  Table table;
  constexpr std::size_t below_title = 5;
  answer::Column fix = words_column("Fix"), site = names_column("Site", Fit::shorten);
  fix.fit = Fit::cut;
  fix.below = site.below = below_title;
  table.columns = {number_column("#", 2),
                   number_column("Freq", 10),
                   number_column("Impact", 14),
                   number_column("Effort", 7),
                   number_column("Risk", 5),
                   number_column("Conf", 5),
                   words_column("Finding / Fix", Fit::wrap),
                   fix,
                   site};
  for (std::size_t i = 0; i < shown; ++i) {
    const LayoutFinding& finding = report.findings[i];
    table.add({fmt::format("{:02}", i + 1), fmt::format("{}/step", times_text(finding.freq_per_step)), impact_text(finding, style),
               fmt::format("{}", finding.effort), finding.risk, fmt::format("{:.2f}", finding.confidence), finding.title, finding.phrase,
               finding.site.text()});
  }
  page.add(std::move(table));
}

std::string range_text(const LayoutShare& share, std::string_view of) {
  if (share.low == share.best) return fmt::format("{} % {}", pct_digits(share.best), of);
  return fmt::format("{} to {} % {}", pct_digits(share.low), pct_digits(share.best), of);
}

std::string cost_text(const LayoutFinding& finding) {
  std::vector<std::string> parts;
  parts.push_back(finding.freq_per_step == 1 ? "once in a step" : fmt::format("{} times in a step", times_text(finding.freq_per_step)));
  if (finding.time_us_per_step > 0) parts.push_back(fmt::format("{} of time", format_quantity(finding.time_us_per_step * 1000, "ns")));
  if (finding.bytes_per_step && *finding.bytes_per_step > 0) parts.push_back(format_quantity(*finding.bytes_per_step, "byte"));
  return join(parts, ", ");
}

std::string saving_text(const LayoutFinding& finding) {
  std::vector<std::string> parts;
  const auto saves = [](const std::optional<LayoutShare>& share) { return share && share->best > 0; };
  if (saves(finding.saved_time_pct)) parts.push_back(range_text(*finding.saved_time_pct, "of the GPU's busy time"));
  if (saves(finding.saved_bytes_pct)) parts.push_back(range_text(*finding.saved_bytes_pct, "of its traffic"));
  if (finding.saved_cpu_us) parts.push_back(fmt::format("{} of CPU time", format_quantity(*finding.saved_cpu_us * 1000, "ns")));
  if (parts.empty()) return std::string(without_number(finding).sentence);
  std::string text = join(parts, ", ");
  if (finding.further_pct && finding.saved_time_pct && *finding.further_pct < 0.95 * finding.saved_time_pct->best)
    text += fmt::format("; {} % after the fixes above", pct_digits(*finding.further_pct));
  return text;
}

std::string place_text(const LayoutFinding& finding) {
  std::string place = finding.site.text();
  if (!finding.site.file.empty() && !finding.site.first_module.empty())
    place += fmt::format(", in {}{}", finding.site.first_module,
                         finding.site.modules > 1 ? fmt::format(" and {} more", finding.site.modules - 1) : "");
  return place;
}

void add_finding(Document& page, const LayoutFinding& finding, std::size_t number) {
  constexpr std::size_t indent = 4;
  const Tone tone = finding.severity == LayoutSeverity::high     ? Tone::red
                    : finding.severity == LayoutSeverity::medium ? Tone::yellow
                                                                 : Tone::plain;
  page.blank();
  page.hanging(fmt::format("{:02} ", number), fmt::format("[{}] {}", name_of(finding.severity), finding.title), 2, tone, Tone::bold);
  page.hanging("Site   : ", answer::as_name(place_text(finding)), indent);
  if (!finding.site.file.empty()) page.hanging("Path   : ", answer::as_name(finding.site.op_path), indent);
  page.hanging("Cost   : ", cost_text(finding), indent);
  page.hanging("Saves  : ", saving_text(finding), indent);
  if (finding.saved_step_pct && finding.saved_time_pct->best > 0)
    page.hanging("Step   : ",
                 finding.saved_step_pct->best > 0 ? "gets " + range_text(*finding.saved_step_pct, "shorter")
                                                  : "gets no shorter: it does not wait for this work",
                 indent);
  page.hanging("Fix    : ", finding.fix, indent);
  for (const std::string_view line : split(finding.code, '\n')) {
    if (!line.empty()) page.source_line(line, indent + 9);
  }
  for (const std::string& caveat : finding.caveats) page.hanging("Caveat : ", caveat, indent);
  if (!finding.compatibility.empty()) page.hanging("Check  : ", join(finding.compatibility, ", "), indent);
  if (finding.evidence.empty()) return;
  const report::LayoutEvidence& first = finding.evidence.front();
  page.hanging("Seen   : ",
               fmt::format("first at step {}, {} at {:.3f} us of the trace{}", first.step, first.name, first.start_us,
                           first.external_id ? fmt::format(", External id {}", *first.external_id) : ""),
               indent);
}

void add_not_assessed(Document& page, const LayoutReport& report) {
  std::vector<std::string> lines;
  for (const report::NotAssessed& one : report.not_assessed) {
    lines.push_back(one.remedy.empty() ? fmt::format("{}: {}", one.detector, one.reason)
                                       : fmt::format("{}: {} ({})", one.detector, one.reason, one.remedy));
  }
  add_list(page, "Not assessed", lines, answer::Part::closing);
}

Document layout_document(const LayoutReport& report, const LayoutStyle& style) {
  Document page;
  page.headline = report.findings.empty()
                      ? (report.totals.knows_copies ? "no layout issue found" : "layouts need a recording with operators")
                      : saves_text(report.findings.front(), style);
  page.title("FRX layout analysis", report.source);
  add_lines(page, report, style);
  add_facts(page, report);
  if (!report.findings.empty() && style.shown > 0) {
    add_table(page, report, style);
    page.section("Evidence", answer::Part::evidence);
    for (std::size_t i = 0; i < std::min(style.shown, report.findings.size()); ++i) add_finding(page, report.findings[i], i + 1);
  }
  add_global_view(page, report);
  add_list(page, "Checked", report.checked, answer::Part::closing);
  add_not_assessed(page, report);
  add_notes(page, report.notes);
  page.blank();
  page.paragraph(style.seconds
                     ? fmt::format("Memory layout analysis complete {} {:.1f}s {} {}", dot(style), *style.seconds, dot(style), report.model)
                     : fmt::format("Memory layout analysis complete {} {}", dot(style), report.model),
                 0);
  return page;
}

void put_share(JsonObject& out, const LayoutShare& share) { out.add("low", exact(share.low), "best", exact(share.best)); }

void put_site(JsonObject& out, const derive::layout::Site& site) {
  out.add("module", unless_empty(site.module), "first_module", unless_empty(site.first_module), "modules", site.modules, "file",
          unless_empty(site.file), "line", answer::unless_zero(site.line), "line_of",
          answer::when(site.line != 0, std::string_view(site.is_line_of_call ? "call" : "function")), "function",
          unless_empty(site.function), "op_path", site.op_path, "beside", unless_empty(site.beside), "shapes", unless_empty(site.shapes),
          "backward", site.backward, "text", site.text());
}

void put_layout_finding(JsonObject& out, const LayoutFinding& finding) {
  out.add("id", finding.id, "detector", finding.detector, "pattern", finding.pattern, "title", finding.title, "severity",
          name_of(finding.severity));
  out.object("site", [&](JsonObject& inner) { put_site(inner, finding.site); });
  out.add("first_step", finding.first_step, "freq_per_step", exact(finding.freq_per_step), "bytes_per_step", exact(finding.bytes_per_step),
          "time_us_per_step", exact(finding.time_us_per_step), "time_share_pct", exact(finding.time_share_pct), "bytes_share_pct",
          exact(finding.bytes_share_pct));
  out.add("kernels", finding.kernels);
  out.object("saving", [&](JsonObject& inner) {
    inner.object("bytes_pct", finding.saved_bytes_pct, put_share);
    inner.object("time_pct", finding.saved_time_pct, put_share);
    inner.add("cpu_us", exact(finding.saved_cpu_us), "further_time_pct", exact(finding.further_pct), "critical_share",
              exact(finding.critical_share));
    inner.object("step_pct", finding.saved_step_pct, put_share);
  });
  out.object("fix", [&](JsonObject& inner) {
    inner.add("phrase", finding.phrase, "text", finding.fix, "code", unless_empty(finding.code), "kind", finding.kind);
  });
  out.add("effort", finding.effort, "risk", finding.risk, "confidence", exact(finding.confidence), "score", exact(finding.score),
          "quick_win", finding.is_quick_win, "caveats", finding.caveats, "compatibility", finding.compatibility);
  out.list("evidence", finding.evidence, [](JsonObject& inner, const report::LayoutEvidence& one) {
    inner.add("name", one.name, "ts_us", exact(one.start_us), "step", one.step, "external_id", one.external_id);
  });
}

void put_totals(JsonObject& out, const report::LayoutTotals& totals) {
  out.add("operators", totals.operators, "passes", totals.passes, "contiguous_calls_per_step",
          exact(answer::when(totals.knows_copies, totals.contiguous_calls)), "copies_per_step", exact(totals.copies), "copies_partial",
          !totals.knows_copies, "layout_bytes_per_step", exact(totals.layout_bytes), "layout_bytes_partial", totals.layout_bytes_partial,
          "bytes_per_step", exact(totals.bytes), "layout_time_us_per_step", exact(totals.layout_time_us), "gpu_time_us_per_step",
          exact(totals.busy_us), "step_time_us", exact(totals.step_us), "bw_overhead_pct", exact(totals.bw_overhead_pct),
          "time_overhead_pct", exact(totals.time_overhead_pct), "coverage_pct", exact(totals.coverage_pct), "idle_pct",
          exact(totals.idle_pct));
}

void put_cost(JsonObject& out, const derive::layout::LayoutCost& cost) {
  out.add("bytes", exact(cost.bytes), "time_us", exact(cost.time_ns ? std::optional(*cost.time_ns / 1000) : std::nullopt), "conversions",
          cost.conversions);
}

void put_global(JsonObject& out, const report::GlobalView& view) {
  const derive::layout::GlobalLayout& costs = view.costs;
  out.add("not_assessed", unless_empty(costs.not_assessed), "operators", costs.operators, "in_channels_last", costs.in_channels_last,
          "explained", exact(costs.explained), "confidence", exact(costs.confidence));
  const bool known = costs.not_assessed.empty();
  out.object("as_recorded", answer::when(known, costs.as_it_is), put_cost);
  out.object("contiguous", answer::when(known, costs.contiguous), put_cost);
  out.object("channels_last", answer::when(known, costs.channels_last), put_cost);
  out.object("best", answer::when(known, costs.best), put_cost);
  out.list("conversions", view.conversions, [](JsonObject& inner, const report::GlobalView::Conversion& one) {
    inner.add("producer", one.producer, "consumer", one.consumer, "sizes", one.sizes, "to", one.to, "bytes", exact(one.bytes));
  });
}

void put_layout(JsonObject& out, const LayoutReport& report) {
  out.add("schema", "layout.v1", "model", report.model);
  out.object("trace", [&](JsonObject& inner) {
    inner.add("name", report.source, "sha256", unless_empty(report.sha256), "torch", nullptr, "runtime", unless_empty(report.runtime),
              "steps", report.totals.steps, "steps_named", unless_empty(report.steps_named), "first_step", report.first_step, "last_step",
              report.last_step, "level", fmt::format("L{}", static_cast<int>(report.level)), "has_shapes", report.has_shapes, "has_strides",
              report.has_strides, "has_stacks", report.has_stacks, "has_values", report.has_values, "cpu_only", report.is_cpu_only);
  });
  out.add("gpu", unless_empty(report.gpu));
  out.object("totals", [&](JsonObject& inner) { put_totals(inner, report.totals); });
  out.list("findings", report.findings, put_layout_finding);
  out.list("not_assessed", report.not_assessed, [](JsonObject& inner, const report::NotAssessed& one) {
    inner.add("detector", one.detector, "reason", one.reason, "remedy", unless_empty(one.remedy));
  });
  out.object("kernel_classes", answer::when(report.classes_assessed, report.kernel_classes), [](JsonObject& inner, const auto& classes) {
    for (std::size_t i = 0; i < classes.size(); ++i) {
      inner.object(name_of(static_cast<derive::layout::BoundClass>(i)), [&](JsonObject& one) {
        one.add("kernels_per_step", exact(classes[i].kernels), "time_us_per_step", exact(classes[i].time_ns / 1000));
      });
    }
  });
  out.object("global", [&](JsonObject& inner) { put_global(inner, report.global); });
  out.add("measured_by", unless_empty(report.measured_by), "checked", report.checked, "notes", report.notes);
}

}  // namespace

std::string evidence_level_text(const LayoutReport& report) {
  return fmt::format("L{} (strides {}, stacks {})", static_cast<int>(report.level), report.has_strides ? "yes" : "no",
                     report.has_stacks ? "yes" : "no");
}

answer::Answer answer_of(std::shared_ptr<const LayoutReport> report, const LayoutStyle& style) {
  answer::Answer answer;
  answer.what = "an analysis of layouts";
  answer.mode = "layout";
  answer.document = [report = report.get(), style](answer::Detail) { return layout_document(*report, style); };
  answer.payload = [report = report.get()](JsonObject& out) { put_layout(out, *report); };
  answer.kept = {report};
  return answer;
}

}  // namespace frx::compose
