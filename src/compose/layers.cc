#include "compose/layers.h"

#include <algorithm>

#include "base/text.h"
#include "base/units.h"
#include "compose/parts.h"
#include "report/operators/inferred_counters.h"

namespace frx::compose {
namespace {

using answer::Document;
using answer::JsonObject;
using answer::Table;
using derive::trace::EqualLayers;
using report::LayersReport;

std::string names_of(const EqualLayers& group) {
  constexpr std::size_t shown = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(shown, group.duplicates.size()); ++i)
    text += fmt::format("{}{}", i == 0 ? "" : ", ", group.duplicates[i]);
  if (group.duplicates.size() > shown) text += fmt::format(" and {} more", group.duplicates.size() - shown);
  return text;
}

bool has_wide_spread(const LayersReport& report) {
  return std::ranges::any_of(report.division.groups, [](const EqualLayers& group) { return group.spread > report::most_spread; });
}

void add_table(Document& page, const LayersReport& report) {
  page.section("Modules that do the same work");
  Table table{{number_column("share", 7), number_column("kernels", 7, 1), number_column("spread", 7, 1)}};
  table.columns.push_back(names_column("module"));
  table.columns.push_back(names_column("stands for"));
  for (const EqualLayers& group : report.division.groups) {
    table.add({share_of(group.all_ns, report.kernel_ns), fmt::to_string(group.kernels), fmt::format("{:.1f} %", 100 * group.spread),
               std::string(group.unique), names_of(group)});
  }
  page.add(std::move(table));
}

Document page_of(const LayersReport& report) {
  const derive::trace::LayerDivision& division = report.division;
  const std::uint64_t measured = division.kernels - division.kernels_left_out;
  const std::string measured_of_all =
      fmt::format("{} of {}", format_number(static_cast<double>(measured)), count_text(division.kernels, "kernel"));
  Document page;
  page.headline = division.groups.empty() ? "no modules do the same work" : measured_of_all + " are enough to measure";
  page.title("FRX operators layers");
  page.fact("File", answer::as_name(report.profile.timeline.source));
  page.fact("To measure", fmt::format("{} ({})", measured_of_all, share_of(measured, division.kernels)));
  if (division.groups.empty()) {
    page.paragraph(
        "No two modules beside each other ran the same operators with the same shapes and kernels. Modules are ranges called "
        "nn.Module: NAME; docs/operators.md tells how to record them.");
    return page;
  }
  add_table(page, report);
  if (has_wide_spread(report))
    page.paragraph(
        fmt::format("GPU times that differ by more than {:.0f} % among modules with the same work: their counters are not handed on.",
                    100 * report::most_spread));
  return page;
}

void put_report(JsonObject& out, const LayersReport& report) {
  const derive::trace::LayerDivision& division = report.division;
  out.add("schema", "operator_layers_v0", "filename", report.profile.timeline.source, "kernels", division.kernels, "kernels_to_measure",
          division.kernels - division.kernels_left_out, "kernel_ns", report.kernel_ns);
  out.list("groups", division.groups, [](JsonObject& one, const EqualLayers& group) {
    one.add("unique", group.unique, "duplicates", group.duplicates, "kernels", group.kernels, "unique_ns", group.unique_ns, "all_ns",
            group.all_ns, "spread", group.spread);
  });
}

}  // namespace

answer::Answer answer_of(std::shared_ptr<const LayersReport> report) {
  answer::Answer answer{.what = "layers", .mode = "operator_layers"};
  answer.document = [report](answer::Detail) { return page_of(*report); };
  answer.payload = [report](JsonObject& out) { put_report(out, *report); };
  answer.kept = {report};
  return answer;
}

std::string partition_text(const LayersReport& report) {
  return answer::json_text_of([&](JsonObject& out) {
    for (const EqualLayers& group : report.division.groups) {
      for (const std::string_view duplicate : group.duplicates) out.add(duplicate, group.unique);
    }
  });
}

}  // namespace frx::compose
