#include "knowledge/occupancy.h"

#include <algorithm>

#include "base/units.h"

namespace frx::knowledge {
namespace {

std::uint32_t divided_up(std::uint32_t value, std::uint32_t by) { return (value + by - 1) / by; }
std::uint32_t rounded_up(std::uint32_t value, std::uint32_t unit) { return divided_up(value, unit) * unit; }

std::optional<std::uint32_t> shared_bytes(const LaunchShape& shape) {
  if (!shape.static_shared_bytes || !shape.dynamic_shared_bytes) return std::nullopt;
  const std::uint64_t sum = std::uint64_t{*shape.static_shared_bytes} + *shape.dynamic_shared_bytes;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(sum, std::uint32_t(-1)));
}

// The shared resources of the blocks of one SM. A configuration too small for one block is not the one the launch ran with.
std::uint32_t available_shared(const LaunchShape& shape, const SmLimits& limits, std::uint32_t per_block) {
  const bool usable = shape.carve_out_bytes && *shape.carve_out_bytes >= per_block;
  return usable ? *shape.carve_out_bytes : limits.shared_per_sm;
}

std::vector<std::string_view> missing_inputs(const LaunchShape& shape) {
  std::vector<std::string_view> missing;
  if (!shape.threads_per_block) missing.push_back("threads per block");
  if (!shape.registers_per_thread) missing.push_back("registers per thread");
  if (!shape.static_shared_bytes) missing.push_back("static shared memory per block");
  if (!shape.dynamic_shared_bytes) missing.push_back("dynamic shared memory per block");
  return missing;
}

std::uint32_t registers_per_warp(std::uint32_t registers_per_thread, const SmLimits& limits) {
  return rounded_up(registers_per_thread * limits.warp_size, limits.register_allocation_unit);
}

// The checks of the driver before a launch.
std::optional<std::string> refusal(const LaunchShape& shape, const SmLimits& limits) {
  if (const auto threads = shape.threads_per_block) {
    if (*threads == 0) return "a block needs at least one thread";
    if (*threads > limits.threads_per_block)
      return fmt::format("{} threads per block, at most {} are possible", *threads, limits.threads_per_block);
  }
  if (const auto registers = shape.registers_per_thread) {
    if (*registers > limits.registers_per_thread)
      return fmt::format("{} registers per thread, at most {} are possible", *registers, limits.registers_per_thread);
    if (shape.threads_per_block) {
      // The check counts whole groups of warps, one per sub-partition, although a resident block does not allocate them.
      const std::uint32_t warps = rounded_up(divided_up(*shape.threads_per_block, limits.warp_size), limits.warp_allocation_granularity);
      const std::uint32_t needed = warps * registers_per_warp(*registers, limits);
      if (needed > limits.registers_per_block)
        return fmt::format("{} registers for one block, at most {} are possible", needed, limits.registers_per_block);
    }
  }
  if (shape.static_shared_bytes && *shape.static_shared_bytes > limits.shared_per_block_static) {
    return fmt::format("{} bytes of static shared memory, at most {} are possible; more needs dynamic shared memory",
                       *shape.static_shared_bytes, limits.shared_per_block_static);
  }
  if (const auto shared = shared_bytes(shape); shared && *shared > limits.shared_per_block) {
    return fmt::format("{} bytes of shared memory per block, at most {} are possible", *shared, limits.shared_per_block);
  }
  if (shape.cluster_size && *shape.cluster_size > 1 && limits.max_cluster_size == 0) {
    return fmt::format("a cluster of {} blocks, but compute capability {} has no clusters", *shape.cluster_size, to_string(limits.cc));
  }
  // Beyond the portable size up to 16 blocks may be allowed for one kernel.
  if (shape.cluster_size && *shape.cluster_size > 2 * limits.max_cluster_size && limits.max_cluster_size > 0) {
    return fmt::format("a cluster of {} blocks, at most {} are possible", *shape.cluster_size, 2 * limits.max_cluster_size);
  }
  return std::nullopt;
}

// Each sub-partition has its own registers and holds whole warps.
std::uint32_t warps_by_registers(std::uint32_t registers_per_thread, const SmLimits& limits) {
  const std::uint32_t per_partition = limits.registers_per_sm / limits.sub_partitions;
  return per_partition / registers_per_warp(registers_per_thread, limits) * limits.sub_partitions;
}

void resident_by_resource(const LaunchShape& shape, const SmLimits& limits, Occupancy& result) {
  result.blocks_by_blocks = limits.blocks_per_sm;
  if (shape.threads_per_block) {
    result.warps_per_block = divided_up(*shape.threads_per_block, limits.warp_size);
    result.blocks_by_warps = limits.warps_per_sm / result.warps_per_block;
  }
  if (shape.threads_per_block && shape.registers_per_thread && *shape.registers_per_thread > 0) {
    result.registers_per_block = result.warps_per_block * registers_per_warp(*shape.registers_per_thread, limits);
    result.blocks_by_registers = warps_by_registers(*shape.registers_per_thread, limits) / result.warps_per_block;
  }
  if (const auto shared = shared_bytes(shape)) {
    result.shared_per_block = rounded_up(*shared + limits.shared_reserved_per_block, limits.shared_allocation_unit);
    if (result.shared_per_block > 0) {
      result.blocks_by_shared_memory = available_shared(shape, limits, result.shared_per_block) / result.shared_per_block;
    }
  }
}

std::string percent(double value) { return format_number(value) + " %"; }

}  // namespace

