#include "advise/signals.h"

#include <algorithm>
#include <cmath>

#include "frx_generated/metric_ids.h"

namespace frx::advise {
namespace {

// The share of waste up to which data/bottlenecks/at_hardware_limit.yaml calls accesses efficient.
constexpr double efficient_waste_pct = 25;

// Documented thresholds (per cent unless the reading has another unit).
struct Threshold {
  std::string_view signal;
  model::Metric reading;
  char relation;  // '<' or '>'
  double limit;
};

constexpr Threshold thresholds[] = {
    {"memory_bandwidth_saturated", metrics::dram_pct, '>', 70},
    {"memory_bandwidth_high", metrics::dram_pct, '>', 50},
    {"tensor_core_underutilized", metrics::tensor_pct, '<', 30},
    {"tensor_core_inactive", metrics::tensor_pct, '<', 10},
    {"l1_cache_miss_heavy", metrics::l1_cache_hit_rate_pct, '<', 40},
    {"l2_cache_miss_heavy", metrics::l2_cache_hit_rate_pct, '<', 50},
    // Documented as more than 4 sectors per request, which condemns 8- and 16-byte loads. As in
    // data/bottlenecks/uncoalesced_access.yaml, what counts is the share of bytes nobody asked for.
    {"uncoalesced_global_loads", metrics::load_waste_pct, '>', 40},
    {"issue_efficiency_low", metrics::issue_slot_utilization_pct, '<', 60},
    {"issue_efficiency_very_low", metrics::issue_slot_utilization_pct, '<', 40},
    {"eligible_warps_low", metrics::eligible_warps_per_scheduler, '<', 1},
    {"scheduler_active_low", metrics::scheduler_active_pct, '<', 40},
    {"occupancy_good", metrics::achieved_occupancy_pct, '>', 60},
    {"occupancy_low", metrics::achieved_occupancy_pct, '<', 30},
    {"accesses_coalesced", metrics::access_waste_pct, '<', efficient_waste_pct},
};

struct Number {
  std::string_view signal;
  model::Metric reading;
};

constexpr Number numbers[] = {
    {"dram_throughput_pct", metrics::dram_pct},
    {"tensor_core_utilization_pct", metrics::tensor_pct},
    {"l1_cache_hit_rate_pct", metrics::l1_cache_hit_rate_pct},
    {"l2_cache_hit_rate_pct", metrics::l2_cache_hit_rate_pct},
    {"avg_global_load_sectors_per_request", metrics::global_load_sectors_per_request},
    {"issue_slot_utilization_pct", metrics::issue_slot_utilization_pct},
    {"avg_occupancy_pct", metrics::achieved_occupancy_pct},
    {"avg_barrier_stall_pct", metrics::warp_stall_barrier},
    {"avg_math_throttle_stall_pct", metrics::warp_stall_math_pipe_throttle},
    {"avg_registers_per_thread", metrics::registers_per_thread},
};

enum class StallClass { memory, throttle, sync, compute };

struct Stall {
  std::string_view name;
  model::Metric reading;
  StallClass of;
};

// Reasons that name a problem. `selected` and `not_selected` are warps that issue or could; sleeping
// is asked for by the program.
constexpr Stall stalls[] = {
    {"long_scoreboard", metrics::warp_stall_long_scoreboard, StallClass::memory},
    {"lg_throttle", metrics::warp_stall_lg_throttle, StallClass::throttle},
    {"mio_throttle", metrics::warp_stall_mio_throttle, StallClass::throttle},
    {"tex_throttle", metrics::warp_stall_tex_throttle, StallClass::throttle},
    {"memory_throttle", metrics::warp_stall_memory_throttle, StallClass::throttle},
    {"drain", metrics::warp_stall_drain, StallClass::memory},
    {"imc_miss", metrics::warp_stall_imc_miss, StallClass::memory},
    {"memory_dependency", metrics::warp_stall_memory_dependency, StallClass::memory},
    {"texture_dependency", metrics::warp_stall_texture_dependency, StallClass::memory},
    {"barrier", metrics::warp_stall_barrier, StallClass::sync},
    {"membar", metrics::warp_stall_membar, StallClass::sync},
    {"sync", metrics::warp_stall_sync, StallClass::sync},
    {"wait", metrics::warp_stall_wait, StallClass::compute},
    {"short_scoreboard", metrics::warp_stall_short_scoreboard, StallClass::compute},
    {"math_pipe_throttle", metrics::warp_stall_math_pipe_throttle, StallClass::compute},
    {"dispatch_stall", metrics::warp_stall_dispatch_stall, StallClass::compute},
    {"no_instruction", metrics::warp_stall_no_instruction, StallClass::compute},
    {"branch_resolving", metrics::warp_stall_branch_resolving, StallClass::compute},
    {"gmma", metrics::warp_stall_gmma, StallClass::compute},
    {"exec_dependency", metrics::warp_stall_exec_dependency, StallClass::compute},
    {"pipe_busy", metrics::warp_stall_pipe_busy, StallClass::compute},
    {"inst_fetch", metrics::warp_stall_inst_fetch, StallClass::compute},
};
// Below this share no reason dominates (the documented threshold of the stall labels).
constexpr double dominant_stall_pct = 20;

constexpr model::Metric pipes_without_lsu[] = {
    metrics::pipe_alu_pct,  metrics::pipe_fma_pct,  metrics::pipe_fp64_pct, metrics::pipe_fp16_pct, metrics::pipe_xu_pct,
    metrics::pipe_tex_pct, metrics::pipe_cbu_pct, metrics::pipe_adu_pct, metrics::tensor_pct,
};
constexpr double busy_pct = 60;            // as in data/bottlenecks/compute_bound.yaml
constexpr double memory_roof_pct = 80;     // as in data/bottlenecks/memory_bandwidth_bound.yaml
constexpr double compute_roof_pct = 85;    // as in data/bottlenecks/at_hardware_limit.yaml
constexpr double low_mfu_pct = 40;         // documented
constexpr double noticeable_tail = 0.10;   // of the kernel's time
constexpr double few_conflicts_pct = 10;   // of the shared-memory wavefronts
constexpr double large_block = 256;        // threads; from here on more do not add resident warps
constexpr double sector_bytes = 32;
// Bytes that the SMs asked for per byte of DRAM traffic: near 1 each byte is used once, so a tile has
// nothing to serve. The margin is for partial sectors and for what stays in L2.
constexpr double single_use = 1.3;

constexpr std::string_view by_label[] = {
    "register_spills",
    "occupancy_limited_by_registers",
    "occupancy_limited_by_shared_memory",
    "occupancy_limited_by_block_size",
};

constexpr std::string_view other_names[] = {
    "at_memory_roof", "has_shared_memory", "grid_below_one_wave", "partial_wave", "lsu_pipe_busy",
    "compute_pipe_saturated", "l2_bandwidth_saturated", "roof_accesses_unmeasured", "no_data_reuse", "reuse_unmeasured",
    "blocks_large",
    "bank_conflicts_low", "warp_stall_is_memory", "warp_stall_is_sync", "warp_stall_is_compute",
    "warp_stall_is_throttle", "dominant_warp_stall", "memory_stall_fraction", "roofline_region", "roofline_estimated",
    "mfu_pct", "mfu_low", "memory_utilization_pct", "arithmetic_intensity", "achieved_tflops", "peak_tflops",
    "peak_bw_gbps", "roofline_ceiling_tflops", "framework_pytorch", "mixed_precision_enabled",
    "mixed_precision_unknown", "is_distributed", "num_gpus", "gpu_type",
};

class Reader {
 public:
  Reader(const model::Readings& readings, SignalMap& into) : readings_(readings), into_(into) {}

