#include <algorithm>

#include "compose/ncu_words.h"
#include "compose/payloads.h"

namespace frx::compose {
namespace {

using derive::RooflinePoint;
using model::Finding;
using report::Kernel;
using report::NcuReport;

template <typename Owner>
answer::Rounded reading(const Owner& owner, std::string_view id) {
  const report::Value* value = owner.value(id);
  return rounded(value ? std::optional(value->value()) : std::nullopt, 2);
}

template <typename Member>
std::optional<double> of(const RooflinePoint* point, Member RooflinePoint::*member) {
  return point ? std::optional<double>(point->*member) : std::nullopt;
}

void put_stalls(JsonObject& out, const std::vector<report::Stall>& stalls) {
  out.object("warp_stall_breakdown", [&](JsonObject& inner) {
    for (const auto& [reason, value, kind] : stalls) inner.add(reason, rounded(value, 2));
  });
}

// In how many kernels each limits occupancy.
std::vector<std::pair<std::string_view, int>> counts_of_limiters(const NcuReport& report) {
  std::vector<std::pair<std::string_view, int>> counts;
  for (const Kernel& kernel : report.kernels) {
    for (const std::string_view limiter : kernel.occupancy.limiters) {
      const auto known = std::ranges::find(counts, limiter, &std::pair<std::string_view, int>::first);
      known == counts.end() ? void(counts.emplace_back(limiter, 1)) : void(++known->second);
    }
  }
  return counts;
}

void put_limiters(JsonObject& out, std::string_view key, const NcuReport& report) {
  out.object(key, [&](JsonObject& inner) {
    for (const auto& [limiter, count] : counts_of_limiters(report)) inner.add(limiter, count);
  });
}

void put_roofline_of(JsonObject& out, const derive::Roofline& roofline) {
  const RooflinePoint* main = roofline.main();
  out.add("arithmetic_intensity", of(main, &RooflinePoint::intensity), "achieved_tflops", of(main, &RooflinePoint::achieved_tflops),
          "peak_tflops", of(main, &RooflinePoint::peak_tflops), "peak_bw_gbps", rounded(of(main, &RooflinePoint::peak_gbps), 1),
          "ridge_point", of(main, &RooflinePoint::ridge), "mfu_pct", rounded(roofline.mfu_pct, 2), "roofline_region",
          unless_empty(roofline.region), "memory_utilization_pct", rounded(roofline.memory_utilization_pct, 2), "roofline_ceiling_tflops",
          of(main, &RooflinePoint::ceiling_tflops), "of_ceiling_pct", rounded(of(main, &RooflinePoint::of_ceiling_pct), 2), "estimated",
          roofline.basis == derive::Roofline::Basis::estimated, "explanation", roofline.explanation);
  out.list("points", roofline.points, [](JsonObject& inner, const RooflinePoint& point) {
    inner.add("precision", point.precision, "level", point.level, "arithmetic_intensity", point.intensity, "achieved_tflops",
              point.achieved_tflops, "peak_tflops", point.peak_tflops, "ceiling_tflops", point.ceiling_tflops);
  });
}

// Time-weighted over the run.
void put_run_summary(JsonObject& out, const NcuReport& report) {
  for (const auto& [key, id] : report.tables->averages) out.add(key, reading(report, id));
  out.add("averages", report.duration_us ? "weighted by kernel duration" : "unweighted: the file has no durations",
          "total_kernel_duration_us", report.duration_us, "kernels_with_duration_data",
          std::ranges::count_if(report.kernels, [](const Kernel& k) { return k.duration_us.has_value(); }), "kernel_count",
          report.kernels.size(), "launch_count", report.launches, "kernels_with_ncu_data", report.kernels_with_data,
          "kernels_with_warp_stall_data", report.kernels_with_stalls);
  put_stalls(out, report.stalls);
  out.add("dominant_warp_stall", report.dominant_stall.empty() ? "unknown" : report.dominant_stall, "memory_stall_fraction",
          report::stall_fraction(report.stalls, "memory"), "compute_stall_fraction", report::stall_fraction(report.stalls, "compute"),
          "sync_stall_fraction", report::stall_fraction(report.stalls, "sync"));
  put_limiters(out, "occupancy_limiting_factor_counts", report);
  std::vector<std::string_view> causes;
  for (const auto& [limiter, count] : counts_of_limiters(report)) causes.push_back(limiter);
  out.add("occupancy_limit_causes", causes);
  put_roofline(out, report.roofline);
}

// The two labels after the primary one.
std::vector<std::string_view> secondary(const std::vector<Finding>& findings, std::string_view primary) {
  std::vector<std::string_view> labels;
  for (const Finding& finding : findings) {
    if (finding.id() != primary && labels.size() < 2) labels.push_back(finding.id());
  }
  return labels;
}

void put_inconclusive(JsonObject& out, const std::vector<Finding>& others) {
  out.list("cannot_tell", findings_with(others, model::Verdict::cannot_tell),
           [](JsonObject& inner, const Finding* finding) { inner.add("label", finding->id(), "collect", finding->missing); });
}

void put_occupancy(JsonObject& out, const derive::OccupancyAnalysis& o) {
  out.add("achieved_occupancy_pct", rounded(o.achieved_pct, 2), "theoretical_occupancy_pct", rounded(o.theoretical_pct, 2),
          "theoretical_is_modelled", o.modelled, "occupancy_gap_pct", rounded(o.gap_pct(), 2), "occupancy_efficiency_pct",
          rounded(o.efficiency_pct(), 1), "primary_limiter", o.limiters.empty() ? std::nullopt : std::optional(o.limiter()), "all_limiters",
          o.limiters);
  out.object("blocks_per_sm_limits", [&](JsonObject& inner) {
    inner.add("registers", rounded(o.limit_registers, 0), "shared_memory", rounded(o.limit_shared_memory, 0), "warps",
              rounded(o.limit_warps, 0), "blocks", rounded(o.limit_blocks, 0), "barriers", rounded(o.limit_barriers, 0));
  });
  out.add("diagnosis", o.advice);
}

// What the launch attributes allow by our model (docs/contract.md, section 10.1).
void put_estimate(JsonObject& out, const derive::OccupancyEstimate& estimate) {
  const knowledge::Occupancy& o = estimate.occupancy;
  std::vector<std::string_view> limiting;
  for (const knowledge::OccupancyLimiter limiter : o.limiters) limiting.push_back(knowledge::to_string(limiter));
  out.add("occupancy_pct", rounded(o.occupancy_pct, 2), "active_blocks_per_sm", o.active_blocks, "active_warps_per_sm", o.active_warps,
          "limiting_factors", limiting, "missing", o.missing);
  out.object("blocks_per_sm_limits", [&](JsonObject& inner) {
    inner.add("registers", o.blocks_by_registers, "shared_memory", o.blocks_by_shared_memory, "warps", o.blocks_by_warps, "blocks",
              o.blocks_by_blocks);
  });
  out.object("device_limits", [&](JsonObject& inner) {
    inner.add("threads_per_sm", estimate.threads_per_sm, "blocks_per_sm", estimate.blocks_per_sm, "registers_per_sm",
              estimate.registers_per_sm, "shared_memory_per_sm_bytes", estimate.shared_bytes_per_sm);
  });
}

void put_tensor(JsonObject& out, const derive::TensorUse& use) {
  out.add("tc_utilization_pct", rounded(use.active_pct, 2), "tc_active", use.is_active, "tc_eligible", use.is_eligible,
          "fallback_to_cuda_cores", use.falls_back_to_cuda_cores, "mixed_precision_active", use.uses_mixed_precision,
          "mixed_precision_opportunity", use.could_use_mixed_precision, "efficiency_label", use.efficiency, "diagnoses", use.remarks);
}

void put_shape(JsonObject& out, const report::LaunchShape& shape) {
  out.add("grid", unless_empty(shape.grid), "block", unless_empty(shape.block), "launch_count", shape.launches, "duration_us",
          shape.duration_us, "primary_bottleneck", shape.primary);
  if (shape.mixed) out.add("mixed_shapes", true);
}

void put_bottlenecks(JsonObject& out, const std::vector<Finding>& findings, const report::SourceFile& file) {
  out.list("bottlenecks", findings, [&](JsonObject& inner, const Finding& finding) { put_bottleneck(inner, finding, file); });
}

void put_kernel(JsonObject& out, const Kernel& kernel, const report::SourceFile& file) {
  out.add("kernel_name", kernel.name, "short_name", kernel.short_name, "launch_count", kernel.launches, "duration_us", kernel.duration_us,
          "runtime_share_pct", rounded(kernel.runtime_share_pct, 2), "primary_bottleneck", kernel.primary, "secondary_bottlenecks",
          secondary(kernel.findings, kernel.primary));
  put_bottlenecks(out, kernel.findings, file);
  std::vector<std::string_view> ruled_out;
  for (const Finding* finding : findings_with(kernel.others, model::Verdict::clear)) ruled_out.push_back(finding->id());
  out.add("ruled_out", ruled_out);
  put_inconclusive(out, kernel.others);
  out.list("launch_shapes", kernel.shapes, put_shape);
  out.add("nvtx_ranges", kernel.ranges);
  put_hot_lines(out, kernel.hot);
}

void put_kernel_summary(JsonObject& out, const Kernel& kernel, std::string_view source) {
  constexpr std::string_view fields[] = {"registers_per_thread",
                                         "shared_memory_per_block_bytes",
                                         "threads_per_block",
                                         "grid_size",
                                         "waves_per_sm",
                                         "dram_throughput_pct",
                                         "memory_throughput_pct",
                                         "sm_throughput_pct",
                                         "l1tex_throughput_pct",
                                         "l2_throughput_pct",
                                         "memory_busy_pct",
                                         "tensor_core_utilization_pct",
                                         "l1_cache_hit_rate_pct",
                                         "l2_cache_hit_rate_pct",
                                         "global_load_sectors_per_request",
                                         "issue_slot_utilization_pct",
                                         "achieved_occupancy_pct",
                                         "theoretical_occupancy_pct",
                                         "eligible_warps_per_scheduler",
                                         "scheduler_active_pct"};
  const report::LaunchShape shape = kernel.shapes.empty() ? report::LaunchShape() : kernel.shapes[0];
  const auto dominant = std::ranges::find(kernel.stalls, kernel.dominant_stall, &report::Stall::reason);
  out.add("kernel_name", kernel.name);
  for (const std::string_view field : fields) out.add(field, reading(kernel, field));
  out.add("block_dims", unless_empty(shape.block), "grid_dims", unless_empty(shape.grid), "kernel_duration_us", kernel.duration_us);
  out.object("occupancy_estimate", kernel.occupancy.estimate, put_estimate);
  out.add("dominant_warp_stall", kernel.dominant_stall.empty() ? "unknown" : kernel.dominant_stall, "dominant_warp_stall_pct",
          rounded(dominant == kernel.stalls.end() ? std::nullopt : std::optional(dominant->pct), 2));
  put_stalls(out, kernel.stalls);
  out.object("metrics", [&](JsonObject& inner) {
    for (const report::Value& value : kernel.values) inner.add(value.id, value.value());
  });
  out.add("source", source);
}

void put_opportunity(JsonObject& out, const Kernel& kernel) {
  const RooflinePoint* main = kernel.roofline.main();
  out.add("kernel_name", kernel.name, "duration_us", kernel.duration_us, "runtime_share_pct", rounded(kernel.runtime_share_pct, 2));
  for (const std::string_view id :
       {"dram_throughput_pct", "tensor_core_utilization_pct", "achieved_occupancy_pct", "issue_slot_utilization_pct"})
    out.add(id, reading(kernel, id));
  out.add("mfu_pct", rounded(kernel.roofline.mfu_pct, 2), "arithmetic_intensity", of(main, &RooflinePoint::intensity), "roofline_region",
          unless_empty(kernel.roofline.region), "roofline_ceiling_tflops", of(main, &RooflinePoint::ceiling_tflops), "opportunity_score",
          kernel.opportunity_score, "opportunity", when<std::string_view>(kernel.opportunity_score.has_value(), kernel.opportunity));
  out.object("tc_analysis", [&](JsonObject& inner) { put_tensor(inner, kernel.tensor); });
  out.object("occupancy_analysis", [&](JsonObject& inner) { put_occupancy(inner, kernel.occupancy); });
}

void put_attribution(JsonObject& out, const NcuReport& report) {
  std::vector<const Kernel*> order = by_opportunity(report);
  order.resize(std::min<std::size_t>(order.size(), 5));
  out.add("has_runtime_share", report.duration_us.has_value(), "total_profiled_kernels", report.kernels.size());
  out.list("top_opportunities", order, [](JsonObject& inner, const Kernel* kernel) { put_opportunity(inner, *kernel); });
}

void put_tensor_summary(JsonObject& out, const NcuReport& report) {
  int with_data = 0, active = 0, eligible_inactive = 0, fallback = 0;
  bool has_opportunity = false;
  double sum = 0;
  std::string top;  // of the longest kernel that has something to say
  for (const Kernel& kernel : report.kernels) {
    const derive::TensorUse& use = kernel.tensor;
    fallback += use.falls_back_to_cuda_cores.value_or(false);
    has_opportunity = has_opportunity || use.could_use_mixed_precision.value_or(false);
    if (top.empty() && !use.remarks.empty()) top = kernel.short_name + ": " + use.remarks.front();
    if (use.active_pct) {
      ++with_data;
      sum += *use.active_pct;
      active += *use.is_active;
    }
    eligible_inactive += find_finding(kernel.findings, "tensor_core_underutilized") != nullptr;
  }
  const std::string_view label = with_data == 0          ? "no_data"
                                 : eligible_inactive > 0 ? "inactive"
                                 : active == 0           ? "no_data"
                                 : sum / with_data > 50  ? "efficient"
                                                         : "underutilized";
  out.add("kernels_with_tc_data", with_data, "kernels_tc_active", active, "kernels_tc_eligible_inactive", eligible_inactive,
          "kernels_fallback_to_cuda_cores", fallback, "avg_tc_utilization_pct",
          rounded(with_data ? std::optional(sum / with_data) : std::nullopt, 2), "any_mixed_precision_opportunity", has_opportunity,
          "overall_efficiency_label", label, "top_finding", top);
}

void put_gpu(JsonObject& out, const NcuReport& report) {
  out.add("name", unless_empty(report.gpu_name), "product", unless_empty(report.gpu_id), "compute_capability",
          unless_empty(report.compute_capability), "description", report.gpu, "note", report.gpu_note);
}

void put_validation(JsonObject& out, const report::Validation& validation) {
  out.add("valid", validation.valid, "preset", unless_empty(validation.preset), "present_metrics", validation.present);
  out.object("missing_metrics_by_preset", [&](JsonObject& inner) {
    for (const report::FamilyGap& gap : validation.missing_by_preset) inner.add(gap.preset, gap.missing);
  });
  out.add("warnings", validation.warnings, "errors", validation.errors);
}

void put_rule(JsonObject& out, const report::ProfilerRule& rule) {
  out.add("kernel_name", rule.kernel, "section", rule.section, "rule", rule.name, "type", rule.type, "text", rule.text,
          "estimated_speedup_pct", rounded(rule.estimated_speedup_pct, 2), "estimate_of",
          when<std::string_view>(rule.estimated_speedup_pct.has_value(), rule.is_local_estimate ? "part" : "kernel"), "line", rule.line);
}

// A reading may speak for a label twice.
std::vector<const model::Evidence*> distinct_evidence(const Finding& finding) {
  std::vector<const model::Evidence*> distinct;
  for (const model::Evidence& line : finding.evidence) {
    const auto same = [&](const model::Evidence* other) { return other->value.id == line.value.id; };
    if (std::ranges::none_of(distinct, same)) distinct.push_back(&line);
  }
  return distinct;
}

}  // namespace

void put_readings(JsonObject& out, const Finding& finding) {
  for (const model::Evidence* line : distinct_evidence(finding)) out.add(line->value.id, line->value.value());
}

void put_bottleneck(JsonObject& out, const Finding& finding, const report::SourceFile& file) {
  out.add("label", finding.id(), "display_name", finding.display(), "kind", name_of(finding.type->kind), "score", finding.score,
          "time_share", finding.time_share, "time_at_stake_us", microseconds(finding.time_at_stake), "time_at_stake_note",
          unless_empty(finding.time_at_stake ? finding.type->stake_note : std::string_view()), "explained_by",
          unless_empty(finding.consequence_of));
  out.object("evidence", &finding, put_readings);
  out.object("evidence_sources", [&](JsonObject& inner) {
    for (const model::Evidence* line : distinct_evidence(finding)) inner.add(line->value.id, source_text(line->value, file));
  });
}

void put_roofline(JsonObject& out, const derive::Roofline& roofline) {
  out.object("roofline", roofline.basis == derive::Roofline::Basis::none ? nullptr : &roofline, put_roofline_of);
}

void put_occupancy_summary(JsonObject& out, const NcuReport& report) {
  int with_data = 0, low = 0, gaps = 0;
  double achieved = 0, gap = 0, efficiency = 0;
  for (const Kernel& kernel : report.kernels) {
    const derive::OccupancyAnalysis& o = kernel.occupancy;
    if (!o.achieved_pct) continue;
    ++with_data;
    low += *o.achieved_pct < 40;
    achieved += *o.achieved_pct;
    if (!o.gap_pct()) continue;
    ++gaps;
    gap += *o.gap_pct();
    efficiency += o.efficiency_pct().value_or(0);
  }
  const auto counts = counts_of_limiters(report);
  const auto dominant = std::ranges::max_element(counts, {}, &std::pair<std::string_view, int>::second);  // the first of equal ones
  const auto mean = [](double sum, int count) { return count ? std::optional(sum / count) : std::nullopt; };
  out.object("occupancy_summary", [&](JsonObject& inner) {
    inner.add("kernels_with_occupancy_data", with_data, "kernels_low_occupancy", low);
    inner.add("avg_achieved_occupancy_pct", rounded(mean(achieved, with_data), 2), "avg_occupancy_gap_pct", rounded(mean(gap, gaps), 2),
              "avg_occupancy_efficiency_pct", rounded(mean(efficiency, gaps), 1));
    put_limiters(inner, "limiter_counts", report);
    inner.add("dominant_limiter", dominant == counts.end() ? std::nullopt : std::optional(dominant->first), "top_finding",
              report.kernels.empty() ? std::string_view() : report.kernels.front().occupancy.advice);
  });
}

void put_profile(JsonObject& out, const NcuReport& report) {
  const std::string_view source = report.tool == "nvprof"           ? "nvprof_csv"
                                  : report.tool == "Nsight Systems" ? "nsys_stats"
                                                                    : "nsight_compute_csv";
  const std::span<const report::ProfilerRule> rules = report.profiler_rules;
  out.add("schema", "ncu_analysis_v1", "source", report.source, "format", report.format);
  out.object("gpu", [&](JsonObject& inner) { put_gpu(inner, report); });
  out.add("kernel_count", report.kernels.size(), "launch_count", report.launches, "kernels_with_ncu_data", report.kernels_with_data,
          "primary_bottleneck", report.primary, "secondary_bottlenecks", secondary(report.findings, report.primary));
  put_bottlenecks(out, report.findings, report.file());
  out.object("diagnostic_scope", [&](JsonObject& inner) {
    inner.add("type", "measured_ncu", "confidence", report.confidence, "message", report.confidence_reason);
  });
  out.object("ncu_run_summary", [&](JsonObject& inner) { put_run_summary(inner, report); });
  out.list("kernels", report.kernels, [&](JsonObject& inner, const Kernel& kernel) { put_kernel(inner, kernel, report.file()); });
  out.list("kernel_summaries", report.kernels, [&](JsonObject& inner, const Kernel& kernel) { put_kernel_summary(inner, kernel, source); });
  out.object("kernel_attribution", [&](JsonObject& inner) { put_attribution(inner, report); });
  out.object("tc_summary", [&](JsonObject& inner) { put_tensor_summary(inner, report); });
  put_occupancy_summary(out, report);
  out.list("recommendations", report.advice.recommendations, put_recommendation);
  put_bundles(out, "bundles", report.advice);
  put_withheld(out, "withheld", report.advice);
  out.object("validation", [&](JsonObject& inner) { put_validation(inner, report.validation); });
  put_inconclusive(out, report.others);
  out.add("collect_command", unless_empty(report.collect_command), "notes", report.notes);
  out.list("nsight_says", rules.first(std::min<std::size_t>(rules.size(), 200)), put_rule);
  out.add("unknown_metric_count", report.unknown_metrics.size());
  out.object("classifier", [&](JsonObject& inner) {
    inner.add("classifier_version", "frx-labels-1", "thresholds_source", report.thresholds_source, "thresholds_hash",
              report.thresholds_hash, "sm_version", unless_empty(report.sm_version));
  });
}

}  // namespace frx::compose
