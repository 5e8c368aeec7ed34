#include "compose/kernel_profile.h"

#include <cmath>

#include "base/text.h"
#include "base/units.h"
#include "compose/full_profile_json.h"
#include "compose/parts.h"

namespace frx::compose {
namespace {

using model::FullProfile;
using report::Badge;
using report::KernelProfile;
using Kind = KernelProfileView::Kind;
using OptionalNumber = std::optional<double>;

constexpr std::string_view not_known = "n/a";
constexpr std::size_t section_indent = 2, line_indent = 4, longest_name = 100;
constexpr int profile_label_width = 26;
constexpr std::string_view static_precision_words = "FP16 on the tensor cores";

// The number in a documented format, or "n/a".
std::string number_text(fmt::format_string<const double&> format, const OptionalNumber& value) {
  return value ? fmt::format(format, *value) : std::string(not_known);
}

std::string dimensions_in_title(const FullProfile& profile) {
  const std::string dimensions = report::dimensions_text(profile.kernel.dimensions);
  return dimensions.empty() ? "" : fmt::format(" ({})", dimensions);
}

class Page {
 public:
  Page(const KernelProfile& made, const KernelProfileView& view) : made_(made), view_(view) {}

  Document document() {
    const std::string name = shorten(profile().kernel.name.value_or("unknown"), longest_name);
    page_.headline = fmt::format("CGP Kernel Profile: {}{}", name, dimensions_in_title(profile()));
    line(0, "");
    line(0, fmt::format("=== {} ===", page_.headline));
    line(0, "");
    switch (view_.kind) {
      case Kind::measured: measured(); break;
      case Kind::without_ncu: without_ncu(); break;
      case Kind::without_program: without_program(); break;
    }
    closing();
    return std::move(page_);
  }

 private:
  const FullProfile& profile() const { return made_.profile; }

  void line(std::size_t indent, std::string_view text) {
    if (text.empty()) return page_.blank();
    page_.command(text, indent);
  }
  void heading(std::string_view text) {
    line(0, "");
    line(section_indent, text);
  }
  void value(std::string_view label, std::string_view text) {
    line(line_indent, fmt::format("{:<{}} {}", label, profile_label_width, text));
  }

  // "62.1% [OK] (>= 50, tensor_utilization)".
  void percent(std::string_view label, const OptionalNumber& number, std::string_view field = {}) {
    std::string text = number ? fmt::format("{:5.1f}%", *number) : fmt::format("{:>5}", not_known);
    if (const Badge* const badge = made_.badge(field))
      text += fmt::format(" {} ({} {:.0f}, {})", badge->is_ok() ? "[OK]" : "[WARN]", badge->is_ok() ? ">=" : "<", badge->threshold,
                          badge->rule);
    value(label, text);
  }

  std::string gpu_words() const {
    return fmt::format("{}, SM {}, Driver {}", printable(profile().hardware.gpu.value_or("unknown GPU")),
                       printable(profile().hardware.gpu_sm.value_or("?")), printable(profile().hardware.driver.value_or("?")));
  }

  void measured() {
    line(0, fmt::format("Backend: CUDA ({})", gpu_words()));
    line(0, fmt::format("Execution: {} us | {} TFLOP/s | {} of peak", number_text("{:.1f}", profile().timing.wall_clock_time_us),
                        number_text("{:.1f}", profile().throughput.tflops), number_text("{:.1f}%", profile().roofline.peak_fraction_pct)));
    launches();
    roofline();
    compute();
    memory();
    vram();
    health();
    energy();
    muda();
  }

  // Which launches the numbers are of.
  void launches() {
    const model::full_profile::ProfiledTiming& timing = profile().timing;
    if (timing.samples.value_or(0) > 1 && timing.min_us && timing.max_us)
      line(0, fmt::format("Launches: {}, {} {:.1f} us, {:.1f} to {:.1f} us", *timing.samples, timing.samples_us.empty() ? "mean" : "median",
                          timing.wall_clock_time_us.value_or(0), *timing.min_us, *timing.max_us));
    if (made_.matches.size() < 2) return;
    constexpr std::size_t most = 8;
    line(0, "");
    line(section_indent, fmt::format("Launches of that name ({}; * was used):", made_.matches.size()));
    for (std::size_t i = 0; i < made_.matches.size(); ++i) {
      if (i == most) return line(line_indent, fmt::format("... and {} more", made_.matches.size() - most));
      const report::MatchedLaunches& one = made_.matches[i];
      line(line_indent, fmt::format("{} {} grid {} block {}: {}, {} us", i == 0 ? '*' : ' ', shorten(printable(one.name), longest_name),
                                    one.grid.empty() ? "?" : one.grid, one.block.empty() ? "?" : one.block,
                                    count_text(one.launches, "launch"), number_text("{:.1f}", one.total_us)));
    }
  }