  std::optional<double> value(model::Metric metric) const { return readings_.value(metric); }

  void thresholds_and_numbers() {
    for (const Threshold& t : thresholds) {
      if (const auto x = value(t.reading)) into_.set(t.signal, t.relation == '<' ? *x < t.limit : *x > t.limit);
    }
    for (const Number& n : numbers) into_.set(n.signal, value(n.reading));
  }

  void stall_classes() {
    const Stall* dominant = nullptr;
    for (const Stall& stall : stalls) {
      const auto share = value(stall.reading);
      if (share && (!dominant || *share > *value(dominant->reading))) dominant = &stall;
    }
    if (const auto together = value(metrics::memory_stall_pct)) into_.set("memory_stall_fraction", *together / 100);
    if (!dominant) return;
    const bool dominates = *value(dominant->reading) > dominant_stall_pct;
    const auto is = [&](StallClass of) { return dominates && dominant->of == of; };
    into_.set("warp_stall_is_memory", is(StallClass::memory) || is(StallClass::throttle));
    into_.set("warp_stall_is_throttle", is(StallClass::throttle));
    into_.set("warp_stall_is_sync", is(StallClass::sync));
    into_.set("warp_stall_is_compute", is(StallClass::compute));
    if (dominates) into_.set("dominant_warp_stall", dominant->name);
  }

