#include "report/layer_diffs.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>

namespace frx::report {
namespace {

using Better = NumberRow::Better;
using SourceKernel = model::cuda::Kernel;
using Words = std::vector<std::string> SourceKernel::*;
using Number = std::optional<double>;

// The rows of one layer, from one function per value.
template <typename Report>
class Rows {
 public:
  Rows(const Report* first, const Report* second, LayerDiff& diff) : first_(first), second_(second), diff_(diff) {
    diff.is_available = first && second;
  }

  template <typename Of>
  void number(std::string_view key, std::string_view label, Better better, Of of, std::string_view unit = "") {
    diff_.numbers.push_back({key, label, unit, better, value(first_, of), value(second_, of)});
  }
  template <typename Of>
  void mix(std::string_view key, Of of) {
    diff_.mix.push_back({key, key, "", Better::neither, value(first_, of), value(second_, of)});
  }
  template <typename Of>
  void truth(std::string_view key, std::string_view label, Of of) {
    diff_.truths.push_back({key, label, first_ ? of(*first_) : std::nullopt, second_ ? of(*second_) : std::nullopt});
  }
  template <typename Of>
  void words(std::string_view key, std::string_view label, Of of) {
    using All = std::vector<std::string>;
    diff_.words.push_back({key, label, first_ ? of(*first_) : All(), second_ ? of(*second_) : All()});
  }
  template <typename Of>
  void text(std::string_view key, std::string_view label, Of of) {
    diff_.texts.push_back({key, label, first_ ? of(*first_) : "", second_ ? of(*second_) : ""});
  }

 private:
  template <typename Of>
  static Number value(const Report* report, Of of) {
    return report ? Number(of(*report)) : Number();
  }