std::string_view to_string(OccupancyLimiter limiter) {
  switch (limiter) {
    case OccupancyLimiter::warps: return "warps";
    case OccupancyLimiter::blocks: return "blocks";
    case OccupancyLimiter::registers: return "registers";
    case OccupancyLimiter::shared_memory: return "shared_memory";
  }
  return "";
}

Occupancy occupancy(const LaunchShape& shape, const SmLimits& limits) {
  Occupancy result;
  result.max_warps = limits.warps_per_sm;
  result.missing = missing_inputs(shape);
  result.launch_fails = refusal(shape, limits);
  if (result.launch_fails) return result;
  resident_by_resource(shape, limits, result);
  if (!result.missing.empty()) return result;

  struct Bound {
    OccupancyLimiter limiter;
    std::optional<std::uint32_t> blocks;
  };
  const Bound bounds[] = {{OccupancyLimiter::warps, result.blocks_by_warps},
                          {OccupancyLimiter::blocks, result.blocks_by_blocks},
                          {OccupancyLimiter::registers, result.blocks_by_registers},
                          {OccupancyLimiter::shared_memory, result.blocks_by_shared_memory}};
  std::uint32_t active = limits.blocks_per_sm;
  for (const Bound& bound : bounds) active = std::min(active, bound.blocks.value_or(active));
  result.active_blocks = active;
  result.active_warps = active * result.warps_per_block;
  result.occupancy_pct = 100.0 * *result.active_warps / limits.warps_per_sm;
  if (*result.active_warps == limits.warps_per_sm) return result;
  for (const Bound& bound : bounds) {
    if (bound.blocks == active) result.limiters.push_back(bound.limiter);
  }
  return result;
}

namespace {

// Tries variations of one launch and describes those that make more warps resident.
class Changes {
 public:
  Changes(const LaunchShape& shape, const SmLimits& limits) : shape_(shape), limits_(limits), now_(occupancy(shape, limits)) {}

  std::vector<OccupancyChange> find() {
    if (!now_.known() || now_.limiters.empty()) return {};
    fewer_registers();
    less_shared_memory();
    if (found_.empty()) fewer_registers_and_less_shared_memory();
    larger_carve_out();
    other_block_size();
    return std::move(found_);
  }

 private:
  bool limited_by(OccupancyLimiter limiter) const {
    return std::find(now_.limiters.begin(), now_.limiters.end(), limiter) != now_.limiters.end();
  }
  std::uint32_t shared() const { return *shape_.static_shared_bytes + *shape_.dynamic_shared_bytes; }
  LaunchShape with_shared(LaunchShape shape, std::uint32_t bytes) const {
    shape.static_shared_bytes = std::min(bytes, *shape_.static_shared_bytes);
    shape.dynamic_shared_bytes = bytes - *shape.static_shared_bytes;
    return shape;
  }
  bool gains(const LaunchShape& shape) const { return warps(shape) > *now_.active_warps; }
  std::uint32_t warps(const LaunchShape& shape) const { return occupancy(shape, limits_).active_warps.value_or(0); }

  // The most registers per thread with which `blocks` blocks fit; 0 when none.
  std::uint32_t registers_for(std::uint32_t blocks) const {
    for (std::uint32_t registers = *shape_.registers_per_thread; registers > 0; --registers) {
      if (warps_by_registers(registers, limits_) / now_.warps_per_block >= blocks) return registers;
    }
    return 0;
  }
  // The most bytes with which `blocks` blocks fit.
  std::optional<std::uint32_t> shared_for(std::uint32_t blocks) const {
    const std::uint32_t available = available_shared(shape_, limits_, now_.shared_per_block);
    const std::uint32_t unit = limits_.shared_allocation_unit;
    const std::uint32_t each = available / blocks / unit * unit;
    if (each < limits_.shared_reserved_per_block) return std::nullopt;
    return std::min(each - limits_.shared_reserved_per_block, shared());
  }