  std::string status() const {
    const model::full_profile::ProfiledRoofline& roof = profile().roofline;
    if (!roof.bound) return std::string(not_known);
    const std::string efficiency = number_text("{:.1f}% efficiency", roof.efficiency_pct);
    if (*roof.bound == "memory") return fmt::format("MEMORY-BOUND ({} below ridge)", number_text("{:.1f}x", roof.distance_to_ridge));
    if (*roof.bound == "compute") return fmt::format("COMPUTE-BOUND ({})", efficiency);
    return fmt::format("NEAR-RIDGE ({})", efficiency);
  }

  void roofline() {
    const model::full_profile::ProfiledRoofline& roof = profile().roofline;
    const model::full_profile::ProfiledThroughput& rates = profile().throughput;
    heading("Roofline Position:");
    value("Arithmetic Intensity:", number_text("{:.1f} FLOP/byte", rates.arithmetic_intensity));
    value("Ridge Point:", number_text("{:.1f} FLOP/byte", roof.ridge_point) +
                              (roof.precision && roof.ridge_point ? fmt::format(" ({})", printable(*roof.precision)) : ""));
    value("Status:", status());
    if (roof.efficiency_pct && roof.attainable_tflops)
      value("Efficiency:", fmt::format("{:.1f}% of the attainable {:.1f} TFLOP/s", *roof.efficiency_pct, *roof.attainable_tflops));
    if (roof.distance_to_ridge && roof.distance_log2)
      value("Ridge / intensity:", fmt::format("{:.2f}x (log2 {:+.2f})", *roof.distance_to_ridge, *roof.distance_log2));
    if (view_.with_roofline) ceilings();
  }

  void ceilings() {
    const model::full_profile::ProfiledRoofline& roof = profile().roofline;
    const model::full_profile::ProfiledThroughput& rates = profile().throughput;
    value("Intensity at L2:", number_text("{:.1f} FLOP/byte", rates.arithmetic_intensity_l2));
    value("Intensity at L1:", number_text("{:.1f} FLOP/byte", rates.arithmetic_intensity_l1));
    value("Operations:", rates.flops ? fmt::format("{} ({})", in_scientific(*rates.flops), printable(rates.flops_from.value_or("")))
                                     : std::string(not_known));
    value("Peak at boost clock:", number_text("{:.1f} TFLOP/s", roof.peak_compute_tflops) +
                                      (roof.boost_clock_mhz ? fmt::format(" at {:.0f} MHz", *roof.boost_clock_mhz) : ""));
    value("Peak at measured clock:", number_text("{:.1f} TFLOP/s", roof.peak_at_measured_clock_tflops) +
                                         (roof.measured_clock_mhz ? fmt::format(" at {:.0f} MHz", *roof.measured_clock_mhz) : ""));
    value("Peak bandwidth:", number_text("{:.1f} GB/s", roof.peak_bandwidth_gbps));
    const auto source = profile().provenance.find("roofline.peak_compute_tflops");
    if (source != profile().provenance.end()) value("Peaks by:", printable(source->second));
  }

  void compute() {
    const model::full_profile::ProfiledGpuCompute& compute = profile().gpu_compute;
    heading("Compute:");
    if (compute.tensor_core_utilization_pct.value_or(0) > 0)
      percent("Tensor core utilization:", compute.tensor_core_utilization_pct, "gpu_compute.tensor_core_utilization_pct");
    percent("Warp execution eff:", compute.warp_execution_efficiency_pct, "gpu_compute.warp_execution_efficiency_pct");
    percent("SM utilization:", compute.sm_utilization_pct);
    percent("Achieved occupancy:", compute.achieved_occupancy_pct);
    if (compute.theoretical_occupancy_pct) percent("Theoretical occupancy:", compute.theoretical_occupancy_pct);
    if (compute.register_usage_per_thread) value("Register usage:", fmt::format("{:3}/255", *compute.register_usage_per_thread));
    if (compute.shared_memory_per_block.value_or(0) > 0) {
      const std::string reserve =
          compute.shared_memory_driver_per_block ? fmt::format(" (and {} of the driver)", *compute.shared_memory_driver_per_block) : "";
      value("Shared memory/block:", fmt::format("{:5} bytes{}", *compute.shared_memory_per_block, reserve));
    }
  }

