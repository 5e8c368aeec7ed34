// source_hot_spots: the lines where the time goes, or where the code wastes it.

#include <algorithm>

#include "base/text.h"
#include "base/units.h"
#include "serve/mcp/analysed.h"

namespace frx::serve {
namespace {

Json item_of_line(const Json& line, const Json& kernel) {
  std::string place = text_at(line, "/file");
  if (const std::optional<double> number = number_at(line, "/line")) place += fmt::format(":{:.0f}", *number);
  if (place.empty())
    place =
        fmt::format("{} + {:.0f} bytes", readable_symbol(text_at(line, "/function")), number_at(line, "/instruction_offset").value_or(0));
  return {{"kind", "line"},
          {"id", place},
          {"kernel", at(kernel, "/short_name")},
          {"place", place},
          {"source", at(line, "/source")},
          {"score", at(line, at(line, "/share_pct").is_number() ? "/share_pct" : "/executed_share_pct")},
          {"samples", at(line, "/samples")},
          {"stalls", at(line, "/stalls")},
          {"global_sectors", at(line, "/global_sectors")},
          {"shared_wavefronts", at(line, "/shared_wavefronts")}};
}

void hot_lines_of(const Json& result, AgentAnswer& answer) {
  for (const Json& kernel : at(result, "/kernels")) {
    for (const Json& line : at(kernel, "/hot_lines")) answer.items.push_back(item_of_line(line, kernel));
  }
  answer.items_are = "lines of each kernel, kernels by time; score: per cent of its samples, or of its executed instructions";
  if (!answer.items.empty()) {
    answer.verdict = fmt::format("{} of {} is hottest", text_at(answer.items[0], "/place"), text_at(answer.items[0], "/kernel"));
    const Json& stalls = answer.items[0]["stalls"];
    if (stalls.is_object() && !stalls.empty()) answer.reason = "its warps wait most for " + stalls.begin().key();
    return;
  }
  answer.verdict = "the profile has no samples by line";
  answer.reason =
      "Nsight Compute collects them with the section SourceCounters, and knows lines where the program was compiled with -lineinfo";
  answer.next_measurement = {{"why", answer.verdict}, {"command", "ncu --set full --import-source yes -o report ./your_app"}};
}

Result<AgentAnswer> source_hot_spots(const ToolCall& call) {
  TRY_ASSIGN(const std::vector<std::string> paths, call.paths());
  TRY_ASSIGN(const std::unique_ptr<Analysed> done, analysed(call, paths));
  AgentAnswer answer;
  answer.full = done->command();
  if (done->is_profile()) {
    hot_lines_of(done->result, answer);
    return answer;
  }
  if (!done->is_code())
    return fail(ErrorKind::usage, "source_hot_spots is for a profile of Nsight Compute, or for code")
        .hint("search_kernels lists the kernels of a trace");
  for (const Json& finding : done->findings()) answer.items.push_back(item_of_finding(finding));
  answer.items_are = "findings by place, the most severe first; they are read from the code and not measured";
  answer.verdict = answer.items.empty() ? "nothing was found in the code"
                                        : fmt::format("{} at {}", text_at(answer.items[0], "/id"), text_at(answer.items[0], "/place"));
  answer.reason = answer.items.empty() ? "" : text_at(answer.items[0], "/text");
  return answer;
}

}  // namespace

constinit const Tool source_hot_spots_tool{.name = "source_hot_spots",
                                           .title = "Lines that cost",
                                           .description =
                                               "Of an Nsight Compute report: the source lines (or instructions) where warps spend their "
                                               "time, with stall reasons, excess sectors and bank "
                                               "conflicts. Of code: what was found in it, by place.",
                                           .arguments = R"({
      "path": {"type": "string", "description": "a report, or code, below a root"},
      "paths": {"type": "array", "items": {"type": "string"}, "description": "instead of path"},
      "pedantic": {"type": "boolean", "description": "CUDA source: also guesses that the source alone does not settle"}})",
                                           .required = "[]",
                                           .call = source_hot_spots};

}  // namespace frx::serve
