// The causes of made-up launches. To add one: its name, the labels that may lead, those whose fix could not help, the sections that tell
// it, what is particular to the launch, and the unit that limits it if there is one.
#include "support/synthetic_launch.h"

#include <array>
#include <cmath>

namespace frx::testing {
namespace {

// Where a warp spends its time besides the reasons that the cause gives: the rest, spread.
void add_stalls(Launch& launch, Random& random, std::map<std::string_view, double> main) {
  double left = 100;
  for (const auto& [reason, share] : main) left -= share;
  constexpr std::array<std::string_view, 8> rest = {"wait",    "selected",         "not_selected",   "short_scoreboard",
                                                    "barrier", "branch_resolving", "no_instruction", "long_scoreboard"};
  std::array<double, 8> parts{};
  double sum = 0;
  for (double& part : parts) sum += part = random.between(0.1, 1);
  for (std::size_t i = 0; i < rest.size(); ++i) {
    // None of the rest is near the main reasons.
    const double share = std::min(parts[i] / sum * left, 14.0);
    main.try_emplace(rest[i], share);
  }
  launch.stalls = std::move(main);
}

const Labels of_occupancy = {"occupancy_limited", "occupancy_limited_by_registers", "occupancy_limited_by_shared_memory",
                             "occupancy_limited_by_block_size"};

Labels with(Labels first, const Labels& more) {
  first.insert(first.end(), more.begin(), more.end());
  return first;
}

// Labels of waiting, which a busy unit rules out.
const Labels not_latency =
    with({"warp_stall_memory", "warp_stall_sync", "grid_too_small", "low_issue_efficiency", "low_warp_scheduler_utilization",
          "latency_bound", "fixed_latency_dependency", "instruction_fetch", "constant_cache_misses", "inconclusive"},
         of_occupancy);
// Labels of a busy unit, and that there is no answer, where all units have little to do.
const Labels no_unit_is_busy = {"memory_bandwidth_bound", "at_hardware_limit", "compute_bound", "uncoalesced_access", "inconclusive"};

const std::vector<std::string_view> sol = {"SpeedOfLight"};

void add_weak_stalls(Launch& launch, Random& random, std::string_view second) {
  const double loads = random.between(18, 25);
  add_stalls(launch, random, {{"long_scoreboard", loads}, {second, random.between(12, 17)}});
}

void add_stalls_of_few_warps(Launch& launch, Random& random) {
  const double loads = random.between(25, 40);
  add_stalls(launch, random, {{"long_scoreboard", loads}, {"wait", random.between(15, 24)}});
}

void add_stalls_of_full_l1(Launch& launch, Random& random) {
  const double queue = random.between(30, 60);
  add_stalls(launch, random, {{"lg_throttle", queue}, {"long_scoreboard", random.between(15, 25)}});
}

// Instructions around each load: addresses, a loop, some arithmetic.
void stream(Launch& launch, Random& random) {
  Work& w = launch.work;
  w.loads = 1000;
  w.stores = random.between(200, 1000);
  const double width = std::array{4.0, 8.0, 16.0}[random.below(3)];
  w.sectors_of_load = w.sectors_of_store = width;
  w.used = random.between(0.92, 1);
  w.fma = random.between(300, 2000) * width / 4;
  w.alu = random.between(500, 2000);
  w.other = random.between(300, 800);
  w.l2_hits = random.between(0.05, 0.4);
  add_stalls(launch, random, {{"long_scoreboard", random.between(50, 85)}});
}

void scattered(Launch& launch, Random& random) {
  stream(launch, random);
  launch.work.used = random.between(0.125, 0.45);
  launch.work.sectors_of_load = launch.work.sectors_of_store = std::min(32.0, 4 / launch.work.used);
}

// DRAM, L2 and L1: full of useful bytes, or of bytes that no thread asked for.
std::vector<Cause> memory_causes() {
  return {
      {"dram_stream",
       {"memory_bandwidth_bound", "at_hardware_limit"},
       with({"uncoalesced_access", "compute_bound", "register_spills"}, not_latency),
       sol,
       [](Launch& l, Random& r) {
         stream(l, r);
         l.reached = r.between(0.72, 0.94);
       },
       &Needs::dram},
      {"dram_waste",
       {"uncoalesced_access"},
       with({"at_hardware_limit", "compute_bound"}, not_latency),
       {"SpeedOfLight", "MemoryTables"},
       [](Launch& l, Random& r) {
         scattered(l, r);
         l.work.l2_hits = r.between(0.02, 0.2);
         l.reached = r.between(0.75, 0.93);
       },
       &Needs::dram},
      {"l2_reuse",
       {"memory_bandwidth_bound", "at_hardware_limit"},
       with({"uncoalesced_access", "compute_bound"}, not_latency),
       sol,
       [](Launch& l, Random& r) {
         stream(l, r);
         l.work.l2_hits = r.between(0.9, 0.99);
         l.reached = r.between(0.82, 0.95);
       },
       &Needs::l2},
      {"l2_waste",
       {"uncoalesced_access"},
       with({"at_hardware_limit", "compute_bound"}, not_latency),
       {"SpeedOfLight", "MemoryTables"},
       [](Launch& l, Random& r) {
         scattered(l, r);
         l.work.l2_hits = r.between(0.92, 0.99);
         l.reached = r.between(0.82, 0.95);
       },
       &Needs::l2},
      {"l1_reuse",
       {"l1_throughput_bound", "compute_bound"},
       with({"memory_bandwidth_bound", "uncoalesced_access", "shared_memory_bank_conflicts", "at_hardware_limit"}, not_latency),
       sol,
       [](Launch& l, Random& r) {
         stream(l, r);
         l.work.sectors_of_load = 16;
         l.work.sectors_of_store = 4;
         l.work.stores = r.between(5, 20);
         l.work.l1_hits = r.between(0.96, 0.995);
         l.work.fma = r.between(200, 1200);
         l.reached = r.between(0.8, 0.97);
         add_stalls_of_full_l1(l, r);
       },
       &Needs::l1},
      {"l1_waste",
       {"uncoalesced_access"},
       with({"memory_bandwidth_bound", "at_hardware_limit", "shared_memory_bank_conflicts"}, not_latency),
       {"SpeedOfLight", "MemoryTables"},
       [](Launch& l, Random& r) {
         scattered(l, r);
         l.work.l1_hits = r.between(0.93, 0.99);
         l.work.stores = r.between(5, 20);
         l.work.fma = l.work.alu = 300;
         l.work.sectors_of_store = 4;
         l.reached = r.between(0.8, 0.97);
         add_stalls_of_full_l1(l, r);
       },
       &Needs::l1},
  };
}

// Units of the SM.
std::vector<Cause> pipe_causes() {
  return {
      {"bank_conflicts",
       {"shared_memory_bank_conflicts"},
       with({"memory_bandwidth_bound", "at_hardware_limit", "uncoalesced_access"}, not_latency),
       {"SpeedOfLight", "MemoryTables"},
       [](Launch& l, Random& r) {
         stream(l, r);
         l.work.loads = l.work.stores = 30;
         l.work.sectors_of_load = l.work.sectors_of_store = 4;
         l.work.shared = 1000;
         l.work.ways = std::array{4.0, 8.0, 16.0, 32.0}[r.below(4)];
         l.reached = r.between(0.7, 0.97);
         l.shared_bytes = 8192;
         add_stalls(l, r, {{"mio_throttle", r.between(30, 55)}, {"short_scoreboard", r.between(15, 30)}});
       },
       &Needs::l1},
      {"fma_pipe",
       {"compute_bound"},
       with({"memory_bandwidth_bound", "uncoalesced_access", "at_hardware_limit", "shared_memory_bank_conflicts"}, not_latency),
       sol,
       [](Launch& l, Random& r) {
         stream(l, r);
         l.work.fma = 40000 * r.between(1, 3);
         l.work.alu = l.work.fma * r.between(0.1, 0.5);
         l.reached = r.between(0.7, 0.95);
         add_stalls(l, r, {{"math_pipe_throttle", r.between(15, 30)}, {"not_selected", r.between(20, 35)}});
       },
       &Needs::fma},
      {"alu_pipe",
       {"compute_bound"},
       with({"memory_bandwidth_bound", "uncoalesced_access", "at_hardware_limit"}, not_latency),
       sol,
       [](Launch& l, Random& r) {
         stream(l, r);
         l.work.alu = 40000 * r.between(1, 3);
         l.reached = r.between(0.7, 0.95);
         add_stalls(l, r, {{"math_pipe_throttle", r.between(20, 40)}, {"wait", r.between(15, 25)}});
       },
       &Needs::alu},
      {"fp64_pipe",
       {"compute_bound", "at_hardware_limit"},
       with({"memory_bandwidth_bound", "uncoalesced_access"}, not_latency),
       sol,
       [](Launch& l, Random& r) {
         stream(l, r);
         l.work.fp64 = 20000 * r.between(1, 3);
         l.reached = r.between(0.7, 0.97);
         add_stalls(l, r, {{"math_pipe_throttle", r.between(40, 70)}});
       },
       &Needs::fp64},
      {"special_pipe",
       {"compute_bound"},
       with({"memory_bandwidth_bound", "uncoalesced_access", "at_hardware_limit"}, not_latency),
       sol,
       [](Launch& l, Random& r) {
         stream(l, r);
         l.work.special = 20000;
         l.work.fma = 20000;
         l.reached = r.between(0.7, 0.95);
         add_stalls(l, r, {{"mio_throttle", r.between(15, 25)}, {"short_scoreboard", r.between(15, 28)}});
       },
       &Needs::special},
      {"tensor_pipe",
       {"compute_bound", "at_hardware_limit"},
       with({"memory_bandwidth_bound", "uncoalesced_access", "tensor_core_underutilized"}, not_latency),
       {"SpeedOfLight", "ComputeWorkload"},
       [](Launch& l, Random& r) {
         stream(l, r);
         l.kernel = "cutlass_tensorop_f16_gemm";
         l.work.tensor = 20000;
         l.work.shared = 3000;
         l.reached = r.between(0.75, 0.96);
         l.registers = 220;
         l.block = 128;
         add_stalls(l, r, {{"math_pipe_throttle", r.between(25, 40)}, {"wait", r.between(10, 20)}});
       },
       &Needs::tensor},
  };
}

// No unit is near its peak: warps wait.
std::vector<Cause> waiting_causes() {
  return {
      {"load_latency",
       {"warp_stall_memory"},
       with({"warp_stall_sync", "grid_too_small"}, no_unit_is_busy),
       {"SpeedOfLight", "WarpState"},
       [](Launch& l, Random& r) {
         stream(l, r);
         l.reached = r.between(0.12, 0.5);
         l.achieved = r.between(0.8, 0.95);
         add_stalls(l, r, {{"long_scoreboard", r.between(52, 85)}});
       }},
      {"barriers",
       {"warp_stall_sync"},
       with({"warp_stall_memory", "grid_too_small"}, no_unit_is_busy),
       {"SpeedOfLight", "WarpState"},
       [](Launch& l, Random& r) {
         stream(l, r);
         l.work.shared = 1000;
         l.reached = r.between(0.15, 0.5);
         l.shared_bytes = 4096;
         add_stalls(l, r, {{"barrier", r.between(38, 70)}});
       }},
      {"dependencies",
       {"fixed_latency_dependency"},
       with({"warp_stall_memory", "warp_stall_sync", "grid_too_small"}, no_unit_is_busy),
       {"SpeedOfLight", "WarpState"},
       [](Launch& l, Random& r) {
         stream(l, r);
         l.work.fma = 40000;
         l.reached = r.between(0.2, 0.55);
         add_stalls(l, r, {{"wait", r.between(40, 65)}});
       }},
      {"instruction_fetch",
       {"instruction_fetch"},
       with({"warp_stall_memory", "warp_stall_sync", "grid_too_small"}, no_unit_is_busy),
       {"SpeedOfLight", "WarpState"},
       [](Launch& l, Random& r) {
         stream(l, r);
         l.work.fma = 40000;
         l.reached = r.between(0.2, 0.5);
         add_stalls(l, r, {{"no_instruction", r.between(40, 65)}});
       }},
  };
}

// The launch itself: its size, its blocks and what they take.
std::vector<Cause> launch_causes() {
  return {
      {"small_grid",
       {"grid_too_small"},
       with({"warp_stall_sync", "occupancy_limited_by_registers", "occupancy_limited_by_shared_memory", "warp_stall_memory",
             "latency_bound"},
            no_unit_is_busy),
       {"SpeedOfLight", "Launch"},
       [](Launch& l, Random& r) {
         stream(l, r);
         l.waves = r.between(0.02, 0.35);
         l.reached = r.between(0.03, 0.3);
         l.achieved = 0.5;
       }},
      {"few_registers_left",
       {"occupancy_limited_by_registers"},
       with({"warp_stall_sync", "grid_too_small", "occupancy_limited_by_shared_memory", "occupancy_limited_by_block_size"},
            no_unit_is_busy),
       {"SpeedOfLight", "Occupancy"},
       [](Launch& l, Random& r) {
         stream(l, r);
         l.registers = r.between(200, 255);
         l.block = 256;
         l.reached = r.between(0.12, 0.45);
         add_stalls_of_few_warps(l, r);
       }},
      {"little_shared_left",
       {"occupancy_limited_by_shared_memory"},
       with({"warp_stall_sync", "grid_too_small", "occupancy_limited_by_registers", "occupancy_limited_by_block_size"}, no_unit_is_busy),
       {"SpeedOfLight", "Occupancy"},
       [](Launch& l, Random& r) {
         stream(l, r);
         l.block = 128;
         l.shared_bytes = l.machine.shared_bytes / std::floor(r.between(1, 3.9)) - 1100;
         l.reached = r.between(0.12, 0.45);
         add_stalls_of_few_warps(l, r);
       }},
      {"last_wave",
       {"tail_effect"},
       with({"warp_stall_sync", "grid_too_small", "occupancy_limited_by_registers"}, no_unit_is_busy),
       {"SpeedOfLight", "Launch"},
       [](Launch& l, Random& r) {
         stream(l, r);
         l.waves = std::floor(r.between(1, 2.9)) + r.between(0.02, 0.12);
         l.reached = r.between(0.25, 0.5);
         l.mean_active = l.waves / std::ceil(l.waves);
         add_weak_stalls(l, r, "wait");
       }},
      {"uneven_blocks",
       {"uneven_sms"},
       with({"warp_stall_sync", "grid_too_small", "tail_effect", "occupancy_limited_by_registers"}, no_unit_is_busy),
       {"SpeedOfLight", "Launch"},
       [](Launch& l, Random& r) {
         stream(l, r);
         l.waves = r.between(9, 40);
         l.mean_active = r.between(0.3, 0.68);
         l.reached = l.mean_active * r.between(0.4, 0.7);
         add_weak_stalls(l, r, "wait");
       }},
      {"odd_blocks",
       {"partial_warps"},
       with({"warp_stall_sync", "grid_too_small", "warp_divergence"}, no_unit_is_busy),
       {"SpeedOfLight", "Launch"},
       [](Launch& l, Random& r) {
         stream(l, r);
         l.block = std::array{8.0, 12.0, 16.0}[r.below(3)];
         l.work.lanes = l.block;
         l.reached = r.between(0.4, 0.58);
         add_weak_stalls(l, r, "wait");
       }},
      {"short_launch",
       {"kernel_too_short", "grid_too_small"},
       with({"warp_stall_sync", "tail_effect", "occupancy_limited_by_registers"}, no_unit_is_busy),
       {"SpeedOfLight"},
       [](Launch& l, Random& r) {
         stream(l, r);
         l.waves = 8;
         l.reached = r.between(0.03, 0.2);
         l.duration_us = r.between(1.2, 2.6);
         add_weak_stalls(l, r, "no_instruction");
       }},
  };
}

// Work that the algorithm does not need.
std::vector<Cause> work_causes() {
  return {
      {"spills",
       {"register_spills"},
       with({"at_hardware_limit", "memory_bandwidth_bound", "uncoalesced_access"}, not_latency),
       {"SpeedOfLight", "MemoryTables"},
       [](Launch& l, Random& r) {
         stream(l, r);
         l.work.loads = 300;
         l.work.stores = 100;
         l.work.sectors_of_load = l.work.sectors_of_store = 4;
         l.work.local = r.between(1500, 4000);
         l.registers = 32;
         l.work.l2_hits = 0.9;
         l.reached = r.between(0.65, 0.9);
       }},
      {"divergence",
       {"warp_divergence"},
       with({"memory_bandwidth_bound", "uncoalesced_access", "at_hardware_limit"}, not_latency),
       {"SpeedOfLight", "WarpState"},
       [](Launch& l, Random& r) {
         stream(l, r);
         l.work.fma = 40000;
         l.work.alu = 8000;
         l.work.lanes = r.between(4, 12);
         l.reached = r.between(0.65, 0.85);
         add_stalls(l, r, {{"wait", r.between(15, 25)}, {"not_selected", r.between(10, 20)}});
       },
       &Needs::fma},
      {"atomics",
       {"atomics_contention"},
       with({"memory_bandwidth_bound", "at_hardware_limit", "uncoalesced_access", "compute_bound"}, of_occupancy),
       {"SpeedOfLight", "MemoryTables"},
       [](Launch& l, Random& r) {
         stream(l, r);
         l.work.loads = 100;
         l.work.stores = 10;
         l.work.sectors_of_load = l.work.sectors_of_store = 4;
         l.work.atomics = 3000;
         l.reached = r.between(0.7, 0.97);
         add_stalls(l, r, {{"long_scoreboard", r.between(20, 30)}, {"lg_throttle", r.between(35, 55)}});
       },
       &Needs::atomic},
  };
}

}  // namespace

const std::vector<Cause>& causes() {
  static const std::vector<Cause> all = [] {
    std::vector<Cause> list;
    for (const auto make : {memory_causes, pipe_causes, waiting_causes, launch_causes, work_causes}) {
      for (Cause& cause : make()) list.push_back(cause);
    }
    return list;
  }();
  return all;
}

}  // namespace frx::testing
