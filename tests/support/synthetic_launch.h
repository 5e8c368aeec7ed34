// The machine model behind synthetic_profile.h: what a launch does, how many cycles each unit of a GPU needs for it, and the causes that a
// launch can be made with.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <random>
#include <string_view>
#include <vector>

namespace frx::testing {

using Labels = std::vector<std::string_view>;

struct Machine {
  std::string_view name;
  double sms, clock_ghz, dram_gbps;
  double l2_sectors;  // for each cycle, of all slices
  double warp_slots, block_slots, registers, shared_bytes;
  double fp64_rate;  // instructions of a warp for each cycle of an SM
};

inline constexpr std::array machines = {Machine{"A100", 108, 1.41, 1555, 160, 64, 32, 65536, 166912, 1},
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
  double waves = 12;
  double block = 256, registers = 32, shared_bytes = 0;
  double mean_active = 0;                     // share of the time in which the average SM has work; 0: by the waves
  double duration_us = 0;                     // 0: by the work
  double achieved = 0.93;                     // of the theoretical occupancy
  std::map<std::string_view, double> stalls;  // % of the time of warps
  std::string_view kernel = "stencil";
};

struct Cause {
  std::string_view id;
  Labels accepted, forbidden;
  std::vector<std::string_view> decided_by;  // sections
  void (*make)(Launch&, Random&);
  double Needs::*unit = nullptr;  // needs clearly more cycles than the others; null: none is near its peak
};

// All of them, in a fixed order.
const std::vector<Cause>& causes();

}  // namespace frx::testing
