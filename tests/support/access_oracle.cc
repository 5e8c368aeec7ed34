#include "support/access_oracle.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "derive/ptx/memory_access.h"
#include "ingest/ptx/categories.h"
#include "ingest/ptx/read_module.h"
#include "knowledge/library.h"
#include "support/warp_interpreter.h"

namespace frx::testing {
namespace {

namespace code = ::frx::model::ptx;
namespace ptx = ::frx::derive::ptx;

struct Execution {
  std::uint32_t warp = 0, needed = 0, ideal = 0;
  bool all_lanes = false;
  Touch touch;
};
using Executions = std::vector<Execution>;

std::size_t distinct(std::vector<std::uint64_t>& numbers) {
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers.size();
}

// Byte by byte.
void count_sectors(Execution& one, std::uint32_t bytes) {
  std::vector<std::uint64_t> sectors, touched;
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    for (std::uint32_t i = 0; i < bytes && (one.touch.active >> lane & 1) != 0; ++i) {
      sectors.push_back((one.touch.addresses[lane] + i) / 32);
      touched.push_back(one.touch.addresses[lane] + i);
    }
  }
  one.needed = static_cast<std::uint32_t>(distinct(sectors));
  one.ideal = static_cast<std::uint32_t>((distinct(touched) + 31) / 32);
}

void count_wavefronts(Execution& one, std::uint32_t bytes) {
  const std::uint32_t together = bytes == 16 ? 8 : bytes == 8 ? 16 : 32;
  for (std::uint32_t first = 0; first < 32; first += together) {
    std::array<std::vector<std::uint64_t>, 32> words_of_bank;
    for (std::uint32_t lane = first; lane < first + together; ++lane) {
      for (std::uint32_t i = 0; i < bytes && (one.touch.active >> lane & 1) != 0; ++i) {
        const std::uint64_t word = (one.touch.addresses[lane] + i) / 4;
        words_of_bank[word % 32].push_back(word);
      }
    }
    std::size_t most = 0;
    for (std::vector<std::uint64_t>& words : words_of_bank) most = std::max(most, distinct(words));
    one.needed += static_cast<std::uint32_t>(most);
    one.ideal += most > 0;
  }
}

// Of each warp: in the first round of a loop all lanes are there.
Executions first_of(const Executions& executions) {
  Executions first;
  for (const Execution& one : executions) {
    if (first.empty() || first.back().warp != one.warp) first.push_back(one);
  }
  return first;
}

class Comparison {
 public:
  Comparison(const RandomKernel& kernel, code::Module module)
      : kernel_(kernel), module_(std::move(module)), function_(module_.functions.back()) {}

  Agreement run();

 private:
  void execute();
  void compare(const ptx::MemoryAccess& access, const Executions& executions, bool all_known);
  bool leaves_out(const ptx::MemoryAccess& access) const;
  void compare_kind(const ptx::MemoryAccess& access, const Executions& executions);
  void compare_range(const ptx::MemoryAccess& access, const Executions& executions, bool all_known);
  void compare_exactly(const ptx::MemoryAccess& access, const Executions& executions);
  void differ(const ptx::MemoryAccess& access, const std::string& what);