  void memory() {
    const model::full_profile::ProfiledGpuMemory& memory = profile().gpu_memory;
    heading("Memory:");
    value("DRAM throughput:", fmt::format("{} of peak ({} GB/s)", number_text("{:5.1f}%", memory.dram_throughput_pct),
                                          number_text("{:.1f}", profile().throughput.bandwidth_gbps)));
    percent("Global load coalescing:", memory.global_load_efficiency_pct, "gpu_memory.global_load_efficiency_pct");
    percent("L2 hit rate:", memory.l2_hit_rate_pct, "gpu_memory.l2_hit_rate_pct");
  }

  void vram() {
    const model::full_profile::ProfiledVram& vram = profile().vram;
    if (!vram.vram_used_mb || !vram.vram_total_mb) return;
    heading("VRAM:");
    value("Used:", fmt::format("{:.0f} / {:.0f} MB ({})", *vram.vram_used_mb, *vram.vram_total_mb,
                               number_text("{:.1f}%", vram.vram_utilization_pct)));
  }

  void health() {
    const model::full_profile::ProfiledSystemHealth& health = profile().system_health;
    if (!model::full_profile::is_collected(health)) return;
    heading("System Health:");
    if (health.gpu_temperature_celsius) value("GPU temp:", fmt::format("{:.0f}°C", *health.gpu_temperature_celsius));
    if (health.gpu_power_watts) value("GPU power:", fmt::format("{:.0f} W", *health.gpu_power_watts));
    if (health.gpu_clock_mhz)
      value("GPU clock:",
            fmt::format("{:.0f} MHz (mem: {} MHz)", *health.gpu_clock_mhz, number_text("{:.0f}", health.gpu_memory_clock_mhz)));
    if (health.cpu_frequency_mhz) value("CPU freq:", fmt::format("{:.0f} MHz", *health.cpu_frequency_mhz));
  }

  void energy() {
    const model::full_profile::ProfiledEnergy& energy = profile().energy;
    if (!model::full_profile::is_collected(energy)) return;
    heading("Energy:");
    if (energy.average_power_watts)
      value("Average power:",
            fmt::format("{:.1f} W, {} W without idle power", *energy.average_power_watts, number_text("{:.1f}", energy.net_power_watts)));
    if (energy.run_joules && energy.run_seconds)
      value("Run by itself:",
            fmt::format("{:.1f} J +- {} J in {:.2f} s ({})", *energy.run_joules, number_text("{:.1f}", energy.run_uncertainty_joules),
                        *energy.run_seconds, printable(energy.source.value_or("source not said"))));
    if (energy.tflops_per_watt) value("Efficiency:", fmt::format("{:.4f} TFLOP/s per watt", *energy.tflops_per_watt));
    if (energy.joules_per_inference) value("Energy:", fmt::format("{:.6f} J per inference", *energy.joules_per_inference));
  }

  void muda() {
    if (profile().muda.empty()) return;
    heading("Waste:");
    for (const model::full_profile::Muda& one : profile().muda)
      value(printable(one.muda_type) + ":",
            printable(one.source) + (one.impact_pct ? fmt::format(" (up to {:.1f}% of the time)", *one.impact_pct) : ""));
  }

  std::string flops_words() const {
    return profile().throughput.flops ? in_scientific(*profile().throughput.flops)
                                      : "n/a (--flops EXPR, or --op gemm with --size N, states them)";
  }
  std::string ridge_words() const {
    if (profile().roofline.ridge_point) return fmt::format("{:.1f} FLOP/byte", *profile().roofline.ridge_point);
    if (!profile().hardware.gpu) return "n/a (--gpu-model NAME names the GPU)";
    return fmt::format("n/a (the peaks of {} are not known)", printable(*profile().hardware.gpu));
  }
  void estimated_time() {
    if (!profile().estimated.value_or(false)) return;
    line(section_indent, fmt::format("Estimated time: at least {} us, at the peak of {}",
                                     number_text("{:.1f}", profile().timing.wall_clock_time_us), static_precision_words));
  }

