// search_kernels: kernels of an analysis by a part of their name, with their times and what limits each.

#include <algorithm>

#include "base/text.h"
#include "base/units.h"
#include "serve/mcp/analysed.h"

namespace frx::serve {
namespace {

Json kernel_of_profile(const Json& kernel) {
  return {{"kind", "kernel"},
          {"id", at(kernel, "/kernel_name")},
          {"title", at(kernel, "/short_name")},
          {"launches", at(kernel, "/launch_count")},
          {"time_us", at(kernel, "/duration_us")},
          {"share_pct", at(kernel, "/runtime_share_pct")},
          {"bottleneck", at(kernel, "/primary_bottleneck")}};
}

Json kernel_of_trace(const Json& kernel) {
  const std::optional<double> ns = number_at(kernel, "/gpu_ns"), share = number_at(kernel, "/share");
  return {{"kind", "kernel"},
          {"id", at(kernel, "/name")},
          {"launches", at(kernel, "/count")},
          {"time_us", ns ? Json(*ns / 1e3) : Json(nullptr)},
          {"share_pct", share ? Json(100 * *share) : Json(nullptr)}};
}

Json kernel_of_code(const Json& kernel) {
  std::string place = text_at(kernel, "/filename");
  if (const std::optional<double> line = number_at(kernel, "/line")) place += fmt::format(":{:.0f}", *line);
  return {{"kind", "kernel"},
          {"id", kernel.contains("name") ? kernel["name"] : at(kernel, "/kernel_name")},
          {"place", place},
          {"text", at(kernel, "/signature")}};
}

void add_kernels(const Json& list, Json (*item_of)(const Json&), std::vector<Json>& items) {
  if (!list.is_array()) return;
  for (const Json& kernel : list) items.push_back(item_of(kernel));
}

std::vector<Json> kernels_of(const Analysed& done) {
  std::vector<Json> items;
  if (done.is_profile()) {
    add_kernels(at(done.result, "/kernels"), kernel_of_profile, items);
  } else if (done.is_run()) {
    const Json& of_trace = at(done.result, "/trace/top_kernels");
    add_kernels(at(done.result, "/top_kernels"), kernel_of_trace, items);
    if (items.empty()) add_kernels(of_trace, kernel_of_trace, items);
  } else {
    add_kernels(at(done.result, "/kernels"), kernel_of_code, items);
    const Json& files = at(done.result, "/files");
    for (std::size_t i = 0; done.mode == "code" && i < files.size(); ++i)
      add_kernels(at(files[i], "/result/kernels"), kernel_of_code, items);
  }
  return items;
}

Result<AgentAnswer> search_kernels(const ToolCall& call) {
  TRY_ASSIGN(const std::string query, call.text("query"));
  TRY_ASSIGN(const std::vector<std::string> paths, call.paths());
  TRY_ASSIGN(const std::unique_ptr<Analysed> done, analysed(call, paths));
  AgentAnswer answer;
  std::vector<Json> all = kernels_of(*done);
  for (Json& kernel : all) {
    if (contains_ignoring_case(text_at(kernel, "/id"), query)) answer.items.push_back(std::move(kernel));
  }
  std::ranges::stable_sort(answer.items, std::greater(), [](const Json& kernel) { return number_at(kernel, "/time_us").value_or(0); });
  answer.verdict = fmt::format("{} of {} {}", answer.items.size(), count_text(all.size(), "kernel"), query.empty() ? "listed" : "fit");
  answer.items_are = "kernels, those that take most time first";
  answer.facts = {{"query", query}};
  answer.full = done->command();
  return answer;
}

}  // namespace

constinit const Tool search_kernels_tool{.name = "search_kernels",
                                         .title = "Find kernels",
                                         .description =
                                             "Lists kernels of a profile, trace or code whose names contain a text, those that take most "
                                             "time first, with times, shares and what limits each.",
                                         .arguments = R"({
      "path": {"type": "string", "description": "file or folder below a root"},
      "paths": {"type": "array", "items": {"type": "string"}, "description": "instead of path"},
      "query": {"type": "string", "description": "a part of the name, in any case; all kernels without it"}})",
                                         .required = "[]",
                                         .call = search_kernels};

}  // namespace frx::serve