  const RandomKernel& kernel_;
  code::Module module_;
  const code::Function& function_;
  std::map<std::uint32_t, Executions> executions_;
  bool wrapped_ = false;
  Agreement result_;
};

void Comparison::differ(const ptx::MemoryAccess& access, const std::string& what) {
  if (!result_.difference.empty()) return;
  const code::Instruction& instruction = module_.instructions[access.instruction];
  result_.difference = fmt::format("line {}: {}: {}\n{} ({})", instruction.line, module_.form_of(instruction).text, what, access.formula,
                                   ptx::name_of(access.kind));
}

void Comparison::execute() {
  const std::uint32_t threads = kernel_.block[0] * kernel_.block[1] * kernel_.block[2];
  for (std::uint32_t warp = 0; warp < (threads + 31) / 32; ++warp) {
    WarpTrace trace = run_warp(module_, function_, {kernel_.block, kernel_.grid, kernel_.block_index, warp, kernel_.parameters, 1});
    if (!trace.problem.empty()) result_.difference = "the oracle cannot run it: " + trace.problem;
    wrapped_ = wrapped_ || trace.wrapped;
    for (Touch& touch : trace.touches) {
      executions_[touch.instruction].push_back({warp, 0, 0, touch.active == trace.existing, touch});
    }
  }
}

Agreement Comparison::run() {
  execute();
  ptx::LaunchFacts block, all;
  block.block = all.block = {kernel_.block[0], kernel_.block[1], kernel_.block[2]};
  for (std::size_t i = 0; i < 3; ++i) {
    all.grid[i] = kernel_.grid[i];
    all.block_index[i] = kernel_.block_index[i];
  }
  for (std::uint32_t i = 0; i < kernel_.parameters.size(); ++i) {
    all.parameters.push_back({i, 0, static_cast<std::int64_t>(kernel_.parameters[i])});
  }
  for (const ptx::MemoryAccess& access : ptx::memory_accesses(module_, function_, all)) {
    if (executions_.count(access.instruction) == 0) continue;
    Executions& executions = executions_[access.instruction];
    for (Execution& one : executions) {
      access.space == code::Space::shared ? count_wavefronts(one, access.bytes) : count_sectors(one, access.bytes);
    }
    compare(access, executions, true);
  }
  for (const ptx::MemoryAccess& access : ptx::memory_accesses(module_, function_, block)) {
    if (executions_.count(access.instruction) != 0) compare(access, executions_[access.instruction], false);
  }
  return std::move(result_);
}

// That index arithmetic does not wrap is taken for granted, but not of thread numbers alone.
bool Comparison::leaves_out(const ptx::MemoryAccess& access) const {
  if (!wrapped_) return false;
  for (const char* unknown : {"ctaid", "param_2", "param_3", "param_4", "u", "...", "?"}) {
    if (access.formula.find(unknown) != std::string::npos) return true;
  }
  return kernel_.has_unknown_conditions;
}

void Comparison::compare(const ptx::MemoryAccess& access, const Executions& executions, bool all_known) {
  if (all_known) ++result_.accesses;
  if (leaves_out(access)) {
    result_.wrapped += all_known;
    return;
  }
  const bool is_followed = access.kind <= ptx::AccessKind::known_per_lane;
  if (all_known) result_.followed += is_followed;
  if (access.kind == ptx::AccessKind::data_dependent && !kernel_.reads_indices) differ(access, "no data is an index");
  if (!is_followed) return;
  compare_kind(access, executions);
  if (!access.cost) return differ(access, "executed, but has no cost");
  compare_range(access, kernel_.parts_lanes && access.loop_depth > 0 ? first_of(executions) : executions, all_known);
}

void Comparison::compare_kind(const ptx::MemoryAccess& access, const Executions& executions) {
  for (const Execution& one : executions) {
    std::int64_t last = -1;
    for (std::int64_t lane = 0; lane < 32; ++lane) {
      if ((one.touch.active >> lane & 1) == 0) continue;
      const auto at = static_cast<std::size_t>(lane), before = static_cast<std::size_t>(last < 0 ? lane : last);
      const auto apart = static_cast<std::int64_t>(one.touch.addresses[at] - one.touch.addresses[before]);
      if (access.kind == ptx::AccessKind::uniform && apart != 0) return differ(access, "not uniform");
      if (access.lane_stride && one.warp == 0 && last >= 0 && apart != *access.lane_stride * (lane - last)) {
        return differ(access, fmt::format("stride {} is not {}", *access.lane_stride, apart));
      }
      last = lane;
    }
  }
}

void Comparison::compare_range(const ptx::MemoryAccess& access, const Executions& executions, bool all_known) {
  const ptx::AccessCost& cost = *access.cost;
  // What was sampled promises nothing.
  if (!cost.exact) return;
  for (const Execution& one : executions) {
    // For a launch that is not known, conditions that are not known hold.
    if (!all_known && kernel_.has_unknown_conditions && !one.all_lanes) continue;
    if (one.needed < cost.best || one.needed > cost.worst) {
      return differ(access, fmt::format("{}: warp {} needs {}, not {} to {}", all_known ? "known launch" : "all launches", one.warp,
                                        one.needed, cost.best, cost.worst));
    }
    (all_known ? result_.compared : result_.for_all_launches) += 1;
  }
  if (all_known) compare_exactly(access, executions);
}

// Where no loop counter is in it, every warp has its number.
void Comparison::compare_exactly(const ptx::MemoryAccess& access, const Executions& executions) {
  for (const char* unknown : {"u", "...", "?"}) {
    if (access.formula.find(unknown) != std::string::npos) return;
  }
  const ptx::AccessCost& cost = *access.cost;
  std::map<std::uint32_t, std::pair<std::uint32_t, std::uint32_t>> of_warp, how_often;
  for (const Execution& one : executions) of_warp[one.warp] = {one.needed, one.ideal};
  for (const auto& [warp, one] : of_warp) ++how_often[one.first].first, how_often[one.first].second = one.second;
  std::uint32_t most = 0, typical = 0, ideal = 0;
  for (const auto& [needed, one] : how_often) {
    if (one.first >= most) most = one.first, typical = needed, ideal = one.second;
  }
  const std::uint32_t best = how_often.begin()->first, worst = how_often.rbegin()->first;
  const auto found = std::tuple(cost.best, cost.worst, cost.typical, cost.ideal, static_cast<std::size_t>(cost.warps));
  const auto wanted = std::tuple(best, worst, typical, ideal, of_warp.size());
  if (found != wanted) {
    differ(access, fmt::format("best {} worst {} typical {} ideal {} warps {}, not {} {} {} {} {}", best, worst, typical, ideal,
                               of_warp.size(), cost.best, cost.worst, cost.typical, cost.ideal, cost.warps));
  }
  ++result_.equal;
}

}  // namespace

Agreement compare_with_oracle(const RandomKernel& kernel) {
  static const auto set = ingest::ptx::InstructionSet::load(knowledge::Library::builtin()).value();
  auto module = ingest::ptx::read_module("random.ptx", kernel.text);
  Agreement failed;
  if (!module || module->skipped_statements > 0) {
    failed.difference = !module ? to_string(module.error()) : module->problems.front();
    return failed;
  }
  set.describe(*module);
  return Comparison(kernel, std::move(*module)).run();
}

}  // namespace frx::testing
