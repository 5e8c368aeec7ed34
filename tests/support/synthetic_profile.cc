#include "support/synthetic_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <random>

namespace frx::testing {
namespace {

using Labels = std::vector<std::string_view>;

struct Machine {
  std::string_view name;
  double sms, clock_ghz, dram_gbps;
  double l2_sectors;  // for each cycle, of all slices
  double warp_slots, block_slots, registers, shared_bytes;
  double fp64_rate;  // instructions of a warp for each cycle of an SM
};

constexpr std::array machines = {Machine{"A100", 108, 1.41, 1555, 160, 64, 32, 65536, 166912, 1},
                                 Machine{"T4", 40, 1.59, 320, 40, 32, 16, 65536, 65536, 0.0625},
                                 Machine{"RTX 4090", 128, 2.5, 1008, 150, 48, 24, 65536, 102400, 0.03125},
                                 Machine{"H100", 132, 1.7, 3350, 190, 64, 32, 65536, 232448, 2}};

// What a launch does, for each SM: instructions and requests of warps.
struct Work {
  double fma = 0, alu = 0, fp64 = 0, special = 0, tensor = 0, other = 0;
  double loads = 0, stores = 0;
  double sectors_of_load = 4, sectors_of_store = 4;
  double used = 1;  // share of the bytes of these sectors that threads asked for
  double l1_hits = 0.05, l2_hits = 0.3;
  double shared = 0, ways = 1;  // requests, and wavefronts that each needs
  double local = 0;             // requests of four sectors
  double atomics = 0;           // requests of one address: one sector each, one after the other
  double lanes = 32;

  void repeat(double times) {
    for (double* part : {&fma, &alu, &fp64, &special, &tensor, &other, &loads, &stores, &shared, &local, &atomics}) *part *= times;
  }
};

// Cycles that each unit needs for the work, and what it moves.
struct Needs {
  double issue, fma, alu, fp64, special, tensor, lsu, l1, l2, dram, atomic;
  double instructions, memory_instructions, l1_sectors, l2_sectors, dram_bytes;

  Needs(const Machine& machine, const Work& w) {
    memory_instructions = w.loads + w.stores + w.shared + w.local + w.atomics;
    instructions = w.fma + w.alu + w.fp64 + w.special + w.tensor + w.other + memory_instructions;
    issue = instructions / 4;
    fma = w.fma / 2;
    alu = w.alu / 2;
    fp64 = w.fp64 / machine.fp64_rate;
    special = w.special / 0.5;
    tensor = w.tensor / 0.5;
    lsu = memory_instructions / 1;
    const auto passes = [](double sectors) { return std::max(1.0, sectors / 4); };
    l1 = w.loads * passes(w.sectors_of_load) + w.stores * passes(w.sectors_of_store) + w.shared * w.ways + w.local + w.atomics;
    l1_sectors = w.loads * w.sectors_of_load + w.stores * w.sectors_of_store;
    l2_sectors = w.loads * w.sectors_of_load * (1 - w.l1_hits) + w.stores * w.sectors_of_store + 4 * w.local * 0.3 + w.atomics;
    l2 = l2_sectors * machine.sms / machine.l2_sectors;
    dram_bytes = 32 * (l2_sectors - w.atomics) * (1 - w.l2_hits);
    dram = dram_bytes * machine.sms / (machine.dram_gbps / machine.clock_ghz);
    atomic = w.atomics * machine.sms / (machine.l2_sectors / 4);
  }
  double sm() const { return std::max({issue, fma, alu, fp64, special, tensor, lsu}); }
  double memory() const { return std::max({l1, l2, dram, lsu, atomic}); }
  double most() const { return std::max(sm(), memory()); }
  bool is_clear(double Needs::*unit) const {
    constexpr std::array units = {&Needs::issue, &Needs::fma, &Needs::alu, &Needs::fp64, &Needs::special, &Needs::tensor,
                                  &Needs::lsu,   &Needs::l1,  &Needs::l2,  &Needs::dram, &Needs::atomic};
    return std::ranges::all_of(units, [&](double Needs::*other) { return other == unit || this->*other < 0.7 * (this->*unit); });
  }
};

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed * 0x9E3779B97F4A7C15u + 1) { engine_.discard(3); }
  double between(double low, double high) { return low + (high - low) * static_cast<double>(engine_() >> 11) * 0x1p-53; }
  std::size_t below(std::size_t count) { return engine_() % count; }
  bool chance(double share) { return between(0, 1) < share; }

 private:
  std::mt19937_64 engine_;
};

