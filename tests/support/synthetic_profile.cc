#include "support/synthetic_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <optional>

#include "support/synthetic_launch.h"

namespace frx::testing {
namespace {

// Draws until the unit of the cause is the one that limits.
Launch launch_of(const Cause& cause, Random& random) {
  while (true) {
    Launch launch;
    launch.machine = machines[random.below(machines.size())];
    launch.waves = random.between(4, 60);
    launch.block = std::array{128.0, 256.0, 512.0}[random.below(3)];
    launch.registers = std::floor(random.between(18, 40));
    cause.make(launch, random);
    const Needs needs(launch.machine, launch.work);
    if (!cause.unit || needs.is_clear(cause.unit)) return launch;
  }
}

struct Residency {
  double registers, shared, warps, blocks, resident, occupancy_pct;
};

Residency residency_of(const Launch& l) {
  Residency r{};
  const double warps = std::ceil(l.block / 32);
  r.registers = std::floor(l.machine.registers / (std::ceil(l.registers / 8) * 8 * 32 * warps));
  // No shared memory limits nothing: the tool shows the blocks that the reserved kilobyte allows.
  r.shared = std::floor(l.machine.shared_bytes / (l.shared_bytes + 1024));
  r.warps = std::floor(l.machine.warp_slots / warps);
  r.blocks = l.machine.block_slots;
  r.resident = std::min({r.registers, r.shared, r.warps, r.blocks});
  r.occupancy_pct = 100 * r.resident * warps / l.machine.warp_slots;
  return r;
}

using Readings = std::map<std::string_view, double>;

void put_speed_of_light(Readings& out, const Launch& l, const Needs& n, double cycles) {
  const auto pct = [&](double needed) { return 100 * needed / cycles; };
  const double active = l.mean_active > 0 ? l.mean_active : std::min(1.0, l.waves < 1 ? std::max(l.waves, 0.05) : 0.97);
  out["sm_throughput_pct"] = pct(n.sm());
  out["memory_throughput_pct"] = pct(n.memory());
  out["dram_throughput_pct"] = pct(n.dram);
  out["l2_throughput_pct"] = pct(std::max(n.l2, n.atomic));
  out["l1tex_throughput_pct"] = std::min(100.0, pct(std::max(n.l1, n.lsu)) / active);
  out["elapsed_cycles"] = cycles;
  out["sm_active_cycles"] = cycles * active;
}

void put_compute(Readings& out, const Needs& n, double cycles) {
  const auto pct = [&](double needed) { return 100 * needed / cycles; };
  out["issue_slot_utilization_pct"] = pct(n.issue);
  out["ipc_active"] = n.instructions / cycles;
  out["sm_busy_pct"] = pct(std::max({n.issue, n.fma, n.alu, n.fp64, n.special, n.tensor}));
  out["tensor_core_utilization_pct"] = pct(n.tensor);
  out["pipe_fp64_pct"] = pct(n.fp64);
  out["pipe_fma_pct"] = pct(n.fma);
  out["pipe_alu_pct"] = pct(n.alu);
  out["pipe_lsu_pct"] = pct(n.lsu);
  out["l1_lsu_wavefronts_pct"] = pct(n.l1);
}

void put_memory(Readings& out, const Launch& l, const Needs& n, double cycles) {
  const Work& w = l.work;
  const double sms = l.machine.sms;
  out["dram_bytes"] = n.dram_bytes * sms;
  out["l1_cache_hit_rate_pct"] = 100 * w.l1_hits * w.loads * w.sectors_of_load / std::max(n.l1_sectors, 1.0);
  out["l2_cache_hit_rate_pct"] = 100 * w.l2_hits;
  out["max_bandwidth_pct"] = 100 * std::max({n.l2, n.dram}) / cycles;
  out["mem_pipes_busy_pct"] = 100 * std::max(n.lsu, n.l1) / cycles;
}

void put_tables(Readings& out, const Launch& l) {
  const Work& w = l.work;
  const double sms = l.machine.sms;
  out["global_load_requests"] = w.loads * sms;
  out["global_store_requests"] = w.stores * sms;
  out["global_load_sectors"] = w.loads * w.sectors_of_load * sms;
  out["global_store_sectors"] = w.stores * w.sectors_of_store * sms;
  out["global_load_bytes_per_sector_pct"] = 100 * w.used;
  out["global_store_bytes_per_sector_pct"] = w.sectors_of_store == w.sectors_of_load ? 100 * w.used : 100;
  out["shared_load_wavefronts"] = 0.6 * w.shared * w.ways * sms;
  out["shared_store_wavefronts"] = 0.4 * w.shared * w.ways * sms;
  out["shared_load_bank_conflicts"] = 0.6 * w.shared * (w.ways - 1) * sms;
  out["shared_store_bank_conflicts"] = 0.4 * w.shared * (w.ways - 1) * sms;
  out["local_load_sectors"] = 0.6 * 4 * w.local * sms;
  out["local_store_sectors"] = 0.4 * 4 * w.local * sms;
  out["global_atomic_requests"] = w.atomics * sms;
}

void put_warps(Readings& out, const Launch& l) {
  static const std::map<std::string_view, std::string_view> names = {{"long_scoreboard", "warp_stall_long_scoreboard"},
                                                                     {"lg_throttle", "warp_stall_lg_throttle"},
                                                                     {"mio_throttle", "warp_stall_mio_throttle"},
                                                                     {"short_scoreboard", "warp_stall_short_scoreboard"},
                                                                     {"barrier", "warp_stall_barrier"},
                                                                     {"wait", "warp_stall_wait"},
                                                                     {"math_pipe_throttle", "warp_stall_math_pipe_throttle"},
                                                                     {"no_instruction", "warp_stall_no_instruction"},
                                                                     {"branch_resolving", "warp_stall_branch_resolving"},
                                                                     {"not_selected", "warp_stall_not_selected"},
                                                                     {"selected", "warp_stall_selected"}};
  for (const auto& [reason, share] : l.stalls) out[names.at(reason)] = share;
  for (const std::string_view absent : {"warp_stall_membar", "warp_stall_tex_throttle", "warp_stall_imc_miss", "warp_stall_drain"})
    out[absent] = 0;
  out["active_threads_per_warp"] = l.work.lanes;
}

void put_scheduler(Readings& out, const Launch& l, const Needs& n, const Residency& at, double cycles) {
  const double active = at.occupancy_pct / 100 * l.achieved * l.machine.warp_slots / 4;
  const double issued = n.instructions / 4 / cycles;
  out["active_warps_per_scheduler"] = active;
  out["issued_warp_per_scheduler"] = issued;
  const double selected = l.stalls.contains("selected") ? l.stalls.at("selected") : 10;
  const double ready = l.stalls.contains("not_selected") ? l.stalls.at("not_selected") : 10;
  out["eligible_warps_per_scheduler"] = std::max(issued, active * (selected + ready) / 100);
}

void put_launch(Readings& out, const Launch& l, const Residency& at) {
  out["grid_size"] = std::max(1.0, std::round(l.waves * at.resident * l.machine.sms));
  out["threads_per_block"] = l.block;
  out["registers_per_thread"] = std::round(l.registers);
  out["shared_memory_static"] = 0;
  out["shared_memory_dynamic"] = std::round(l.shared_bytes);
  out["waves_per_sm"] = out["grid_size"] / (at.resident * l.machine.sms);
  out["sm_count"] = l.machine.sms;
}

void put_occupancy(Readings& out, const Launch& l, const Residency& at) {
  out["theoretical_occupancy_pct"] = at.occupancy_pct;
  out["achieved_occupancy_pct"] = at.occupancy_pct * l.achieved;
  out["occupancy_limit_registers"] = at.registers;
  out["occupancy_limit_shared_memory"] = at.shared;
  out["occupancy_limit_warps"] = at.warps;
  out["occupancy_limit_blocks"] = at.blocks;
}

// The work that is left when what a label names is gone.
Work work_without(std::string_view label, Work work) {
  if (label == "uncoalesced_access") {
    work.sectors_of_store *= work.sectors_of_store == work.sectors_of_load ? work.used : 1;
    work.sectors_of_load *= work.used;
  } else if (label == "shared_memory_bank_conflicts") {
    work.ways = 1;
  } else if (label == "register_spills") {
    work.local = 0;
  } else if (label == "atomics_contention") {
    work.atomics /= 32;  // one of each warp
  } else if (label == "warp_divergence") {
    for (double* part : {&work.fma, &work.alu, &work.fp64, &work.special, &work.other}) *part *= work.lanes / 32;
  }
  return work;
}

std::map<std::string_view, double> savings_of(const Launch& launch, double cycles) {
  std::map<std::string_view, double> savings;
  for (const std::string_view label : {"uncoalesced_access", "shared_memory_bank_conflicts", "register_spills", "atomics_contention",
                                       "warp_divergence", "latency_bound", "low_issue_efficiency", "grid_too_small", "kernel_too_short"}) {
    const double needed = Needs(launch.machine, work_without(label, launch.work)).most() / cycles;
    // More warps, blocks or independent instructions change no work: only launches that wait have something to gain.
    savings[label] = 1 - needed;
  }
  return savings;
}

}  // namespace

std::vector<std::string_view> synthetic_causes() {
  std::vector<std::string_view> ids;
  for (const Cause& cause : causes()) ids.push_back(cause.id);
  return ids;
}

SyntheticProfile synthetic_profile(std::uint64_t number) {
  Random random(number);
  const Cause& cause = causes()[number % causes().size()];
  Launch launch = launch_of(cause, random);
  // Utilisations do not depend on how much of the same work there is.
  const double duration_us = launch.duration_us > 0 ? launch.duration_us : random.between(20, 5000);
  launch.work.repeat(1000 * duration_us * launch.machine.clock_ghz * launch.reached / Needs(launch.machine, launch.work).most());
  const Needs needs(launch.machine, launch.work);
  const double cycles = needs.most() / launch.reached;
  const Residency at = residency_of(launch);

  SyntheticProfile profile;
  profile.cause = cause.id;
  profile.kernel = launch.kernel;
  profile.accepted = cause.accepted;
  profile.forbidden = cause.forbidden;
  profile.could_save = savings_of(launch, cycles);
  const bool has_all = number / causes().size() % 2 == 0;
  const auto collected = [&](std::string_view section) {
    if (has_all || random.chance(0.6)) return true;
    if (std::ranges::find(cause.decided_by, section) != cause.decided_by.end()) profile.is_decided = false;
    return false;
  };
  Readings& out = profile.readings;
  if (collected("SpeedOfLight")) put_speed_of_light(out, launch, needs, cycles);
  if (collected("ComputeWorkload")) put_compute(out, needs, cycles);
  if (collected("MemoryWorkload")) put_memory(out, launch, needs, cycles);
  if (collected("MemoryTables")) put_tables(out, launch);
  if (collected("WarpState")) put_warps(out, launch);
  if (collected("Scheduler")) put_scheduler(out, launch, needs, at, cycles);
  if (collected("Launch")) put_launch(out, launch, at);
  if (collected("Occupancy")) put_occupancy(out, launch, at);
  out["kernel_duration"] = cycles / launch.machine.clock_ghz;
  return profile;
}

std::string csv_of(const std::vector<SyntheticProfile>& profiles, const knowledge::MetricCatalogue& metrics) {
  std::string csv = "\"ID\",\"Kernel Name\",\"Context\",\"Stream\",\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n";
  for (std::size_t i = 0; i < profiles.size(); ++i) {
    for (const auto& [id, value] : profiles[i].readings) {
      const std::optional<model::Metric> metric = metrics.with_id(id);
      if (!metric || metrics[*metric].ncu.empty()) std::abort();  // a name in this file is wrong
      const knowledge::MetricDefinition& definition = metrics[*metric];
      fmt::format_to(std::back_inserter(csv),
                     "\"{}\",\"{}_{}(float *, int)\",\"1\",\"7\",\"Command line profiler metrics\",\"{}\",\"{}\",\"{}\"\n", i,
                     profiles[i].kernel, i, definition.ncu.front(), definition.unit_text, value);
    }
  }
  return csv;
}

}  // namespace frx::testing
