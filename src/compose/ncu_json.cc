#include "compose/ncu_json.h"

#include <algorithm>

#include "compose/hot_lines_json.h"
#include "compose/json.h"

namespace frx::compose {
namespace {

using report::Kernel;
using report::NcuReport;

template <typename Owner>
Json reading(const Owner& owner, std::string_view id, int digits = 2) {
  const report::Value* value = owner.value(id);
  return value ? number(value->value(), digits) : Json(nullptr);
}

Json stall_map(const std::vector<report::Stall>& stalls) {
  Json map = Json::object();
  for (const auto& [reason, value, kind] : stalls) map[reason] = number(value, 2);
  return map;
}

Json counts_of_limiters(const NcuReport& report) {
  Json counts = Json::object();
  for (const Kernel& kernel : report.kernels) {
    for (const std::string_view limiter : kernel.occupancy.limiters) {
      const std::string key(limiter);
      counts[key] = counts.value(key, 0) + 1;
    }
  }
  return counts;
}

// Time-weighted over the run; the names are the documented ones.
Json run_summary(const NcuReport& report) {
  Json summary;
  for (const auto& [key, id] : report.tables->averages) summary[std::string(key)] = reading(report, id);
  summary["averages"] = report.duration_us ? "weighted by kernel duration" : "unweighted: the file has no durations";
  summary["total_kernel_duration_us"] = number(report.duration_us, 4);
  summary["kernels_with_duration_data"] = std::count_if(report.kernels.begin(), report.kernels.end(), [](const Kernel& k) { return k.duration_us.has_value(); });
  summary["kernel_count"] = report.kernels.size();
  summary["launch_count"] = report.launches;
  summary["kernels_with_ncu_data"] = report.kernels_with_data;
  summary["kernels_with_warp_stall_data"] = report.kernels_with_stalls;
  summary["warp_stall_breakdown"] = stall_map(report.stalls);
  summary["dominant_warp_stall"] = report.dominant_stall.empty() ? "unknown" : report.dominant_stall;
  summary["memory_stall_fraction"] = number(report::stall_fraction(report.stalls, "memory"));
  summary["compute_stall_fraction"] = number(report::stall_fraction(report.stalls, "compute"));
  summary["sync_stall_fraction"] = number(report::stall_fraction(report.stalls, "sync"));
  const Json counts = counts_of_limiters(report);
  Json causes = Json::array();
  for (const auto& [name, count] : counts.items()) causes.push_back(name);
  summary["occupancy_limiting_factor_counts"] = counts;
  summary["occupancy_limit_causes"] = causes;
  summary["roofline"] = roofline_json(report.roofline);
  return summary;
}

Json bottlenecks(const std::vector<report::Finding>& findings, const report::SourceFile& file) {
  Json list = Json::array();
  for (const report::Finding& finding : findings) list.push_back(finding_json(finding, file));
  return list;
}

// The two labels after the primary one.
Json secondary(const std::vector<report::Finding>& findings, std::string_view primary) {
  Json list = Json::array();
  for (const report::Finding& finding : findings) {
    if (finding.label != primary && list.size() < 2) list.push_back(finding.label);
  }
  return list;
}

Json unknowns(const std::vector<report::Unknown>& unknowns) {
  Json list = Json::array();
  for (const report::Unknown& unknown : unknowns) list.push_back({{"label", unknown.label}, {"collect", unknown.counters}});
  return list;
}

Json occupancy_json(const derive::OccupancyAnalysis& o) {
  Json json;
  json["achieved_occupancy_pct"] = number(o.achieved_pct, 2);
  json["theoretical_occupancy_pct"] = number(o.theoretical_pct, 2);
  json["theoretical_is_modelled"] = o.modelled;
  json["occupancy_gap_pct"] = number(o.gap_pct(), 2);
  json["occupancy_efficiency_pct"] = number(o.efficiency_pct(), 1);
  json["primary_limiter"] = o.limiters.empty() ? Json(nullptr) : Json(o.limiter());
  json["all_limiters"] = o.limiters;
  json["blocks_per_sm_limits"] = {{"registers", number(o.limit_registers, 0)}, {"shared_memory", number(o.limit_shared_memory, 0)},
                                  {"warps", number(o.limit_warps, 0)}, {"blocks", number(o.limit_blocks, 0)},
                                  {"barriers", number(o.limit_barriers, 0)}};
  json["diagnosis"] = o.advice;
  return json;
}

Json shapes_json(const Kernel& kernel) {
  Json list = Json::array();
  for (const report::LaunchShape& shape : kernel.shapes) {
    Json entry;
    entry["grid"] = shape.grid.empty() ? Json(nullptr) : Json(shape.grid);
    entry["block"] = shape.block.empty() ? Json(nullptr) : Json(shape.block);
    entry["launch_count"] = shape.launches;
    entry["duration_us"] = number(shape.duration_us);
    entry["primary_bottleneck"] = shape.primary;
    if (shape.mixed) entry["mixed_shapes"] = true;
    list.push_back(std::move(entry));
  }
  return list;
}

Json kernel_json(const Kernel& kernel, const report::SourceFile& file) {
  Json json = object_for(12);
  json["kernel_name"] = kernel.name;
  json["short_name"] = kernel.short_name;
  json["launch_count"] = kernel.launches;
  json["duration_us"] = number(kernel.duration_us);
  json["runtime_share_pct"] = number(kernel.runtime_share_pct, 2);
  json["primary_bottleneck"] = kernel.primary;
  json["secondary_bottlenecks"] = secondary(kernel.findings, kernel.primary);
  json["bottlenecks"] = bottlenecks(kernel.findings, file);
  json["ruled_out"] = kernel.ruled_out;
  json["cannot_tell"] = unknowns(kernel.unknown);
  json["launch_shapes"] = shapes_json(kernel);
  json["nvtx_ranges"] = kernel.ranges;
  json["hot_lines"] = hot_lines_json(kernel.hot);
  json["hot_lines_ranked_by"] = hot_lines_rank(kernel.hot);
  return json;
}

Json kernel_summary(const Kernel& kernel, std::string_view source) {
  constexpr std::string_view fields[] = {
      "registers_per_thread", "shared_memory_per_block_bytes", "threads_per_block", "grid_size", "waves_per_sm",
      "dram_throughput_pct", "memory_throughput_pct", "sm_throughput_pct", "l1tex_throughput_pct", "l2_throughput_pct",
      "memory_busy_pct", "tensor_core_utilization_pct", "l1_cache_hit_rate_pct", "l2_cache_hit_rate_pct",
      "global_load_sectors_per_request", "issue_slot_utilization_pct", "achieved_occupancy_pct", "theoretical_occupancy_pct",
      "eligible_warps_per_scheduler", "scheduler_active_pct"};
  Json json = object_for(32);
  json["kernel_name"] = kernel.name;
  for (const std::string_view field : fields) json[std::string(field)] = reading(kernel, field);
  json["block_dims"] = kernel.shapes.empty() || kernel.shapes[0].block.empty() ? Json(nullptr) : Json(kernel.shapes[0].block);
  json["grid_dims"] = kernel.shapes.empty() || kernel.shapes[0].grid.empty() ? Json(nullptr) : Json(kernel.shapes[0].grid);
  json["kernel_duration_us"] = number(kernel.duration_us);
  json["dominant_warp_stall"] = kernel.dominant_stall.empty() ? "unknown" : kernel.dominant_stall;
  json["dominant_warp_stall_pct"] = nullptr;
  for (const auto& [reason, value, kind] : kernel.stalls) {
    if (reason == kernel.dominant_stall) json["dominant_warp_stall_pct"] = number(value, 2);
  }
  json["warp_stall_breakdown"] = stall_map(kernel.stalls);
  Json metrics = object_for(kernel.values.size());
  auto& members = metrics.get_ref<Json::object_t&>();  // ids are unique, so none is looked up
  for (const report::Value& value : kernel.values) members.emplace_back(value.id, number(value.value(), 4));
  json["metrics"] = std::move(metrics);
  json["source"] = source;
  return json;
}

Json attribution_entry(const Kernel& kernel) {
  Json json = object_for(16);
  json["kernel_name"] = kernel.name;
  json["duration_us"] = number(kernel.duration_us);
  json["runtime_share_pct"] = number(kernel.runtime_share_pct, 2);
  for (const std::string_view id : {"dram_throughput_pct", "tensor_core_utilization_pct", "achieved_occupancy_pct", "issue_slot_utilization_pct"}) {
    json[std::string(id)] = reading(kernel, id);
  }
  const derive::RooflinePoint* main = kernel.roofline.main();
  json["mfu_pct"] = number(kernel.roofline.mfu_pct, 2);
  json["arithmetic_intensity"] = main ? number(main->intensity) : Json(nullptr);
  json["roofline_region"] = kernel.roofline.region.empty() ? Json(nullptr) : Json(kernel.roofline.region);
  json["roofline_ceiling_tflops"] = main ? number(main->ceiling_tflops) : Json(nullptr);
  json["opportunity_score"] = number(kernel.opportunity_score);
  json["opportunity"] = kernel.opportunity_score ? Json(kernel.opportunity) : Json(nullptr);
  json["occupancy_analysis"] = occupancy_json(kernel.occupancy);
  return json;
}

Json attribution(const NcuReport& report) {
  std::vector<const Kernel*> order;
  for (const Kernel& kernel : report.kernels) order.push_back(&kernel);
  const bool has_share = report.duration_us.has_value();
  std::stable_sort(order.begin(), order.end(), [&](const Kernel* a, const Kernel* b) {
    // Scores with and without a share of time do not compare: timed kernels come first.
    if (has_share && a->duration_us.has_value() != b->duration_us.has_value()) return a->duration_us.has_value();
    return a->opportunity_score.value_or(-1) > b->opportunity_score.value_or(-1);
  });
  Json json;
  json["has_runtime_share"] = has_share;
  json["total_profiled_kernels"] = report.kernels.size();
  json["top_opportunities"] = Json::array();
  for (std::size_t i = 0; i < order.size() && i < 5; ++i) json["top_opportunities"].push_back(attribution_entry(*order[i]));
  return json;
}

Json tensor_summary(const NcuReport& report) {
  int with_data = 0, active = 0, eligible_inactive = 0;
  double sum = 0;
  for (const Kernel& kernel : report.kernels) {
    if (const report::Value* tensor = kernel.value("tensor_pct")) {
      ++with_data;
      sum += tensor->value();
      active += tensor->value() > 5;
    }
    eligible_inactive += std::any_of(kernel.findings.begin(), kernel.findings.end(),
                                     [](const report::Finding& f) { return f.label == "tensor_core_underutilized"; });
  }
  Json json;
  json["kernels_with_tc_data"] = with_data;
  json["kernels_tc_active"] = active;
  json["kernels_tc_eligible_inactive"] = eligible_inactive;
  json["avg_tc_utilization_pct"] = with_data ? number(sum / with_data, 2) : Json(nullptr);
  json["overall_efficiency_label"] = with_data == 0          ? "no_data"
                                     : eligible_inactive > 0 ? "inactive"
                                     : active == 0           ? "no_data"
                                     : sum / with_data > 50  ? "efficient"
                                                             : "underutilized";
  return json;
}

Json gpu_json(const NcuReport& report) {
  Json json;
  json["name"] = report.gpu_name.empty() ? Json(nullptr) : Json(report.gpu_name);
  json["product"] = report.gpu_id.empty() ? Json(nullptr) : Json(report.gpu_id);
  json["compute_capability"] = report.compute_capability.empty() ? Json(nullptr) : Json(report.compute_capability);
  json["description"] = report.gpu;
  json["note"] = report.gpu_note;
  return json;
}

Json validation_json(const report::Validation& validation) {
  Json json;
  json["valid"] = validation.valid;
  json["preset"] = validation.preset.empty() ? Json(nullptr) : Json(validation.preset);
  json["present_metrics"] = validation.present;
  json["missing_metrics_by_preset"] = Json::object();
  for (const report::FamilyGap& gap : validation.missing_by_preset) json["missing_metrics_by_preset"][gap.preset] = gap.missing;
  json["warnings"] = validation.warnings;
  json["errors"] = validation.errors;
  return json;
}

Json profiler_rules(const NcuReport& report) {
  Json list = Json::array();
  for (const report::ProfilerRule& rule : report.profiler_rules) {
    if (list.size() >= 200) break;
    list.push_back({{"kernel_name", rule.kernel}, {"section", rule.section}, {"rule", rule.name}, {"type", rule.type},
                    {"text", rule.text}, {"estimated_speedup_pct", number(rule.estimated_speedup_pct, 2)}, {"line", rule.line}});
  }
  return list;
}

}  // namespace

Json finding_json(const report::Finding& finding, const report::SourceFile& file) {
  Json json = object_for(10);
  json["label"] = finding.label;
  json["display_name"] = finding.display;
  json["kind"] = finding.kind;
  json["score"] = number(finding.score);
  json["time_share"] = number(finding.time_share);
  json["time_at_stake_us"] = number(finding.time_at_stake_us);
  json["explained_by"] = finding.explained_by.empty() ? Json(nullptr) : Json(finding.explained_by);
  json["evidence"] = Json::object();
  json["evidence_sources"] = Json::object();
  for (const report::EvidenceLine& line : finding.evidence) {
    json["evidence"][std::string(line.value.id)] = number(line.value.value());
    json["evidence_sources"][std::string(line.value.id)] = source_text(line.value, file);
  }
  return json;
}

Json roofline_json(const derive::Roofline& roofline) {
  if (roofline.basis == derive::Roofline::Basis::none) return nullptr;
  const derive::RooflinePoint* main = roofline.main();
  Json json;
  json["arithmetic_intensity"] = main ? number(main->intensity) : Json(nullptr);
  json["achieved_tflops"] = main ? number(main->achieved_tflops) : Json(nullptr);
  json["peak_tflops"] = main ? number(main->peak_tflops) : Json(nullptr);
  json["peak_bw_gbps"] = main ? number(main->peak_gbps, 1) : Json(nullptr);
  json["ridge_point"] = main ? number(main->ridge) : Json(nullptr);
  json["mfu_pct"] = number(roofline.mfu_pct, 2);
  json["roofline_region"] = roofline.region.empty() ? Json(nullptr) : Json(roofline.region);
  json["memory_utilization_pct"] = number(roofline.memory_utilization_pct, 2);
  json["roofline_ceiling_tflops"] = main ? number(main->ceiling_tflops) : Json(nullptr);
  json["of_ceiling_pct"] = main ? number(main->of_ceiling_pct, 2) : Json(nullptr);
  json["estimated"] = roofline.basis == derive::Roofline::Basis::estimated;
  json["explanation"] = roofline.explanation;
  json["points"] = Json::array();
  for (const derive::RooflinePoint& point : roofline.points) {
    json["points"].push_back({{"precision", point.precision}, {"level", point.level}, {"arithmetic_intensity", number(point.intensity)},
                              {"achieved_tflops", number(point.achieved_tflops)}, {"peak_tflops", number(point.peak_tflops)},
                              {"ceiling_tflops", number(point.ceiling_tflops)}});
  }
  return json;
}

Json occupancy_summary_json(const NcuReport& report) {
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
  const Json counts = counts_of_limiters(report);
  Json dominant = nullptr;
  int most = 0;
  for (const auto& [name, count] : counts.items()) {
    if (count.get<int>() > most) {
      most = count.get<int>();
      dominant = name;
    }
  }
  Json json;
  json["kernels_with_occupancy_data"] = with_data;
  json["kernels_low_occupancy"] = low;
  json["avg_achieved_occupancy_pct"] = with_data ? number(achieved / with_data, 2) : Json(nullptr);
  json["avg_occupancy_gap_pct"] = gaps ? number(gap / gaps, 2) : Json(nullptr);
  json["avg_occupancy_efficiency_pct"] = gaps ? number(efficiency / gaps, 1) : Json(nullptr);
  json["limiter_counts"] = counts;
  json["dominant_limiter"] = dominant;
  json["top_finding"] = report.kernels.empty() ? "" : report.kernels.front().occupancy.advice;
  return json;
}

Json ncu_json(const NcuReport& report) {
  Json json = object_for(32);
  json["schema"] = "ncu_analysis_v1";
  json["source"] = report.source;
  json["format"] = report.format;
  json["gpu"] = gpu_json(report);
  json["kernel_count"] = report.kernels.size();
  json["launch_count"] = report.launches;
  json["kernels_with_ncu_data"] = report.kernels_with_data;
  json["primary_bottleneck"] = report.primary;
  json["secondary_bottlenecks"] = secondary(report.findings, report.primary);
  json["bottlenecks"] = bottlenecks(report.findings, report.file());
  json["diagnostic_scope"] = {{"type", "measured_ncu"}, {"confidence", report.confidence}, {"message", report.confidence_reason}};
  json["ncu_run_summary"] = run_summary(report);
  json["kernels"] = Json::array();
  json["kernel_summaries"] = Json::array();
  for (const Kernel& kernel : report.kernels) {
    json["kernels"].push_back(kernel_json(kernel, report.file()));
    json["kernel_summaries"].push_back(kernel_summary(kernel, report.tool == "nvprof" ? "nvprof_csv" : "nsight_compute_csv"));
  }
  json["kernel_attribution"] = attribution(report);
  json["tc_summary"] = tensor_summary(report);
  json["occupancy_summary"] = occupancy_summary_json(report);
  json["recommendations"] = Json::array();
  for (const advise::Recommendation& recommendation : report.advice.recommendations) json["recommendations"].push_back(recommendation_json(recommendation));
  json["bundles"] = bundles_json(report.advice);
  json["withheld"] = withheld_json(report.advice);
  json["validation"] = validation_json(report.validation);
  json["cannot_tell"] = unknowns(report.unknown);
  json["collect_command"] = report.collect_command.empty() ? Json(nullptr) : Json(report.collect_command);
  json["notes"] = report.notes;
  json["nsight_says"] = profiler_rules(report);
  json["unknown_metric_count"] = report.unknown_metrics.size();
  json["classifier"] = {{"classifier_version", "frx-labels-1"}, {"thresholds_source", "data/bottlenecks"},
                        {"sm_version", report.sm_version.empty() ? Json(nullptr) : Json(report.sm_version)}};
  return json;
}

}  // namespace frx::compose