// A launch before its counters are written.
struct Launch {
  Machine machine = machines[0];
  Work work;
  double reached = 0.9;  // of the peak of the unit that needs most
  double waves = 12, tail = 1;
  double block = 256, registers = 32, shared_bytes = 0;
  double mean_active = 0;                     // share of the time in which the average SM has work; 0: by the waves
  double duration_us = 0;                     // 0: by the work
  double achieved = 0.93;                     // of the theoretical occupancy
  std::map<std::string_view, double> stalls;  // % of the time of warps
  std::string_view kernel = "stencil";
};

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

struct Cause {
  std::string_view id;
  Labels accepted, forbidden;
  std::vector<std::string_view> decided_by;  // sections
  void (*make)(Launch&, Random&);
  double Needs::*unit = nullptr;  // needs clearly more cycles than the others; null: none is near its peak
};

const Labels of_occupancy = {"occupancy_limited", "occupancy_limited_by_registers", "occupancy_limited_by_shared_memory",
                             "occupancy_limited_by_block_size"};

Labels with(Labels first, const Labels& more) {
  first.insert(first.end(), more.begin(), more.end());
  return first;
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

const std::vector<Cause>& causes() {
  static const Labels not_latency = with({"warp_stall_memory", "warp_stall_sync", "grid_too_small", "low_issue_efficiency",
                                          "low_warp_scheduler_utilization", "latency_bound", "inconclusive"},
                                         of_occupancy);
  static const std::vector<std::string_view> sol = {"SpeedOfLight"};
  static const std::vector<Cause> all = {
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
         add_stalls(l, r, {{"lg_throttle", r.between(30, 60)}, {"long_scoreboard", r.between(15, 25)}});
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
         add_stalls(l, r, {{"lg_throttle", r.between(30, 60)}, {"long_scoreboard", r.between(15, 25)}});
       },
       &Needs::l1},
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
      {"load_latency",
       {"warp_stall_memory"},
       {"memory_bandwidth_bound", "at_hardware_limit", "compute_bound", "uncoalesced_access", "warp_stall_sync", "grid_too_small",
        "inconclusive"},
       {"SpeedOfLight", "WarpState"},
       [](Launch& l, Random& r) {
         stream(l, r);
         l.reached = r.between(0.12, 0.5);
         l.achieved = r.between(0.8, 0.95);
         add_stalls(l, r, {{"long_scoreboard", r.between(52, 85)}});
       }},
      {"barriers",
       {"warp_stall_sync"},
       {"memory_bandwidth_bound", "at_hardware_limit", "compute_bound", "uncoalesced_access", "warp_stall_memory", "grid_too_small",
        "inconclusive"},
       {"SpeedOfLight", "WarpState"},
       [](Launch& l, Random& r) {
         stream(l, r);
         l.work.shared = 1000;
         l.reached = r.between(0.15, 0.5);
         l.shared_bytes = 4096;
         add_stalls(l, r, {{"barrier", r.between(38, 70)}});
       }},
      {"dependencies",
       {"latency_bound"},
       {"memory_bandwidth_bound", "at_hardware_limit", "compute_bound", "uncoalesced_access", "warp_stall_memory", "warp_stall_sync",
        "grid_too_small", "inconclusive"},
       {"SpeedOfLight", "WarpState"},
       [](Launch& l, Random& r) {
         stream(l, r);
         l.work.fma = 40000;
         l.reached = r.between(0.2, 0.55);
         add_stalls(l, r, {{"wait", r.between(40, 65)}});
       }},
      {"instruction_fetch",
       {"latency_bound"},
       {"memory_bandwidth_bound", "at_hardware_limit", "compute_bound", "uncoalesced_access", "warp_stall_memory", "warp_stall_sync",
        "grid_too_small", "inconclusive"},
       {"SpeedOfLight", "WarpState"},
       [](Launch& l, Random& r) {
         stream(l, r);
         l.work.fma = 40000;
         l.reached = r.between(0.2, 0.5);
         add_stalls(l, r, {{"no_instruction", r.between(40, 65)}});
       }},
      {"small_grid",
       {"grid_too_small"},
       {"memory_bandwidth_bound", "at_hardware_limit", "compute_bound", "uncoalesced_access", "warp_stall_sync",
        "occupancy_limited_by_registers", "occupancy_limited_by_shared_memory", "warp_stall_memory", "latency_bound", "inconclusive"},
       {"SpeedOfLight", "Launch"},
       [](Launch& l, Random& r) {
         stream(l, r);
         l.waves = r.between(0.02, 0.35);
         l.reached = r.between(0.03, 0.3);
         l.achieved = 0.5;
       }},
      {"few_registers_left",
       with({}, {"occupancy_limited_by_registers"}),
       {"memory_bandwidth_bound", "at_hardware_limit", "compute_bound", "uncoalesced_access", "warp_stall_sync", "grid_too_small",
        "occupancy_limited_by_shared_memory", "occupancy_limited_by_block_size", "inconclusive"},
       {"SpeedOfLight", "Occupancy"},
       [](Launch& l, Random& r) {
         stream(l, r);
         l.registers = r.between(200, 255);
         l.block = 256;
         l.reached = r.between(0.12, 0.45);
         add_stalls(l, r, {{"long_scoreboard", r.between(25, 40)}, {"wait", r.between(15, 24)}});
       }},
      {"little_shared_left",
       {"occupancy_limited_by_shared_memory"},
       {"memory_bandwidth_bound", "at_hardware_limit", "compute_bound", "uncoalesced_access", "warp_stall_sync", "grid_too_small",
        "occupancy_limited_by_registers", "occupancy_limited_by_block_size", "inconclusive"},
       {"SpeedOfLight", "Occupancy"},
       [](Launch& l, Random& r) {
         stream(l, r);
         l.block = 128;
         l.shared_bytes = l.machine.shared_bytes / std::floor(r.between(1, 3.9)) - 1100;
         l.reached = r.between(0.12, 0.45);
         add_stalls(l, r, {{"long_scoreboard", r.between(25, 40)}, {"wait", r.between(15, 24)}});
       }},
      {"last_wave",
       {"tail_effect"},
       {"memory_bandwidth_bound", "at_hardware_limit", "compute_bound", "uncoalesced_access", "warp_stall_sync", "grid_too_small",
        "occupancy_limited_by_registers", "inconclusive"},
       {"SpeedOfLight", "Launch"},
       [](Launch& l, Random& r) {
         stream(l, r);
         l.waves = std::floor(r.between(1, 2.9)) + r.between(0.02, 0.12);
         l.reached = r.between(0.25, 0.5);
         l.mean_active = l.waves / std::ceil(l.waves);
         add_stalls(l, r, {{"long_scoreboard", r.between(18, 25)}, {"wait", r.between(12, 17)}});
       }},
      {"uneven_blocks",
       {"uneven_sms"},
       {"memory_bandwidth_bound", "at_hardware_limit", "compute_bound", "uncoalesced_access", "warp_stall_sync", "grid_too_small",
        "tail_effect", "occupancy_limited_by_registers", "inconclusive"},
       {"SpeedOfLight", "Launch"},
       [](Launch& l, Random& r) {
         stream(l, r);
         l.waves = r.between(9, 40);
         l.mean_active = r.between(0.3, 0.68);
         l.reached = l.mean_active * r.between(0.4, 0.7);
         add_stalls(l, r, {{"long_scoreboard", r.between(18, 25)}, {"wait", r.between(12, 17)}});
       }},
      {"odd_blocks",
       {"partial_warps"},
       {"memory_bandwidth_bound", "at_hardware_limit", "compute_bound", "uncoalesced_access", "warp_stall_sync", "grid_too_small",
        "warp_divergence", "inconclusive"},
       {"SpeedOfLight", "Launch"},
       [](Launch& l, Random& r) {
         stream(l, r);
         l.block = std::array{8.0, 12.0, 16.0}[r.below(3)];
         l.work.lanes = l.block;
         l.reached = r.between(0.4, 0.58);
         add_stalls(l, r, {{"long_scoreboard", r.between(18, 25)}, {"wait", r.between(12, 17)}});
       }},
      {"short_launch",
       {"kernel_too_short", "grid_too_small"},
       {"memory_bandwidth_bound", "at_hardware_limit", "compute_bound", "uncoalesced_access", "warp_stall_sync", "tail_effect",
        "occupancy_limited_by_registers", "inconclusive"},
       {"SpeedOfLight"},
       [](Launch& l, Random& r) {
         stream(l, r);
         l.waves = 8;
         l.reached = r.between(0.03, 0.2);
         l.duration_us = r.between(1.2, 2.6);
         add_stalls(l, r, {{"long_scoreboard", r.between(18, 25)}, {"no_instruction", r.between(12, 17)}});
       }},
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
  return all;
}

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

void put_compute(Readings& out, const Launch& l, const Needs& n, double cycles) {
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
  static_cast<void>(l);
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

void put_warps(Readings& out, const Launch& l, const Residency& at) {
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
  static_cast<void>(at);
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
  const bool has_all = number / causes().size() % 2 == 0;
  const auto collected = [&](std::string_view section) {
    if (has_all || random.chance(0.6)) return true;
    if (std::ranges::find(cause.decided_by, section) != cause.decided_by.end()) profile.is_decided = false;
    return false;
  };
  Readings& out = profile.readings;
  if (collected("SpeedOfLight")) put_speed_of_light(out, launch, needs, cycles);
  if (collected("ComputeWorkload")) put_compute(out, launch, needs, cycles);
  if (collected("MemoryWorkload")) put_memory(out, launch, needs, cycles);
  if (collected("MemoryTables")) put_tables(out, launch);
  if (collected("WarpState")) put_warps(out, launch, at);
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
