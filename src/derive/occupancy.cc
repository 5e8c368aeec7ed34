#include "derive/occupancy.h"

#include <algorithm>

#include "frx_generated/metric_ids.h"
#include "knowledge/occupancy.h"

namespace frx::derive {
namespace {

constexpr std::string_view model_name = "our occupancy model, from the launch attributes";

std::optional<std::uint32_t> whole(const model::Readings& readings, model::Metric metric) {
  const std::optional<double> value = readings.value(metric);
  if (!value || *value < 0 || *value > 4e9) return std::nullopt;
  return static_cast<std::uint32_t>(*value + 0.5);
}

knowledge::LaunchShape shape_of(const model::Readings& readings) {
  knowledge::LaunchShape shape;
  shape.threads_per_block = whole(readings, metrics::threads_per_block);
  shape.registers_per_thread = whole(readings, metrics::registers_per_thread);
  shape.static_shared_bytes = whole(readings, metrics::shared_memory_static);
  shape.dynamic_shared_bytes = whole(readings, metrics::shared_memory_dynamic);
  if (!shape.static_shared_bytes && !shape.dynamic_shared_bytes) {
    if (const auto both = whole(readings, metrics::shared_memory_per_block_bytes)) {
      shape.static_shared_bytes = both;
      shape.dynamic_shared_bytes = 0;
    }
  }
  if (const auto cluster = whole(readings, metrics::cluster_size); cluster && *cluster > 1) shape.cluster_size = cluster;
  if (const auto config = whole(readings, metrics::shared_memory_config); config && *config > 0) shape.carve_out_bytes = config;
  return shape;
}

struct Limit {
  std::string_view name;
  std::optional<double> blocks;
};

}  // namespace

std::optional<double> OccupancyAnalysis::gap_pct() const {
  if (!achieved_pct || !theoretical_pct) return std::nullopt;
  return *theoretical_pct - *achieved_pct;
}

std::optional<double> OccupancyAnalysis::efficiency_pct() const {
  if (!achieved_pct || !theoretical_pct || *theoretical_pct <= 0) return std::nullopt;
  return 100 * *achieved_pct / *theoretical_pct;
}

void add_occupancy_readings(const Device& device, model::Readings& readings) {
  if (!device.limits()) return;
  const knowledge::Occupancy model = knowledge::occupancy(shape_of(readings), *device.limits());
  const auto add = [&](model::Metric metric, const auto& value) {
    if (value) readings.set(metric, {static_cast<double>(*value), model::Origin::modelled, 0, 0, model_name});
  };
  add(metrics::occupancy_limit_warps, model.blocks_by_warps);
  add(metrics::occupancy_limit_blocks, model.blocks_by_blocks);
  add(metrics::occupancy_limit_registers, model.blocks_by_registers);
  add(metrics::occupancy_limit_shared_memory, model.blocks_by_shared_memory);
  add(metrics::theoretical_occupancy_pct, model.occupancy_pct);
  if (model.active_blocks && *model.active_blocks > 0 && device.sm_count && *device.sm_count > 0) {
    if (const std::optional<double> grid = readings.value(metrics::grid_size)) {
      const double wave = *device.sm_count * *model.active_blocks;
      readings.set(metrics::waves_per_sm, {*grid / wave, model::Origin::modelled, 0, 0, model_name});
    }
  }
}

OccupancyAnalysis analyse_occupancy(const model::Readings& readings, const Device& device) {
  OccupancyAnalysis analysis;
  analysis.achieved_pct = readings.value(metrics::achieved_occupancy_pct);
  if (const model::Reading* theoretical = readings.find(metrics::theoretical_occupancy_pct)) {
    analysis.theoretical_pct = theoretical->value;
    analysis.modelled = theoretical->origin == model::Origin::modelled;
  }
  analysis.limit_registers = readings.value(metrics::occupancy_limit_registers);
  analysis.limit_shared_memory = readings.value(metrics::occupancy_limit_shared_memory);
  analysis.limit_warps = readings.value(metrics::occupancy_limit_warps);
  analysis.limit_blocks = readings.value(metrics::occupancy_limit_blocks);
  analysis.limit_barriers = readings.value(metrics::occupancy_limit_barriers);
  // A block that uses no shared memory is not limited by it, whatever the tool's column says.
  const bool uses_shared = readings.value(metrics::shared_memory_per_block_bytes).value_or(1) > 0;
  // Nothing limits a kernel that can fill every warp slot.
  if (analysis.theoretical_pct && *analysis.theoretical_pct < 99.5) {
    const Limit limits[] = {{"registers", analysis.limit_registers},
                            {"shared_memory", uses_shared ? analysis.limit_shared_memory : std::nullopt},
                            {"warps", analysis.limit_warps},
                            {"blocks", analysis.limit_blocks},
                            {"barriers", analysis.limit_barriers}};
    std::optional<double> least;
    for (const Limit& limit : limits) {
      if (limit.blocks && (!least || *limit.blocks < *least)) least = limit.blocks;
    }
    for (const Limit& limit : limits) {
      if (limit.blocks && least && *limit.blocks == *least) analysis.limiters.push_back(limit.name);
    }
  }
  if (const knowledge::SmLimits* limits = device.limits()) {
    analysis.estimate = {knowledge::occupancy(shape_of(readings), *limits), limits->threads_per_sm, limits->blocks_per_sm,
                         limits->registers_per_sm, limits->shared_per_sm};
  }
  if (device.limits() && !analysis.limiters.empty()) {
    const auto changes = knowledge::what_would_change(shape_of(readings), *device.limits());
    if (!changes.empty()) analysis.advice = changes.front().text;
  }
  return analysis;
}

}  // namespace frx::derive