  void fewer_registers() {
    if (!limited_by(OccupancyLimiter::registers)) return;
    LaunchShape shape = shape_;
    shape.registers_per_thread = registers_for(*now_.active_blocks + 1);
    if (*shape.registers_per_thread == 0 || !gains(shape)) return;
    add(shape, fmt::format("reduce registers per thread from {} to {}", *shape_.registers_per_thread, *shape.registers_per_thread))
        .registers_per_thread = shape.registers_per_thread;
  }

  void less_shared_memory() {
    if (!limited_by(OccupancyLimiter::shared_memory)) return;
    const std::optional<std::uint32_t> bytes = shared_for(*now_.active_blocks + 1);
    if (!bytes) return;
    const LaunchShape shape = with_shared(shape_, *bytes);
    if (gains(shape)) add(shape, shared_text(*bytes)).shared_bytes = *bytes;
  }

  void fewer_registers_and_less_shared_memory() {
    if (!limited_by(OccupancyLimiter::registers) || !limited_by(OccupancyLimiter::shared_memory)) return;
    const std::uint32_t registers = registers_for(*now_.active_blocks + 1);
    const std::optional<std::uint32_t> bytes = shared_for(*now_.active_blocks + 1);
    if (registers == 0 || !bytes) return;
    LaunchShape shape = with_shared(shape_, *bytes);
    shape.registers_per_thread = registers;
    if (!gains(shape)) return;
    OccupancyChange& change = add(shape, fmt::format("reduce registers per thread from {} to {} and {}", *shape_.registers_per_thread,
                                                     registers, shared_text(*bytes)));
    change.registers_per_thread = registers;
    change.shared_bytes = *bytes;
  }

  // The driver chose a small configuration (or was told to prefer L1) and that is the limit.
  void larger_carve_out() {
    if (!limited_by(OccupancyLimiter::shared_memory) || !shape_.carve_out_bytes) return;
    for (const std::uint32_t kib : limits_.shared_carve_outs_kib) {
      LaunchShape shape = shape_;
      shape.carve_out_bytes = kib * 1024;
      if (*shape.carve_out_bytes <= *shape_.carve_out_bytes || !gains(shape)) continue;
      add(shape, fmt::format("raise the preferred shared-memory carve-out from {} to {} KiB", *shape_.carve_out_bytes / 1024, kib))
          .carve_out_bytes = shape.carve_out_bytes;
      return;
    }
  }

  // Only when the number of blocks or the size of the block is the limit; the nearest of the best.
  void other_block_size() {
    if (!limited_by(OccupancyLimiter::blocks) && !limited_by(OccupancyLimiter::warps)) return;
    const std::uint32_t now = *shape_.threads_per_block;
    LaunchShape best = shape_;
    for (std::uint32_t threads = limits_.warp_size; threads <= limits_.threads_per_block; threads += limits_.warp_size) {
      LaunchShape shape = shape_;
      shape.threads_per_block = threads;
      const auto distance = [&](std::uint32_t other) { return other > now ? other - now : now - other; };
      const bool better = warps(shape) > warps(best);
      const bool nearer = warps(shape) == warps(best) && distance(threads) < distance(*best.threads_per_block);
      if (gains(shape) && (better || nearer)) best = shape;
    }
    if (!gains(best)) return;
    add(best, fmt::format("use {} threads per block instead of {}", *best.threads_per_block, now)).threads_per_block =
        best.threads_per_block;
  }

  std::string shared_text(std::uint32_t bytes) const {
    return fmt::format("reduce shared memory per block from {} to {} bytes", format_number(shared()), format_number(bytes));
  }

  OccupancyChange& add(const LaunchShape& shape, std::string what) {
    const Occupancy then = occupancy(shape, limits_);
    OccupancyChange change;
    change.blocks = *then.active_blocks;
    change.warps = *then.active_warps;
    change.occupancy_pct = *then.occupancy_pct;
    change.text = fmt::format("{}: {} {} per SM instead of {}, occupancy {} instead of {}", what, change.blocks,
                              change.blocks == 1 ? "block" : "blocks", *now_.active_blocks, percent(change.occupancy_pct),
                              percent(*now_.occupancy_pct));
    return found_.emplace_back(std::move(change));
  }

  const LaunchShape& shape_;
  const SmLimits& limits_;
  const Occupancy now_;
  std::vector<OccupancyChange> found_;
};

}  // namespace

std::vector<OccupancyChange> what_would_change(const LaunchShape& shape, const SmLimits& limits) { return Changes(shape, limits).find(); }

}  // namespace frx::knowledge
