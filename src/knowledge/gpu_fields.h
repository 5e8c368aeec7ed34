// The numbers of data/gpus by name: one list for the reader of the catalogue and for the overrides.
#pragma once

#include <cmath>

#include "knowledge/gpus.h"

namespace frx::knowledge {

struct LimitField {
  std::string_view name;
  std::uint32_t SmLimits::*field;
};
constexpr LimitField limit_fields[] = {
    {"warp_size", &SmLimits::warp_size},
    {"threads_per_block", &SmLimits::threads_per_block},
    {"threads_per_sm", &SmLimits::threads_per_sm},
    {"warps_per_sm", &SmLimits::warps_per_sm},
    {"blocks_per_sm", &SmLimits::blocks_per_sm},
    {"registers_per_sm", &SmLimits::registers_per_sm},
    {"registers_per_block", &SmLimits::registers_per_block},
    {"registers_per_thread", &SmLimits::registers_per_thread},
    {"register_allocation_unit", &SmLimits::register_allocation_unit},
    {"warp_allocation_granularity", &SmLimits::warp_allocation_granularity},
    {"sub_partitions", &SmLimits::sub_partitions},
    {"l1_shared_bytes", &SmLimits::l1_shared_bytes},
    {"shared_per_sm", &SmLimits::shared_per_sm},
    {"shared_per_block", &SmLimits::shared_per_block},
    {"shared_per_block_static", &SmLimits::shared_per_block_static},
    {"shared_reserved_per_block", &SmLimits::shared_reserved_per_block},
    {"shared_allocation_unit", &SmLimits::shared_allocation_unit},
    {"max_cluster_size", &SmLimits::max_cluster_size},
};
// A whole number. Zero is valid for two of them only; the others are divisors or capacities.
inline bool is_limit(const LimitField& field, double value) {
  const bool may_be_zero = field.name == "shared_reserved_per_block" || field.name == "max_cluster_size";
  return value >= (may_be_zero ? 0 : 1) && value <= 1e9 && value == std::floor(value);
}

struct ProductField {
  std::string_view name;
  std::optional<double> GpuProduct::*field;
};
constexpr ProductField product_fields[] = {
    {"sm_count", &GpuProduct::sm_count},
    {"boost_clock_mhz", &GpuProduct::boost_clock_mhz},
    {"tensor_clock_mhz", &GpuProduct::tensor_clock_mhz},
    {"memory_clock_mhz", &GpuProduct::memory_clock_mhz},
    {"memory_gb", &GpuProduct::memory_gb},
    {"memory_bus_bits", &GpuProduct::memory_bus_bits},
    {"memory_bandwidth_gbps", &GpuProduct::memory_bandwidth_gbps},
    {"l2_mb", &GpuProduct::l2_mb},
    {"tdp_w", &GpuProduct::tdp_w},
};

}  // namespace frx::knowledge
