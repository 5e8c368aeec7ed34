#include "compose/hot_lines_json.h"

#include "compose/json.h"

namespace frx::compose {
namespace {

using report::HotLine;
using report::LineWaste;

Json waste_json(const std::optional<LineWaste>& waste) {
  if (!waste) return nullptr;
  Json json = object_for(6);
  json["access"] = waste->access;
  json["per_access"] = number(waste->each, 2);
  json["ideal_per_access"] = number(waste->ideal_each, 2);
  json["excess"] = number(waste->excess, 0);
  json["excess_pct_of_line"] = number(waste->of_line_pct, 2);
  json["excess_pct_of_kernel"] = number(waste->of_kernel_pct, 2);
  return json;
}

Json callers_json(const HotLine& line) {
  Json list = Json::array();
  for (const report::SourcePlace& place : line.called_from) list.push_back({{"file", place.file}, {"line", place.line}});
  return list;
}

Json stalls_json(const HotLine& line) {
  Json map = Json::object();
  for (const report::LineStall& stall : line.stalls) map[std::string(stall.reason)] = number(stall.pct, 2);
  return map;
}

Json line_json(const HotLine& line, bool has_samples) {
  Json json = object_for(16);
  const bool placed = line.place.line > 0;
  json["file"] = placed ? Json(line.place.file) : Json(nullptr);
  json["line"] = placed ? Json(line.place.line) : Json(nullptr);
  json["inlined_at"] = callers_json(line);
  json["source"] = line.text.empty() ? Json(nullptr) : Json(line.text);
  json["function"] = line.function.empty() ? Json(nullptr) : Json(line.function);
  json["instruction_offset"] = line.offset ? Json(*line.offset) : Json(nullptr);
  json["instructions"] = line.instructions;
  json["samples"] = has_samples ? Json(line.samples) : Json(nullptr);
  json["share_pct"] = number(line.share_pct, 2);
  json["stalls"] = stalls_json(line);
  json["executed"] = number(line.executed, 0);
  json["executed_share_pct"] = number(line.executed_share_pct, 2);
  json["active_threads"] = number(line.active_threads, 2);
  json["global_sectors"] = waste_json(line.sectors);
  json["shared_wavefronts"] = waste_json(line.wavefronts);
  return json;
}

}  // namespace

Json hot_lines_json(const report::HotCode& code) {
  Json list = Json::array();
  for (const HotLine& line : code.lines) list.push_back(line_json(line, line.share_pct.has_value()));
  return list;
}

Json hot_lines_rank(const report::HotCode& code) {
  if (code.lines.empty()) return nullptr;
  return code.by_samples ? "samples" : "executed_instructions";
}

}  // namespace frx::compose