  void without_ncu() {
    line(section_indent, "ncu not found. Showing static analysis only.");
    line(0, "");
    line(section_indent, fmt::format("Expected FLOPs: {}", flops_words()));
    line(section_indent, fmt::format("FP16 ridge point: {}", ridge_words()));
    if (profile().hardware.gpu) line(section_indent, fmt::format("GPU: {} (named, not measured)", printable(*profile().hardware.gpu)));
    estimated_time();
    line(section_indent, "Install NVIDIA Nsight Compute for runtime profiling.");
  }

  void without_program() {
    line(section_indent, fmt::format("Backend: CUDA (ncu at {})", printable(view_.ncu)));
    line(section_indent, fmt::format("GPU: {}", printable(profile().hardware.gpu.value_or("Unknown"))));
    line(section_indent, fmt::format("Driver: {}", printable(profile().hardware.driver.value_or("Unknown"))));
    line(0, "");
    const std::string name = profile().kernel.name.value_or("");
    line(section_indent, fmt::format("No binary found for kernel '{}'.", shorten(name, longest_name)));
    line(section_indent, "To profile a specific binary, use:");
    line(line_indent, fmt::format("{} ./your_binary --kernel-filter {}", view_.binary_command, shell_quote(name)));
    estimated_time();
    if (!view_.with_roofline) return;
    heading("Roofline analysis (static):");
    line(line_indent, fmt::format("Problem FLOPs: {}", flops_words()));
    line(line_indent, fmt::format("FP16 ridge: {}", ridge_words()));
  }

  void closing() {
    if (!profile().notes.empty() || !made_.hints.empty()) line(0, "");
    for (const std::string& note : profile().notes) page_.hanging("note: ", note, section_indent);
    for (const std::string& hint : made_.hints) page_.hanging("n/a: ", hint, section_indent);
    line(0, "");
    if (!view_.exported_to.empty()) line(section_indent, fmt::format("Profile exported: {}", printable(view_.exported_to)));
  }

  const KernelProfile& made_;
  const KernelProfileView& view_;
  Document page_;
};

std::string_view kind_name(Kind kind) {
  return kind == Kind::measured ? "measured" : kind == Kind::without_ncu ? "static_without_ncu" : "static_without_program";
}

void put_kernel_profile(answer::JsonObject& out, const KernelProfile& made, const KernelProfileView& view) {
  out.add("schema", "kernel_profile_v1", "kind", kind_name(view.kind), "exported_to", answer::unless_empty(view.exported_to));
  out.object("profile", [&](answer::JsonObject& inner) { put_full_profile(inner, made.profile); });
  out.list("badges", made.badges, [](answer::JsonObject& one, const Badge& badge) {
    one.add("field", badge.field, "rule", badge.rule, "value", badge.value, "threshold", badge.threshold, "ok", badge.is_ok());
  });
  out.list("launches", made.matches, [&](answer::JsonObject& one, const report::MatchedLaunches& launches) {
    one.add("name", launches.name, "grid", answer::unless_empty(launches.grid), "block", answer::unless_empty(launches.block), "device",
            launches.device, "launches", launches.launches, "total_us", answer::exact(launches.total_us), "median_us",
            answer::exact(launches.median_us), "min_us", answer::exact(launches.min_us), "max_us", answer::exact(launches.max_us), "used",
            &launches == &made.matches.front());
  });
  out.add("missing", made.hints);
}

}  // namespace

answer::Answer answer_of(std::shared_ptr<const report::KernelProfile> profile, KernelProfileView view) {
  answer::Answer answer;
  answer.what = "a profile of a kernel";
  answer.mode = "kernel_profile";
  answer.document = [profile, view](answer::Detail) { return Page(*profile, view).document(); };
  answer.payload = [profile, view](answer::JsonObject& out) { put_kernel_profile(out, *profile, view); };
  return answer;
}

}  // namespace frx::compose
