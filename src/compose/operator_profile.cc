#include "compose/operator_profile.h"

#include <algorithm>

#include "base/text.h"
#include "base/units.h"
#include "compose/parts.h"

namespace frx::compose {
namespace {

using answer::Document;
using answer::JsonObject;
using answer::Table;
using report::OperatorReport;
using report::OperatorSum;

std::string duration(std::int64_t ns) { return format_quantity(static_cast<double>(ns), "ns"); }

std::string percent(const std::optional<double>& value) { return value ? fmt::format("{:.1f} %", *value) : "n/a"; }

void add_facts(Document& page, const OperatorReport& report) {
  page.fact("File", answer::as_name(report.source));
  if (!report.gpu.empty()) page.fact("GPU", answer::as_name(report.gpu));
  page.fact("Kernels", fmt::format("{}, {} of GPU time", count_text(report.kernels, "kernel"), duration(report.kernel_ns)));
  page.fact("Attributed", fmt::format("{} of the time to {}", share_of(report.attributed_ns(), report.kernel_ns),
                                      count_text(report.operators.size(), "operator")));
  if (report.iterations)
    page.fact("Window", fmt::format("{}; {} before it", count_text(*report.iterations, "iteration"),
                                    count_text(report.before_window.kernels, "kernel")));
}

// Kinds of work of at least a percent; the JSON has all.
void add_categories(Document& page, const OperatorReport& report) {
  constexpr std::int64_t shown_of = 100;
  std::vector<const report::CategoryShare*> shown;
  for (const report::CategoryShare& one : report.categories) {
    if (one.share.gpu_ns * shown_of >= report.kernel_ns) shown.push_back(&one);
  }
  if (shown.empty()) return;
  page.section("Kinds of work", shown.size(), report.categories.size());
  Table table{{number_column("GPU time", 9), number_column("share", 7, 1), number_column("kernels", 7, 1), names_column("kind")}};
  for (const report::CategoryShare* one : shown)
    table.add({duration(one->share.gpu_ns), share_of(one->share.gpu_ns, report.kernel_ns), fmt::to_string(one->share.kernels), one->title});
  page.add(std::move(table));
}

// "net.block.linear" within "net.block" as "linear".
std::string_view name_within(std::string_view name, std::string_view parent) {
  const bool is_within = !parent.empty() && name.size() > parent.size() + 1 && name.starts_with(parent) && name[parent.size()] == '.';
  return is_within ? name.substr(parent.size() + 1) : name;
}

// The largest modules in the order of the tree: what a module is in takes at least as much time, so the way to each is shown.
std::vector<const report::ModuleNode*> largest_modules(const OperatorReport& report, std::size_t shown) {
  std::vector<const report::ModuleNode*> largest;
  for (const report::ModuleNode& one : report.modules) largest.push_back(&one);
  std::ranges::stable_sort(largest, std::ranges::greater{}, [](const report::ModuleNode* one) { return one->inclusive.gpu_ns; });
  largest.resize(std::min(shown, largest.size()));
  std::ranges::sort(largest);
  return largest;
}

void add_modules(Document& page, const OperatorReport& report, std::size_t shown) {
  const std::vector<const report::ModuleNode*> rows = largest_modules(report, shown);
  page.section("Modules by GPU time", rows.size(), report.modules.size());
  const bool has_backward = std::ranges::any_of(rows, [](const report::ModuleNode* one) { return one->backward.kernels > 0; });
  Table table{{number_column("with inner", 10), number_column("share", 7, 1), number_column("itself", 9, 1)}};
  if (has_backward) table.columns.push_back(number_column("backward", 9, 1));
  table.columns.push_back(number_column("calls", 6, 1));
  table.columns.push_back(names_column("module"));
  std::vector<std::string_view> path;
  for (const report::ModuleNode* one : rows) {
    path.resize(one->depth);
    const std::string_view name = name_within(one->name, path.empty() ? std::string_view() : path.back());
    path.push_back(one->name);
    constexpr std::size_t deepest = 20;
    std::vector<answer::Cell> cells = {duration(one->inclusive.gpu_ns), share_of(one->inclusive.gpu_ns, report.kernel_ns),
                                       duration(one->self.gpu_ns)};
    if (has_backward) cells.emplace_back(duration(one->backward.gpu_ns));
    cells.emplace_back(fmt::format("{}x", one->calls));
    cells.emplace_back(std::string(2 * std::min(one->depth, deepest), ' ') + std::string(name));
    table.add(std::move(cells));
  }
  page.add(std::move(table));
  if (report.in_no_module.kernels > 0)
    page.paragraph(fmt::format("In no module: {}, {} ({}).", count_text(report.in_no_module.kernels, "kernel"),
                               duration(report.in_no_module.gpu_ns), share_of(report.in_no_module.gpu_ns, report.kernel_ns)));
}

// "qwen.py(42): forward" of "transformers/models/qwen.py(42): forward".
std::string_view file_name_in_line(std::string_view line) {
  const std::size_t slash = line.find_last_of("/\\", line.find(".py("));
  return slash == line.npos ? line : line.substr(slash + 1);
}

// Where the operators shown were called, as far as the recording has Python functions.
void add_lines(Document& page, const OperatorReport& report, std::size_t shown) {
  const std::span<const OperatorSum> rows = std::span(report.operators).first(std::min(shown, report.operators.size()));
  if (std::ranges::none_of(rows, [](const OperatorSum& one) { return !one.line.empty(); })) return;
  page.section("Called from", answer::Part::evidence);
  Table table{{number_column("GPU time", 9), names_column("operator", Fit::cut), names_column("line of the program")}};
  table.columns[1].width = 30;
  for (const OperatorSum& one : rows) {
    if (!one.line.empty()) table.add({duration(one.gpu_ns), one.name, file_name_in_line(one.line)});
  }
  page.add(std::move(table));
}

void add_table(Document& page, const OperatorReport& report, std::size_t shown) {
  const std::size_t rows = std::min(shown, report.operators.size());
  page.section("Operators by GPU time", rows, report.operators.size());
  const bool has_counters = std::ranges::any_of(report.operators, [](const OperatorSum& one) { return one.occupancy_pct.has_value(); });
  // Beside counters a line is too short for rates; the JSON has both.
  const bool has_rates =
      !has_counters && std::ranges::any_of(report.operators, [](const OperatorSum& one) { return one.rates.has_value(); });
  const bool has_peaks =
      has_rates && std::ranges::any_of(report.operators, [](const OperatorSum& one) { return one.rates && one.rates->peak_share; });
  Table table{{number_column("GPU time", 9), number_column("share", 7, 1), number_column("calls", 6, 1), number_column("kernels", 7, 1)}};
  if (has_counters) {
    for (const char* heading : {"occup.", "SM", "DRAM"}) table.columns.push_back(number_column(heading, 7, 1));
  }
  if (has_rates) table.columns.push_back(number_column("TFLOP/s", 8, 1));
  if (has_peaks) table.columns.push_back(number_column("of peak", 8, 1));
  table.columns.push_back(names_column("operator"));
  for (const OperatorSum& one : std::span(report.operators).first(rows)) {
    std::vector<answer::Cell> cells = {duration(one.gpu_ns), share_of(one.gpu_ns, report.kernel_ns), fmt::format("{}x", one.calls),
                                       fmt::to_string(one.kernels)};
    if (has_counters) {
      for (const auto& value : {one.occupancy_pct, one.sm_pct, one.dram_pct}) cells.emplace_back(percent(value));
    }
    if (has_rates) cells.emplace_back(one.rates ? fmt::format("{:.1f}", one.rates->tflops()) : "");
    if (has_peaks) cells.emplace_back(one.rates && one.rates->peak_share ? fmt::format("{:.1f} %", 100 * *one.rates->peak_share) : "");
    cells.emplace_back(one.is_scope ? one.name + " (a range, no operator)" : one.name);
    table.add(std::move(cells));
  }
  page.add(std::move(table));
  if (report.unattributed.kernels > 0)
    page.paragraph(fmt::format("In no operator: {}, {} ({}).", count_text(report.unattributed.kernels, "kernel"),
                               duration(report.unattributed.gpu_ns), share_of(report.unattributed.gpu_ns, report.kernel_ns)));
}

// "DRAM throughput 92 %, L2 hit rate 12 %".
std::string evidence_of(const report::OperatorDiagnosis& diagnosis) {
  constexpr std::size_t values_named = 3;
  std::vector<std::string> words;
  for (const auto& one : std::span(diagnosis.evidence).first(std::min(values_named, diagnosis.evidence.size())))
    words.push_back(fmt::format("{} {}", one.label, short_quantity(one.value, one.unit)));
  return join(words, ", ");
}

void add_diagnosis(Document& page, const OperatorSum& sum, const report::OperatorDiagnosis& diagnosis, const std::string& share) {
  constexpr std::size_t indent = 11;
  std::string text = fmt::format("{}: {}", printable(sum.name), diagnosis.display);
  if (const std::string evidence = evidence_of(diagnosis); !evidence.empty()) text += "; " + evidence;
  if (!diagnosis.kernel.empty()) text += fmt::format(" (values of {})", clip(printable(diagnosis.kernel), 40));
  page.hanging(fmt::format("{:>7}  ", share), text, 2, Tone::plain, diagnosis.score ? Tone::bold : Tone::plain);
  if (!diagnosis.score && diagnosis.missing.empty())
    page.paragraph("frx operators map measures the counters that decide", indent, Tone::dim);
  if (!diagnosis.missing.empty()) page.paragraph("to be measured: " + join(diagnosis.missing, ", "), indent, Tone::dim);
  if (!diagnosis.advice) return;
  std::string advice = "change first: " + diagnosis.advice->title;
  const std::optional<double>& most = diagnosis.advice->at_most_pct;
  if (most && *most < 100) advice += fmt::format(" (at most {:.0f} % faster, by what was measured)", *most);
  page.paragraph(advice, indent);
}

// Of the operators shown, those whose counters are known.
void add_diagnoses(Document& page, const OperatorReport& report, std::size_t shown) {
  const std::span<const OperatorSum> rows = std::span(report.operators).first(std::min(shown, report.operators.size()));
  const auto count = std::ranges::count_if(rows, [](const OperatorSum& one) { return one.diagnosis.has_value(); });
  if (count == 0) return;
  page.section("What limits them, by the counters of their kernels", static_cast<std::size_t>(count), report.operators.size());
  for (const OperatorSum& one : rows) {
    if (one.diagnosis) add_diagnosis(page, one, *one.diagnosis, share_of(one.gpu_ns, report.kernel_ns));
  }
}

Document page_of(const OperatorReport& report, std::size_t shown) {
  Document page;
  page.headline = report.operators.empty() ? "no operator is known"
                                           : fmt::format("{} takes {} of kernel time", report.operators.front().name,
                                                         share_of(report.operators.front().gpu_ns, report.kernel_ns));
  page.title("FRX operators");
  add_facts(page, report);
  add_categories(page, report);
  if (!report.modules.empty()) add_modules(page, report, shown);
  if (report.modules.empty() && !report.operators.empty()) {
    add_table(page, report, shown);
    add_diagnoses(page, report, shown);
    add_lines(page, report, shown);
  }
  if (report.notes.empty() && report.flags.empty()) return page;
  page.section("Notes", answer::Part::closing);
  for (const report::OperatorFlag& flag : report.flags) page.hanging("- ", flag.text);
  for (const std::string& note : report.notes) page.hanging("- ", note);
  return page;
}

void put_share(JsonObject& out, const report::KernelShare& share) { out.add("kernels", share.kernels, "gpu_ns", share.gpu_ns); }

void put_rates(JsonObject& out, const std::optional<report::OperatorRates>& rates) {
  if (!rates) return out.add("rates", nullptr);
  out.object("rates", [&](JsonObject& inner) {
    inner.add("flops", rates->flops, "bytes", rates->bytes, "gpu_ns", rates->gpu_ns, "tflops", rates->tflops(), "peak",
              answer::unless_empty(rates->precision), "peak_share", rates->peak_share, "memory_limited", rates->memory_limited);
  });
}

void put_diagnosis(JsonObject& out, const std::optional<report::OperatorDiagnosis>& diagnosis) {
  if (!diagnosis) return out.add("diagnosis", nullptr);
  out.object("diagnosis", [&](JsonObject& inner) {
    inner.add("primary_bottleneck", diagnosis->label, "display_name", diagnosis->display, "confidence", diagnosis->confidence, "score",
              diagnosis->score, "kernel", answer::unless_empty(diagnosis->kernel), "secondary_bottlenecks", diagnosis->others, "missing",
              diagnosis->missing);
    inner.list("evidence", diagnosis->evidence, [](JsonObject& one, const report::OperatorDiagnosis::Evidence& value) {
      one.add("metric", value.id, "value", value.value, "unit", value.unit, "source", value.source);
    });
    if (!diagnosis->advice) return inner.add("recommendation", nullptr);
    inner.object("recommendation", [&](JsonObject& advice) {
      const report::OperatorDiagnosis::Advice& one = *diagnosis->advice;
      advice.add("id", one.id, "title", one.title, "why", one.why, "first_action", answer::unless_empty(one.first_action), "label",
                 one.label, "speedup_bound_pct", one.at_most_pct);
    });
  });
}

void put_details(JsonObject& out, const OperatorReport& report) {
  out.list("categories", report.categories, [](JsonObject& one, const report::CategoryShare& category) {
    one.add("id", category.id);
    put_share(one, category.share);
  });
  out.list("modules", report.modules, [](JsonObject& one, const report::ModuleNode& module) {
    one.add("name", module.name, "depth", module.depth, "calls", module.calls, "self_kernels", module.self.kernels, "self_ns",
            module.self.gpu_ns, "kernels", module.inclusive.kernels, "gpu_ns", module.inclusive.gpu_ns, "backward_kernels",
            module.backward.kernels, "backward_ns", module.backward.gpu_ns);
  });
  out.list("flags", report.flags, [](JsonObject& one, const report::OperatorFlag& flag) {
    one.add("id", flag.id, "level", flag.is_severe ? "severe" : "warning", "value", flag.value, "limit", flag.limit, "text", flag.text);
  });
}

void put_report(JsonObject& out, const OperatorReport& report) {
  out.add("schema", "operator_report_v0", "filename", report.source, "gpu", answer::unless_empty(report.gpu), "profile_schema",
          answer::unless_empty(report.schema), "kernels", report.kernels, "kernel_ns", report.kernel_ns, "iterations", report.iterations);
  out.object("unattributed", [&](JsonObject& inner) { put_share(inner, report.unattributed); });
  out.object("before_window", [&](JsonObject& inner) { put_share(inner, report.before_window); });
  out.list("operators", report.operators, [](JsonObject& one, const OperatorSum& sum) {
    one.add("name", sum.name, "is_operator", !sum.is_scope, "gpu_ns", sum.gpu_ns, "calls", sum.calls, "kernels", sum.kernels,
            "longest_kernel", sum.longest_kernel, "longest_kernel_ns", sum.longest_ns, "occupancy_pct", sum.occupancy_pct,
            "sm_throughput_pct", sum.sm_pct, "dram_throughput_pct", sum.dram_pct, "line", answer::unless_empty(sum.line));
    put_rates(one, sum.rates);
    put_diagnosis(one, sum.diagnosis);
  });
  put_details(out, report);
  out.add("notes", report.notes);
}

}  // namespace

answer::Answer answer_of(std::shared_ptr<const OperatorReport> report, std::size_t shown) {
  answer::Answer answer{.what = "operators", .mode = "operators"};
  answer.document = [report, shown](answer::Detail) { return page_of(*report, shown); };
  answer.payload = [report](JsonObject& out) { put_report(out, *report); };
  answer.kept = {report};
  return answer;
}

}  // namespace frx::compose