  const Report *first_, *second_;
  LayerDiff& diff_;
};

std::vector<std::string> words_of(const CudaReport& report, Words which) {
  std::set<std::string> all;
  for (const SourceKernel& kernel : report.inspection.kernels) all.insert((kernel.*which).begin(), (kernel.*which).end());
  return {all.begin(), all.end()};
}

bool any_conflict(const CudaReport& report) {
  return std::ranges::any_of(report.inspection.kernels, [](const SourceKernel& kernel) {
    return std::ranges::any_of(kernel.shared_memory, &model::cuda::SharedArray::bank_conflict_risk);
  });
}

std::size_t shared_arrays(const CudaReport& report) {
  std::size_t count = 0;
  for (const SourceKernel& kernel : report.inspection.kernels) count += kernel.shared_memory.size();
  return count;
}

template <typename Of>
double sum(const PtxReport& report, Of of) {
  double total = 0;
  for (const diagnose::PtxKernel& kernel : report.diagnosis.kernels) total += static_cast<double>(of(kernel.facts));
  return total;
}

double instructions_of(const PtxReport& report, model::ptx::Category category) {
  return sum(report, [&](const derive::ptx::KernelFacts& facts) { return facts.of(category); });
}

// Absent when there is no evidence.
Number spill_bytes(const PtxReport& report, std::optional<std::uint64_t> derive::ptx::Compiled::*which) {
  Number total;
  for (const diagnose::PtxKernel& kernel : report.diagnosis.kernels) {
    if (!kernel.compiled || !(kernel.compiled->*which)) return {};
    total = total.value_or(0) + static_cast<double>(*(kernel.compiled->*which));
  }
  return total;
}

// From the compiler, otherwise by whether the launch bounds leave too few registers for the live values.
std::optional<bool> spills(const PtxReport& report) {
  if (const Number stored = spill_bytes(report, &derive::ptx::Compiled::spill_store_bytes)) return *stored > 0;
  if (std::ranges::any_of(report.diagnosis.kernels, &diagnose::PtxKernel::probably_spills)) return true;
  return {};
}

Number measured(const NcuReport& report, std::string_view id, double factor = 1) {
  const Value* value = report.value(id);
  return value ? Number(value->value() * factor) : Number();
}

std::vector<std::string> difference(const std::vector<std::string>& of, const std::vector<std::string>& without) {
  std::vector<std::string> rest;
  std::ranges::set_difference(of, without, std::back_inserter(rest));
  return rest;
}

}  // namespace

std::string_view name_of(Side side) { return side == Side::first ? "a" : side == Side::second ? "b" : "tie"; }

std::optional<Side> NumberRow::better() const {
  if (!first || !second) return {};
  if (*first == *second) return Side::neither;
  if (better_is == Better::neither) return {};
  return (*first < *second) == (better_is == Better::lower) ? Side::first : Side::second;
}

std::vector<std::string> WordsRow::added() const { return difference(second, first); }

std::vector<std::string> WordsRow::removed() const { return difference(first, second); }

const NumberRow* LayerDiff::number(std::string_view key) const {
  const auto at = std::ranges::find(numbers, key, &NumberRow::key);
  return at == numbers.end() ? nullptr : &*at;
}

LayerDiff source_diff(const Implementation& first, const Implementation& second) {
  LayerDiff diff;
  Rows<CudaReport> rows(first.has_source() ? first.cuda : nullptr, second.has_source() ? second.cuda : nullptr, diff);
  rows.number("kernel_count", "Kernels", Better::neither, [](const CudaReport& r) { return r.inspection.kernels.size(); });
  rows.number("launch_count", "Launches", Better::neither, [](const CudaReport& r) { return r.inspection.launches.size(); });
  rows.number("shared_memory_alloc_count", "Arrays in shared memory", Better::neither, shared_arrays);
  rows.truth("has_bank_conflict_risk", "Bank conflicts", [](const CudaReport& r) { return std::optional(any_conflict(r)); });
  rows.truth("atomics_used", "Atomics", [](const CudaReport& r) { return std::optional(!words_of(r, &SourceKernel::atomics).empty()); });
  rows.truth("reductions_used", "Reductions",
             [](const CudaReport& r) { return std::optional(!words_of(r, &SourceKernel::reductions).empty()); });
  rows.words("indexing_patterns", "Indexing", [](const CudaReport& r) { return words_of(r, &SourceKernel::indexing_patterns); });
  rows.words("memory_access_styles", "Memory access", [](const CudaReport& r) { return words_of(r, &SourceKernel::memory_access_styles); });
  return diff;
}

LayerDiff ptx_diff(const Implementation& first, const Implementation& second) {
  using derive::ptx::Compiled;
  using derive::ptx::KernelFacts;
  using model::ptx::Category;
  LayerDiff diff;
  Rows<PtxReport> rows(first.has_ptx() ? first.ptx : nullptr, second.has_ptx() ? second.ptx : nullptr, diff);
  rows.number("register_count", "Registers per thread", Better::lower, [](const PtxReport& r) {
    const Number average = r.average_registers();
    return average ? Number(std::round(*average)) : Number();
  });
  rows.number(
      "local_memory_bytes", "Local memory per thread", Better::lower,
      [](const PtxReport& r) { return sum(r, [](const KernelFacts& f) { return f.local_bytes; }); }, "byte");
  rows.truth("has_register_spills", "Register spills", spills);
  rows.number("instruction_count", "Instructions", Better::neither,
              [](const PtxReport& r) { return static_cast<double>(r.instructions()); });
  constexpr std::tuple<std::string_view, std::string_view, Category> accesses[] = {
      {"global_load_count", "Global loads", Category::global_load},
      {"global_store_count", "Global stores", Category::global_store},
      {"shared_load_count", "Shared loads", Category::shared_load},
      {"shared_store_count", "Shared stores", Category::shared_store}};
  for (const auto& [key, label, category] : accesses)
    rows.number(key, label, Better::neither, [category = category](const PtxReport& r) { return instructions_of(r, category); });
  rows.number(
      "spill_load_bytes", "Spill loads", Better::lower, [](const PtxReport& r) { return spill_bytes(r, &Compiled::spill_load_bytes); },
      "byte");
  rows.number(
      "spill_store_bytes", "Spill stores", Better::lower, [](const PtxReport& r) { return spill_bytes(r, &Compiled::spill_store_bytes); },
      "byte");
  rows.number("branch_count", "Branches", Better::neither,
              [](const PtxReport& r) { return sum(r, [](const KernelFacts& f) { return f.branches; }); });
  rows.number("conditional_branch_count", "Conditional branches", Better::neither,
              [](const PtxReport& r) { return sum(r, [](const KernelFacts& f) { return f.conditional_branches; }); });
  for (std::size_t i = 0; i < derive::ptx::category_count; ++i) {
    const auto category = static_cast<Category>(i);
    rows.mix(model::ptx::name_of(category), [category](const PtxReport& r) { return instructions_of(r, category); });
  }
  return diff;
}

LayerDiff ncu_diff(const Implementation& first, const Implementation& second) {
  LayerDiff diff;
  Rows<NcuReport> rows(first.has_ncu() ? first.ncu : nullptr, second.has_ncu() ? second.ncu : nullptr, diff);
  const auto metric = [&](std::string_view key, std::string_view label, Better better, std::string_view id, std::string_view unit = "%",
                          double factor = 1) {
    rows.number(
        key, label, better, [id, factor](const NcuReport& r) { return measured(r, id, factor); }, unit);
  };
  rows.number(
      "kernel_time_us", "Kernel time", Better::lower, [](const NcuReport& r) { return r.duration_us; }, "us");
  metric("avg_dram_throughput_pct", "DRAM throughput", Better::neither, "dram_throughput_pct");
  metric("avg_l1_cache_hit_rate_pct", "L1 hit rate", Better::higher, "l1_cache_hit_rate_pct");
  metric("avg_l2_cache_hit_rate_pct", "L2 hit rate", Better::higher, "l2_cache_hit_rate_pct");
  metric("avg_global_load_sectors_per_request", "Load sectors/request", Better::lower, "global_load_sectors_per_request", "sectors");
  metric("avg_issue_slot_utilization_pct", "Issue slot utilization", Better::higher, "issue_slot_utilization_pct");
  metric("avg_occupancy_pct", "Achieved occupancy", Better::higher, "achieved_occupancy_pct");
  metric("avg_tensor_core_utilization_pct", "Tensor core utilization", Better::higher, "tensor_core_utilization_pct");
  metric("registers_per_thread", "Registers per thread", Better::lower, "registers_per_thread", "");
  metric("memory_stall_fraction", "Memory stalls", Better::lower, "memory_stall_pct", "", 0.01);
  metric("compute_stall_fraction", "Compute stalls", Better::lower, "compute_stall_pct", "", 0.01);
  rows.text("dominant_warp_stall", "Dominant stall", [](const NcuReport& r) { return r.dominant_stall; });
  rows.text("primary_bottleneck", "Leading bottleneck", [](const NcuReport& r) { return r.primary; });
  return diff;
}

}  // namespace frx::report
