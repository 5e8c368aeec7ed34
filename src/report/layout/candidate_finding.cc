#include "report/layout/candidate_finding.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <set>

#include "report/layout/layout_analyst.h"
#include "report/layout/layout_totals.h"

namespace frx::report {
namespace {

using LayoutCandidate = derive::layout::Candidate;
using derive::layout::OperatorRole;
using knowledge::LayoutDetector;
using knowledge::LayoutPattern;

// What only a log tells has no place in the trace.
derive::layout::Site site_of_log(const LayoutCandidate& candidate) {
  derive::layout::Site site;
  const auto word = [&](std::string_view name) {
    const auto at = candidate.words.find(name);
    return at == candidate.words.end() ? std::string() : at->second;
  };
  site.file = word("file");
  site.function = word("function");
  const std::string line = word("line");
  std::from_chars(line.data(), line.data() + line.size(), site.line);
  site.op_path = "torch.compile";
  return site;
}

}  // namespace

std::string shown_number(double value) {
  if (value == std::round(value) && std::abs(value) < 1e15) return fmt::format("{:.0f}", value);
  return std::abs(value) >= 1000 ? fmt::format("{:.0f}", value) : fmt::format("{:.3g}", value);
}

CandidateJudge::CandidateJudge(const derive::layout::LayoutTrace& trace, const knowledge::LayoutKnowledge& detectors,
                               const LayoutTotals& totals)
    : trace_(trace), detectors_(detectors), totals_(totals) {
  find_objections();
}

bool CandidateJudge::holds(const LayoutCandidate& candidate, const LayoutPattern& pattern) const {
  const auto facts = [&](std::string_view name) { return fact(candidate, name); };
  return detectors_.holds(pattern.when, facts).value_or(false);
}

LayoutFinding CandidateJudge::finding_of(const LayoutCandidate& candidate, const LayoutDetector& detector, const LayoutPattern& pattern,
                                         const derive::layout::Site* site) {
  LayoutFinding finding;
  finding.detector = std::string(detector.id);
  finding.pattern = std::string(pattern.id);
  finding.site = site ? *site : site_of_log(candidate);
  finding.id = fmt::format("{}.{}@{}", detector.id, pattern.id, finding.site.text());
  word(candidate, pattern, finding);
  finding.freq_per_step = candidate.count;
  finding.bytes_per_step = candidate.bytes;
  finding.time_us_per_step = candidate.time_ns / 1000;
  finding.time_share_pct = fact(candidate, "time_share_pct");
  finding.bytes_share_pct = fact(candidate, "bytes_share_pct");
  finding.confidence = candidate.confidence;
  finding.effort = pattern.effort;
  finding.risk = std::string(pattern.risk);
  finding.caveats = candidate.caveats;
  add_saving(candidate, finding);
  add_kernels(candidate, finding);
  add_evidence(candidate, finding);
  add_compatibility(candidate, finding);
  judge(finding);
  const auto facts = [&](std::string_view name) { return fact(candidate, name); };
  if (detectors_.holds(pattern.severe, facts).value_or(false)) finding.severity = LayoutSeverity::high;
  return finding;
}

void CandidateJudge::word(const LayoutCandidate& candidate, const LayoutPattern& pattern, LayoutFinding& finding) const {
  LayoutCandidate worded;  // without the lists of nodes and work, which may be long
  worded.node = candidate.node;
  worded.words = candidate.words;
  worded.facts = candidate.facts;
  add_words_of_node(worded);
  for (const knowledge::FactDefinition& one : detectors_.facts()) {
    if (const std::optional<double> value = fact(candidate, one.id)) worded.facts[std::string(one.id)] = *value;
  }
  finding.title = layout_words(pattern.title, worded);
  finding.fix = layout_words(pattern.fix, worded);
  finding.phrase = layout_words(pattern.phrase, worded);
  finding.code = layout_words(pattern.code, worded);
  finding.kind = std::string(pattern.kind);
  if (const auto format = candidate.words.find("format"); format != candidate.words.end()) finding.memory_format = format->second;
}

std::optional<double> CandidateJudge::fact(const LayoutCandidate& candidate, std::string_view name) const {
  if (name == "count_per_step") return candidate.count;
  if (name == "confidence") return candidate.confidence;
  if (name == "time_share_pct") return percent_of(candidate.time_ns / 1000, totals_.busy_us);
  if (name == "bytes_share_pct") return totals_.bw_overhead_pct ? percent_of(candidate.bytes, totals_.bytes) : std::nullopt;
  const auto at = candidate.facts.find(name);
  return at == candidate.facts.end() ? std::nullopt : std::optional(at->second);
}

void CandidateJudge::add_words_of_node(LayoutCandidate& candidate) const {
  if (candidate.node == derive::layout::none) return;
  candidate.words.try_emplace("operator", std::string(derive::layout::plain_name(trace_.name(candidate.node))));
  const derive::layout::RecordedInputs* const inputs = trace_.inputs(candidate.node);
  const derive::layout::RecordedTensor* const first = inputs ? derive::layout::tensor_at(*inputs, 0) : nullptr;
  if (!first) return;
  candidate.words.try_emplace("sizes", derive::layout::text_of(first->shape));
  if (first->strides) candidate.words.try_emplace("strides", derive::layout::text_of(*first->strides));
}

void CandidateJudge::add_saving(const LayoutCandidate& candidate, LayoutFinding& finding) const {
  // What is only to be measured is no saving yet.
  if (!candidate.saving || finding.kind == "measure") return;
  const derive::layout::SavedPerStep& saving = *candidate.saving;
  if (saving.of_cpu && !is_cpu_only()) {
    finding.saved_cpu_us = saving.best_ns / 1000;
    return;
  }
  const LayoutTotals& totals = totals_;
  // Whole microseconds cut both ends of each piece of work.
  const double off_us =
      trace_.timeline().whole_microseconds && saving.best_ns > 0 ? trace_.per_step(static_cast<double>(candidate.removed_work.size())) : 0;
  // Work that overlaps on several streams may be longer, taken together, than the GPU is busy.
  const auto low = percent_of(std::clamp(saving.low_ns / 1000 - off_us, 0.0, totals.busy_us), totals.busy_us);
  const auto best = percent_of(std::clamp(saving.best_ns / 1000 + off_us, 0.0, totals.busy_us), totals.busy_us);
  if (low && best) finding.saved_time_pct = LayoutShare{*low, *best};
  if (!totals.bw_overhead_pct || !candidate.bytes) return;
  const auto low_bytes = percent_of(saving.low_bytes, totals.bytes), best_bytes = percent_of(saving.best_bytes, totals.bytes);
  if (low_bytes && best_bytes) finding.saved_bytes_pct = LayoutShare{*low_bytes, *best_bytes};
}

// Those that the fix removes; where that is not known, all that its operators launched.
void CandidateJudge::add_kernels(const LayoutCandidate& candidate, LayoutFinding& finding) {
  std::set<std::uint32_t> pieces(candidate.removed_work.begin(), candidate.removed_work.end());
  if (pieces.empty()) {
    for (const std::uint32_t node : candidate.nodes) {
      const auto work = trace_.all_work(node);
      pieces.insert(work.begin(), work.end());
    }
  }
  std::map<std::string_view, std::int64_t> time_of;
  for (const std::uint32_t work : pieces) {
    if (trace_.timeline().kind[trace_.attribution().work[work].event] == model::EventKind::kernel)
      time_of[spelling_(trace_.kernel_name(work))] += trace_.duration(work);
  }
  std::vector<std::pair<std::int64_t, std::string_view>> by_time;
  for (const auto& [kernel, time] : time_of) by_time.emplace_back(-time, kernel);
  std::ranges::sort(by_time);
  for (const auto& [time, kernel] : by_time) finding.kernels.emplace_back(kernel);
}

// What may object to a change of layout. Where the layout of tensors changes for the whole model, it makes the change risky.
void CandidateJudge::add_compatibility(const LayoutCandidate& candidate, LayoutFinding& finding) const {
  finding.compatibility = objections_;
  if (candidate.facts.contains("views_of_images")) finding.compatibility.emplace_back("view_calls");
  if (finding.kind == "memory_format" && !objections_.empty()) finding.risk = "HIGH";
}

void CandidateJudge::find_objections() {
  bool custom = false, collective = false, compiled = false;
  for (const derive::layout::OperatorNode& node : trace_.nodes()) {
    if (node.step == derive::layout::none) continue;
    custom = custom || node.role == OperatorRole::custom;
    collective = collective || node.role == OperatorRole::collective;
    compiled = compiled || node.role == OperatorRole::compiled;
  }
  if (custom) objections_.emplace_back("custom_ops");
  if (collective) objections_.emplace_back("collectives");
  if (compiled) objections_.emplace_back("compile");
  const auto is_of_graph = [&](const derive::trace::GpuWork& work) {
    return work.launch != derive::layout::none && trace_.timeline().name_of(work.launch).find("GraphLaunch") != std::string_view::npos;
  };
  if (std::ranges::any_of(trace_.attribution().work, is_of_graph)) objections_.emplace_back("cuda_graphs");
}

void CandidateJudge::add_evidence(const LayoutCandidate& candidate, LayoutFinding& finding) const {
  constexpr std::size_t most_shown = 5;
  const model::Timeline& timeline = trace_.timeline();
  for (const std::uint32_t node : candidate.nodes) {
    if (finding.evidence.size() == most_shown) break;
    const derive::layout::OperatorNode& one = trace_.nodes()[node];
    if (one.step == derive::layout::none) continue;
    LayoutEvidence evidence{std::string(trace_.name(node)), static_cast<double>(timeline.start[one.row]) / 1000,
                            trace_.steps().numbers[one.step], std::nullopt};
    if (timeline.external[one.row] != model::Timeline::no_id) evidence.external_id = timeline.external[one.row];
    finding.evidence.push_back(std::move(evidence));
  }
  if (!finding.evidence.empty()) finding.first_step = finding.evidence.front().step;
}

void CandidateJudge::judge(LayoutFinding& finding) const {
  const knowledge::LayoutRanking& ranking = detectors_.ranking();
  const double share = std::max(finding.time_share_pct.value_or(0), finding.bytes_share_pct.value_or(0));
  finding.severity = share >= ranking.high_pct     ? LayoutSeverity::high
                     : share >= ranking.medium_pct ? LayoutSeverity::medium
                                                   : LayoutSeverity::low;
  // What has no known cause is a question, and fails no build.
  if (finding.kind == "measure") finding.severity = LayoutSeverity::low;
  const double saving = finding.best_saving_pct();
  finding.score = saving * finding.confidence * ranking.risk.at(finding.risk) / std::sqrt(finding.effort);
  finding.is_quick_win = finding.effort <= ranking.most_effort && finding.risk == ranking.quick_win_risk &&
                         saving >= ranking.least_saving_pct && finding.confidence >= ranking.least_confidence;
}

std::string layout_words(std::string_view words, const LayoutCandidate& candidate) {
  std::string text;
  while (!words.empty()) {
    const std::size_t open = words.find('{'), close = words.find('}', open == words.npos ? 0 : open);
    text += words.substr(0, open);
    if (open == words.npos || close == words.npos) break;
    const std::string_view name = words.substr(open + 1, close - open - 1);
    const auto word = candidate.words.find(name);
    const auto number = candidate.facts.find(name);
    if (word != candidate.words.end() && !word->second.empty()) {
      text += word->second;
    } else {
      text += number != candidate.facts.end() ? shown_number(number->second) : "?";
    }
    words.remove_prefix(close + 1);
  }
  return text;
}

}  // namespace frx::report
