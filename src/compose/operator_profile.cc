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

std::string share_of(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? fmt::format("{:.1f} %", 100.0 * static_cast<double>(part) / static_cast<double>(whole)) : "n/a";
}

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

void add_table(Document& page, const OperatorReport& report, std::size_t shown) {
  const std::size_t rows = std::min(shown, report.operators.size());
  page.section("Operators by GPU time", rows, report.operators.size());
  const bool has_counters = std::ranges::any_of(report.operators, [](const OperatorSum& one) { return one.occupancy_pct.has_value(); });
  Table table{{number_column("GPU time", 9), number_column("share", 7, 1), number_column("calls", 6, 1), number_column("kernels", 7, 1)}};
  if (has_counters) {
    for (const char* heading : {"occup.", "SM", "DRAM"}) table.columns.push_back(number_column(heading, 7, 1));
  }
  table.columns.push_back(names_column("operator"));
  for (const OperatorSum& one : std::span(report.operators).first(rows)) {
    std::vector<answer::Cell> cells = {duration(one.gpu_ns), share_of(one.gpu_ns, report.kernel_ns), fmt::format("{}x", one.calls),
                                       fmt::to_string(one.kernels)};
    if (has_counters) {
      for (const auto& value : {one.occupancy_pct, one.sm_pct, one.dram_pct}) cells.emplace_back(percent(value));
    }
    cells.emplace_back(one.is_scope ? one.name + " (a range, no operator)" : one.name);
    table.add(std::move(cells));
  }
  page.add(std::move(table));
  if (report.unattributed.kernels > 0)
    page.paragraph(fmt::format("In no operator: {}, {} ({}).", count_text(report.unattributed.kernels, "kernel"),
                               duration(report.unattributed.gpu_ns), share_of(report.unattributed.gpu_ns, report.kernel_ns)));
}

Document page_of(const OperatorReport& report, std::size_t shown) {
  Document page;
  page.headline = report.operators.empty() ? "no operator is known"
                                           : fmt::format("{} takes {} of kernel time", report.operators.front().name,
                                                         share_of(report.operators.front().gpu_ns, report.kernel_ns));
  page.title("FRX operators");
  add_facts(page, report);
  if (!report.operators.empty()) add_table(page, report, shown);
  if (report.notes.empty()) return page;
  page.section("Notes", answer::Part::closing);
  for (const std::string& note : report.notes) page.hanging("- ", note);
  return page;
}

void put_share(JsonObject& out, const report::KernelShare& share) { out.add("kernels", share.kernels, "gpu_ns", share.gpu_ns); }

void put_report(JsonObject& out, const OperatorReport& report) {
  out.add("schema", "operator_report_v0", "filename", report.source, "gpu", answer::unless_empty(report.gpu), "profile_schema",
          answer::unless_empty(report.schema), "kernels", report.kernels, "kernel_ns", report.kernel_ns, "iterations", report.iterations);
  out.object("unattributed", [&](JsonObject& inner) { put_share(inner, report.unattributed); });
  out.object("before_window", [&](JsonObject& inner) { put_share(inner, report.before_window); });
  out.list("operators", report.operators, [](JsonObject& one, const OperatorSum& sum) {
    one.add("name", sum.name, "is_operator", !sum.is_scope, "gpu_ns", sum.gpu_ns, "calls", sum.calls, "kernels", sum.kernels,
            "longest_kernel", sum.longest_kernel, "longest_kernel_ns", sum.longest_ns, "occupancy_pct", sum.occupancy_pct,
            "sm_throughput_pct", sum.sm_pct, "dram_throughput_pct", sum.dram_pct);
  });
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