  void launch_shape() {
    const auto waves = value(metrics::waves_per_sm);
    const auto per_sm = value(metrics::blocks_per_sm_of_grid);
    if (waves || per_sm) into_.set("grid_below_one_wave", waves ? *waves < 1 : *per_sm < 1);
    if (waves) {
      // The last wave takes as long as a full one: what it wastes is the empty part of it.
      const double rounds = std::ceil(*waves);
      into_.set("partial_wave", *waves >= 1 && (rounds - *waves) / rounds >= noticeable_tail);
    }
    const auto fixed = value(metrics::shared_memory_static);
    const auto dynamic = value(metrics::shared_memory_dynamic);
    if (fixed.value_or(0) + dynamic.value_or(0) > 0) {
      into_.set("has_shared_memory", true);
    } else if (const auto bytes = value(metrics::shared_memory_per_block_bytes)) {
      into_.set("has_shared_memory", *bytes > 0);
    }
  }

  // What the caches and the blocks cannot give, because of what was measured.
  void reuse() {
    const auto loads = value(metrics::global_load_sectors);
    const auto stores = value(metrics::global_store_sectors);
    const auto dram = value(metrics::dram_bytes);
    if (loads && stores && dram && *dram > 0) {
      into_.set("no_data_reuse", sector_bytes * (*loads + *stores) < single_use * *dram);
    } else if (into_.meets({"l2_bandwidth_saturated", true})) {
      into_.set("no_data_reuse", false);  // L2 is busy with what DRAM does not have to deliver again
    } else if (into_.meets({"accesses_coalesced", true})) {
      into_.set("reuse_unmeasured", true);
    }
    if (const auto threads = value(metrics::threads_per_block)) into_.set("blocks_large", *threads >= large_block);
    if (const auto share = value(metrics::conflict_wavefronts_pct)) into_.set("bank_conflicts_low", *share < few_conflicts_pct);
  }

  void roofs() {
    const auto dram = value(metrics::dram_pct);
    const auto waste = value(metrics::access_waste_pct);
    const bool efficient = waste && *waste < efficient_waste_pct;
    if ((dram && *dram < memory_roof_pct) || (waste && !efficient)) {
      into_.set("at_memory_roof", false);
    } else if (dram && efficient) {
      into_.set("at_memory_roof", true);
    }
    // Neither the waste nor the sectors per request tell whether the saturated DRAM moves useful bytes.
    const bool seen = waste || value(metrics::global_load_sectors_per_request);
    if (dram) into_.set("roof_accesses_unmeasured", *dram >= memory_roof_pct && !seen);
    std::optional<double> l2 = value(metrics::l2_throughput_pct);
    if (!l2) l2 = value(metrics::l2_throughput_active_pct);
    if (const auto level = value(metrics::l2_utilization_level); !l2 && level) l2 = 10 * *level;
    if (l2) into_.set("l2_bandwidth_saturated", *l2 >= memory_roof_pct && *l2 > dram.value_or(0));
    std::optional<double> pipe = value(metrics::tensor_pct);
    if (const auto fp64 = value(metrics::pipe_fp64_pct)) pipe = std::max(pipe.value_or(0), *fp64);
    if (pipe) into_.set("compute_pipe_saturated", *pipe >= compute_roof_pct && *pipe > dram.value_or(0));
    busiest_pipe();
  }

 private:
  void busiest_pipe() {
    const auto lsu = value(metrics::pipe_lsu_pct);
    std::optional<double> other;
    for (const model::Metric pipe : pipes_without_lsu) {
      if (const auto use = value(pipe)) other = std::max(other.value_or(0), *use);
    }
    if (lsu && *lsu < busy_pct) into_.set("lsu_pipe_busy", false);
    if (lsu && *lsu >= busy_pct && other) into_.set("lsu_pipe_busy", *lsu >= *other);
  }

