// What is said of the blocks of a launch that fit on one SM (gpu_occupancy_v1).

#include "base/text.h"
#include "base/units.h"
#include "compose/answer_with.h"
#include "compose/gpu_answers.h"
#include "compose/parts.h"

namespace frx::compose {
namespace {

using answer::rounded;
using knowledge::Occupancy;
using knowledge::OccupancyChange;
using report::GpuOccupancy;

constexpr std::size_t name_width = 27;

std::vector<std::string> names_of(const std::vector<knowledge::OccupancyLimiter>& limiters) {
  std::vector<std::string> names;
  for (const knowledge::OccupancyLimiter limiter : limiters) names.emplace_back(knowledge::to_string(limiter));
  return names;
}

std::string limited_by(const Occupancy& occupancy) {
  return occupancy.limiters.empty() ? "nothing: the SM is full" : join_with_and(names_of(occupancy.limiters));
}

std::string headline_of(const GpuOccupancy& shown) {
  const Occupancy& o = shown.occupancy;
  if (o.launch_fails) return fmt::format("such a launch is refused: {}", *o.launch_fails);
  if (!o.known()) return "the occupancy is not known";
  return fmt::format("{} of {} warps are resident: occupancy {} %", *o.active_warps, o.max_warps, format_number(*o.occupancy_pct));
}

void add_limits(Document& page, const Occupancy& o) {
  const auto row = [&](std::string_view name, const std::optional<std::uint32_t>& blocks) {
    page.fact(name, blocks ? count_text(*blocks, "block") : "no limit", name_width);
  };
  page.section("Blocks per SM that each resource allows");
  row("Warps", o.blocks_by_warps);
  row("Blocks", o.blocks_by_blocks);
  row("Registers", o.blocks_by_registers);
  row("Shared memory", o.blocks_by_shared_memory);
}

Document document_of(const GpuOccupancy& shown) {
  const Occupancy& o = shown.occupancy;
  Document page;
  page.headline = headline_of(shown);
  page.title("FRX occupancy", shown.asked);
  page.section("Verdict", answer::Part::verdict);
  page.fact("Answer", page.headline, name_width);
  page.fact("GPU", shown.explanation, name_width);
  if (o.known()) {
    page.fact("Resident blocks per SM", fmt::to_string(*o.active_blocks), name_width);
    page.fact("Limited by", limited_by(o), name_width);
    page.fact("Registers per block", fmt::format("{} as allocated", o.registers_per_block), name_width);
    page.fact("Shared memory per block", fmt::format("{} bytes as allocated", o.shared_per_block), name_width);
    add_limits(page, o);
  }
  if (!shown.changes.empty()) page.section("What would allow more", answer::Part::advice);
  for (const OccupancyChange& change : shown.changes) page.hanging("- ", change.text);
  page.section("Where the limits are from", answer::Part::closing);
  page.paragraph(fmt::format("{} ({})", shown.limits->limits_source, shown.limits->where));
  return page;
}

void put_launch_shape(JsonObject& out, const knowledge::LaunchShape& shape) {
  out.add("threads_per_block", shape.threads_per_block, "registers_per_thread", shape.registers_per_thread, "static_shared_bytes",
          shape.static_shared_bytes, "dynamic_shared_bytes", shape.dynamic_shared_bytes);
}

void put_launch_change(JsonObject& out, const OccupancyChange& change) {
  out.add("registers_per_thread", change.registers_per_thread, "shared_bytes", change.shared_bytes, "threads_per_block",
          change.threads_per_block, "carve_out_bytes", change.carve_out_bytes, "active_blocks_per_sm", change.blocks, "active_warps_per_sm",
          change.warps, "occupancy_pct", rounded(change.occupancy_pct, 2), "text", change.text);
}

void put_gpu_occupancy(JsonObject& out, const GpuOccupancy& shown) {
  const Occupancy& o = shown.occupancy;
  const knowledge::SmLimits& limits = *shown.limits;
  out.add("schema", "gpu_occupancy_v1", "asked", shown.asked, "explanation", shown.explanation, "compute_capability",
          knowledge::to_string(limits.cc));
  out.object("launch", &shown.shape, put_launch_shape);
  out.add("occupancy_pct", rounded(o.occupancy_pct, 2), "active_blocks_per_sm", o.active_blocks, "active_warps_per_sm", o.active_warps,
          "limiting_factors", names_of(o.limiters), "launch_fails", o.launch_fails);
  out.object("blocks_per_sm_limits", [&](JsonObject& inner) {
    inner.add("registers", o.blocks_by_registers, "shared_memory", o.blocks_by_shared_memory, "warps", o.blocks_by_warps, "blocks",
              o.blocks_by_blocks);
  });
  out.object("device_limits", [&](JsonObject& inner) {
    inner.add("threads_per_sm", limits.threads_per_sm, "warps_per_sm", limits.warps_per_sm, "blocks_per_sm", limits.blocks_per_sm,
              "registers_per_sm", limits.registers_per_sm, "shared_memory_per_sm_bytes", limits.shared_per_sm, "source",
              fmt::format("{} ({})", limits.limits_source, limits.where));
  });
  out.list("changes", shown.changes, put_launch_change);
}

}  // namespace

answer::Answer answer_of(std::shared_ptr<const GpuOccupancy> occupancy) {
  return answer_with("the occupancy of a launch", "gpu_occupancy", std::move(occupancy), document_of, put_gpu_occupancy);
}

}  // namespace frx::compose
