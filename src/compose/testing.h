// Small reports for the tests of the renderers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "answer/json.h"
#include "base/text.h"
#include "compose/documents.h"
#include "compose/explain.h"
#include "model/testing.h"
#include "render/style.h"
#include "report/report.h"

namespace frx::compose::testing {

inline report::Value value(std::string_view id, double number, std::string_view unit = "%") {
  model::Reading reading;
  reading.value = number;
  reading.line = 7;
  return {id, id, unit, "", "", reading};
}

inline model::Finding finding(std::string_view label, double score) {
  model::FindingType& type = model::testing::finding_type(label);
  type.display = "The Bottleneck";
  type.why = "Because of what was measured.";
  type.question = "Which access can be avoided?";
  type.preset = "memory";
  model::Finding finding = model::testing::finding(label);
  finding.score = score;
  finding.evidence.push_back({value("dram_pct", 92), "DRAM utilisation"});
  return finding;
}

inline report::Kernel kernel(std::string name, double microseconds, double share) {
  report::Kernel kernel;
  kernel.short_name = report::short_kernel_name(name);
  kernel.name = std::move(name);
  kernel.launches = 3;
  kernel.duration_us = microseconds;
  kernel.runtime_share_pct = share;
  kernel.primary = "memory_bandwidth_bound";
  kernel.opportunity = "low";
  kernel.has_data = true;
  return kernel;
}

inline advise::Recommendation recommendation(std::string_view title = "Move fewer bytes") {
  static const std::vector<std::string_view> actions = {"first action", "second action", "third action", "fourth action"};
  advise::Recommendation r;
  r.id = "rec_test";
  r.title = title;
  r.priority = "high";
  r.score = 0.87;
  r.tier = "next";
  r.effort = "medium";
  r.risk = "low";
  r.why = "Bytes cost time.";
  r.because = "DRAM is saturated.";
  r.actions = actions;
  r.risks = {"it may not help"};
  r.label = "memory_bandwidth_bound";
  r.triggered_by = "rule_test";
  r.estimated_speedup_pct_min = 20;
  r.estimated_speedup_pct_max = 60;
  advise::ValidationStep down{"dram__bytes.sum", {}, "DRAM bytes", "decrease", 4.0, "falls", 16.0, "sector/request"};
  advise::ValidationStep up{"lts__t_sector_hit_rate.pct", {}, "L2 hit rate", "increase", {}, "rises", {}, "%"};
  r.validation_steps = {down, up};
  return r;
}

// A kernel that saturates DRAM, with most metrics missing.
inline report::NcuReport small_report() {
  static const knowledge::Knowledge known = knowledge::Knowledge::load("").value();
  report::NcuReport report;
  report.tables = &known.tables;
  report.source = "report.csv";
  report.format = "Nsight Compute CSV";
  report.launches = report.timed_launches = 3;
  report.duration_us = 1000;
  report.gpu = "NVIDIA A100-SXM4-80GB (CC 8.0, from the file)";
  report.compute_capability = "8.0";
  report.primary = "memory_bandwidth_bound";
  report.primary_display = "The Bottleneck";
  report.confidence = "high";
  report.confidence_reason = "both sides were measured";
  report.findings.push_back(finding("memory_bandwidth_bound", 0.93));
  report.findings[0].time_at_stake = 80e3;
  report.values = {value("dram_throughput_pct", 92), value("l1_cache_hit_rate_pct", 0), value("issue_slot_utilization_pct", 14)};
  report.kernels.push_back(kernel("void ns::stream<float>(float*, int)", 1000, 100));
  report.advice.recommendations.push_back(recommendation());
  report.next_command = "frx profile --preset full --out after.csv -- ./your_app";
  return report;
}

inline std::string ncu_report_text(const report::NcuReport& report, const render::Style& style = {}) {
  return render::text_of(document_of(report, answer::Detail::full), style);
}
inline std::string ncu_brief_text(const report::NcuReport& report, const render::Style& style = {}) {
  return render::text_of(document_of(report, answer::Detail::brief), style);
}
inline std::string explain_prompt_text(const ExplainInput& input) { return render::text_of(explain_prompt_document(input), {}); }
inline std::string explain_summary_text(const ExplainInput& input) { return render::text_of(explain_summary_document(input), {}); }

inline answer::Json tree_of(const answer::Payload& payload) { return answer::Json::parse(answer::json_text_of(payload)); }

inline bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

// The lines wider than `width`, but for commands.
inline std::vector<std::string> too_wide(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  for (const std::string_view line : split(text, '\n')) {
    const std::string_view start = trim(line);
    const bool command = start.starts_with("ncu ") || start.starts_with("frx ") || start.starts_with("nvcc ");
    if (!command && display_width(line) > width) lines.emplace_back(line);
  }
  return lines;
}

// The text outside of the fences of a prompt.
inline std::string outside_fences(std::string_view text) {
  std::string outside, close;
  for (const std::string_view line : split(text, '\n')) {
    if (close.empty() && line.starts_with("<<<DATA-")) {
      close = std::string(line.substr(3)) + ">>>";
    } else if (!close.empty()) {
      if (line == close) close.clear();
    } else {
      outside += std::string(line) + '\n';
    }
  }
  return close.empty() ? outside : "a fence stays open";
}

}  // namespace frx::compose::testing