  const model::Readings& readings_;
  SignalMap& into_;
};

const diagnose::GroupDiagnosis* group_with(const diagnose::KernelDiagnosis& kernel, std::string_view label) {
  for (const diagnose::GroupDiagnosis& group : kernel.groups) {
    const auto holds = [&](const diagnose::Finding& f) { return f.label->id == label; };
    if (group.primary == label || std::any_of(group.findings.begin(), group.findings.end(), holds)) return &group;
  }
  return nullptr;
}

// A label that holds is true, one that was ruled out is false, one that cannot be told is absent.
void add_labels(const std::vector<diagnose::Finding>& findings, const std::vector<std::string_view>& ruled_out, SignalMap& into) {
  for (const std::string_view label : by_label) {
    const auto holds = [&](const diagnose::Finding& f) { return f.label->id == label; };
    if (std::any_of(findings.begin(), findings.end(), holds)) {
      into.set(label, true);
    } else if (std::find(ruled_out.begin(), ruled_out.end(), label) != ruled_out.end()) {
      into.set(label, false);
    }
  }
}

void add_roofline(const derive::Roofline& roofline, SignalMap& into) {
  if (roofline.basis == derive::Roofline::Basis::none) return;
  if (!roofline.region.empty()) into.set("roofline_region", roofline.region);
  into.set("roofline_estimated", roofline.basis == derive::Roofline::Basis::estimated);
  into.set("mfu_pct", roofline.mfu_pct);
  if (roofline.mfu_pct) into.set("mfu_low", *roofline.mfu_pct < low_mfu_pct);
  into.set("memory_utilization_pct", roofline.memory_utilization_pct);
  if (const derive::RooflinePoint* point = roofline.main()) {
    into.set("arithmetic_intensity", point->intensity);
    into.set("achieved_tflops", point->achieved_tflops);
    into.set("peak_tflops", point->peak_tflops);
    into.set("peak_bw_gbps", point->peak_gbps);
    into.set("roofline_ceiling_tflops", point->ceiling_tflops);
  }
}

// What the kernels of the whole run tell about the program. Their names are evidence for PyTorch and
// for communication, their absence is none.
void add_program(const diagnose::RunDiagnosis& run, const knowledge::Knowledge& knowledge, SignalMap& into) {
  const auto communication = knowledge.classes.with_name("communication");
  for (const diagnose::KernelDiagnosis& kernel : run.kernels) {
    if (kernel.kernel->name.find("at::native") != std::string::npos) into.set("framework_pytorch", true);
    if (communication && (kernel.kernel_class >> *communication & 1)) into.set("is_distributed", true);
  }
  into.set("mixed_precision_unknown", true);  // no counter tells
  if (run.session.devices.size() > 1) into.set("num_gpus", static_cast<double>(run.session.devices.size()));
  if (!run.device.name.empty()) into.set("gpu_type", std::string_view(run.device.name));
}

}  // namespace

SignalMap signals_of(const diagnose::RunDiagnosis& run, const diagnose::KernelDiagnosis& kernel, std::string_view label,
                     const knowledge::Knowledge& knowledge) {
  const diagnose::GroupDiagnosis* group = group_with(kernel, label);
  SignalMap signals;
  Reader reader(group ? group->readings : kernel.readings, signals);
  reader.thresholds_and_numbers();
  reader.stall_classes();
  reader.launch_shape();
  reader.roofs();
  reader.reuse();
  add_labels(group ? group->findings : kernel.findings, kernel.ruled_out, signals);
  add_roofline(kernel.roofline, signals);
  add_program(run, knowledge, signals);
  return signals;
}

std::span<const std::string_view> signal_names() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> all;
    for (const Threshold& threshold : thresholds) all.push_back(threshold.signal);
    for (const Number& number : numbers) all.push_back(number.signal);
    all.insert(all.end(), std::begin(by_label), std::end(by_label));
    all.insert(all.end(), std::begin(other_names), std::end(other_names));
    return all;
  }();
  return names;
}

}  // namespace frx::advise
