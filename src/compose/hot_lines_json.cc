#include "compose/payloads.h"

namespace frx::compose {
namespace {

using report::HotLine;
using report::LineWaste;

void put_waste(JsonObject& out, const LineWaste& waste) {
  out.add("access", waste.access, "per_access", rounded(waste.each, 2), "ideal_per_access", rounded(waste.ideal_each, 2), "excess",
          rounded(waste.excess, 0), "excess_pct_of_line", rounded(waste.of_line_pct, 2), "excess_pct_of_kernel",
          rounded(waste.of_kernel_pct, 2));
}

void put_line(JsonObject& out, const HotLine& line) {
  const bool placed = line.place.line > 0;
  out.add("file", placed ? std::optional(line.place.file) : std::nullopt, "line", unless_zero(line.place.line));
  out.list("inlined_at", line.called_from,
           [](JsonObject& inner, const report::SourcePlace& place) { inner.add("file", place.file, "line", place.line); });
  out.add("source", unless_empty(line.text), "function", unless_empty(line.function), "instruction_offset", line.offset, "instructions",
          line.instructions);
  out.add("samples", line.share_pct ? std::optional(line.samples) : std::nullopt, "share_pct", rounded(line.share_pct, 2));
  out.object("stalls", [&](JsonObject& inner) {
    for (const report::LineStall& stall : line.stalls) inner.add(stall.reason, rounded(stall.pct, 2));
  });
  out.add("executed", rounded(line.executed, 0), "executed_share_pct", rounded(line.executed_share_pct, 2), "active_threads",
          rounded(line.active_threads, 2));
  out.object("global_sectors", line.sectors, put_waste);
  out.object("shared_wavefronts", line.wavefronts, put_waste);
}

}  // namespace

void put_hot_lines(JsonObject& out, const report::HotCode& code) {
  out.list("hot_lines", code.lines, put_line);
  out.add("hot_lines_ranked_by",
          code.lines.empty() ? std::nullopt : std::optional<std::string_view>(code.by_samples ? "samples" : "executed_instructions"));
}

}  // namespace frx::compose
