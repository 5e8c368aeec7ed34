#include "report/kernels/muda.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace frx::report {
namespace {

// Data that is moved without need; waiting; more or dearer work than the result needs; resources that are held and not used; steps that
// carry nothing; threads without work.
constexpr std::pair<std::string_view, std::string_view> types[] = {
    {"register_spills", "transport"},
    {"uncoalesced_access", "transport"},
    {"l1_cache_thrashing", "transport"},
    {"l2_cache_thrashing", "transport"},
    {"low_warp_scheduler_utilization", "waiting"},
    {"low_issue_efficiency", "waiting"},
    {"latency_bound", "waiting"},
    {"warp_stall_memory", "waiting"},
    {"warp_stall_sync", "waiting"},
    {"fixed_latency_dependency", "waiting"},
    {"instruction_fetch", "waiting"},
    {"constant_cache_misses", "waiting"},
    {"atomics_contention", "waiting"},
    {"tail_effect", "waiting"},
    {"uneven_sms", "waiting"},
    {"grid_too_small", "waiting"},
    {"fp64_pipe_bound", "overprocessing"},
    {"unfused_multiply_add", "overprocessing"},
    {"occupancy_limited", "inventory"},
    {"occupancy_limited_by_block_size", "inventory"},
    {"occupancy_limited_by_registers", "inventory"},
    {"occupancy_limited_by_shared_memory", "inventory"},
    {"warp_divergence", "motion"},
    {"shared_memory_bank_conflicts", "motion"},
    {"partial_warps", "overproduction"},
};

}  // namespace

std::vector<model::full_profile::Muda> muda_of(std::span<const model::Finding> findings, std::optional<double> duration_ns) {
  std::vector<model::full_profile::Muda> muda;
  for (const model::Finding& finding : findings) {
    const auto at = std::ranges::find(types, finding.id(), &std::pair<std::string_view, std::string_view>::first);
    if (!finding.fires() || at == std::end(types)) continue;
    std::optional<double> impact;
    if (finding.time_at_stake && duration_ns && *duration_ns > 0)
      impact = std::clamp(100 * *finding.time_at_stake / *duration_ns, 0.0, 100.0);
    muda.push_back({std::string(at->second), std::string(finding.id()), impact});
  }
  return muda;
}

}  // namespace frx::report
