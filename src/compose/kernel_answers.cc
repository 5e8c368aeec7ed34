#include "compose/kernel_answers.h"

#include <algorithm>

#include "base/text.h"
#include "compose/parts.h"

namespace frx::compose {
namespace {

using answer::exact;
using answer::JsonObject;
using report::CheckOutcome;
using report::ContractCheck;
using report::ContractVerdict;
using report::GpuRoofline;
using report::MetricChange;
using report::ProfileDiff;

constexpr std::size_t metric_width = 30;

std::string_view word_of(MetricChange::Verdict verdict) {
  return verdict == MetricChange::Verdict::same ? "=" : verdict == MetricChange::Verdict::improved ? "IMPROVED" : "REGRESSED";
}

std::string verdict_words(const ProfileDiff& diff) {
  const derive::compare::Judgement& judgement = diff.judgement;
  if (!diff.is_comparable()) return "NOT COMPARABLE";
  const std::string interval = judgement.low
                                   ? fmt::format(": {:.3g} times as long (99 % sure: {:.3g} to {:.3g}; {} and {} samples)",
                                                 *judgement.ratio, *judgement.low, *judgement.high, judgement.first, judgement.second)
                                   : "";
  if (judgement.answer == derive::compare::Answer::better) return "IMPROVED" + interval;
  if (judgement.answer == derive::compare::Answer::worse) return "REGRESSED" + interval;
  if (diff.is_same()) return "SAME" + interval;
  return "CANNOT TELL: " + diff.why_not;
}

Document document_of_diff(const ProfileDiff& diff) {
  Document page;
  page.headline = "Kernel profiles: " + verdict_words(diff);
  page.command(fmt::format("=== CGP Diff: {} -> {} ===", printable(diff.before), printable(diff.after)), 0);
  page.blank();
  page.hanging("Time: ", verdict_words(diff), 2);
  for (const std::string& reason : diff.not_comparable) page.hanging("- ", reason, 4);
  if (!diff.metrics.empty()) page.blank();
  for (const MetricChange& one : diff.metrics) {
    const std::string change = one.change_pct ? fmt::format("{:+.1f}%", *one.change_pct) : "n/a";
    page.command(fmt::format("{} {:>12.2f} -> {:>12.2f}  {:>8}  {}", pad_right(one.metric, metric_width), one.before, one.after, change,
                             word_of(one.verdict)),
                 2);
  }
  if (!diff.metrics.empty()) page.paragraph("Medians as they are; only samples of time decide.", 2);
  if (!diff.notes.empty()) page.blank();
  for (const std::string& note : diff.notes) page.hanging("note: ", note, 2);
  return page;
}

void put_diff(JsonObject& out, const ProfileDiff& diff) {
  out.add("schema", "kernel_diff_v1", "before", diff.before, "after", diff.after, "outcome", report::outcome_of(diff), "not_comparable",
          diff.not_comparable, "why_not", answer::unless_empty(diff.why_not));
  out.add("ratio", exact(diff.judgement.ratio), "low", exact(diff.judgement.low), "high", exact(diff.judgement.high), "samples_before",
          diff.judgement.first, "samples_after", diff.judgement.second);
  out.list("metrics", diff.metrics, [](JsonObject& one, const MetricChange& change) {
    one.add("metric", change.metric, "before", exact(change.before), "after", exact(change.after), "change_pct", exact(change.change_pct),
            "verdict",
            change.verdict == MetricChange::Verdict::same       ? "same"
            : change.verdict == MetricChange::Verdict::improved ? "improved"
                                                                : "regressed");
  });
  out.add("notes", diff.notes);
}

void add_peaks(Document& page, const GpuRoofline& roofline) {
  page.command(fmt::format("{} {:>12} {:>18}", pad_right("Precision (dense)", metric_width), "TFLOP/s", "Ridge (FLOP/byte)"), 2);
  for (const report::GpuPeak& peak : roofline.peaks)
    page.command(fmt::format("{} {:>12.1f} {:>18}", pad_right(peak.precision, metric_width), peak.tflops,
                             peak.ridge ? fmt::format("{:.1f}", *peak.ridge) : "n/a"),
                 2);
}

Document document_of_roofline(const GpuRoofline& roofline) {
  Document page;
  page.headline = "CGP Roofline: " + roofline.gpu;
  page.command(fmt::format("=== {} (SM {}) ===", page.headline, roofline.compute_capability), 0);
  page.blank();
  page.fact("Bandwidth (DRAM)", roofline.bandwidth_gbps ? fmt::format("{:.1f} GB/s", *roofline.bandwidth_gbps) : "n/a");
  page.fact("Bandwidth (L2)", "n/a: no vendor publishes it");
  page.fact("Boost clock", roofline.boost_clock_mhz ? fmt::format("{:.0f} MHz", *roofline.boost_clock_mhz) : "n/a");
  page.hanging("GPU by: ", roofline.note, 2);
  page.blank();
  add_peaks(page, roofline);
  page.blank();
  if (!roofline.peaks.empty()) page.hanging("Peaks by: ", roofline.peaks.front().source, 2);
  page.hanging("Bandwidth by: ", roofline.bandwidth_source, 2);
  if (!roofline.kernels.empty()) page.section("Kernels");
  for (const report::PlacedKernel& one : roofline.kernels) {
    const std::string place =
        one.why_not.empty() ? fmt::format("{:.1f} FLOP/byte, {:.1f} TFLOP/s{}{}{}", *one.intensity, *one.tflops,
                                          one.precision.empty() ? "" : " of " + one.precision, one.bound.empty() ? "" : ", " + one.bound,
                                          one.efficiency_pct ? fmt::format(", {:.1f}% of the attainable", *one.efficiency_pct) : "")
                            : "no place: " + one.why_not;
    page.hanging(shorten(one.name, metric_width * 2) + ": ", place, 2);
  }
  return page;
}

void put_gpu_roofline(JsonObject& out, const GpuRoofline& roofline) {
  out.add("schema", "gpu_roofline_v1", "target", "cuda", "gpu", roofline.gpu, "gpu_id", roofline.id, "compute_capability",
          roofline.compute_capability, "boost_clock_mhz", exact(roofline.boost_clock_mhz), "dram_bandwidth_gbps",
          exact(roofline.bandwidth_gbps), "bandwidth_source", roofline.bandwidth_source);
  out.list("peaks", roofline.peaks, [](JsonObject& one, const report::GpuPeak& peak) {
    one.add("precision", peak.precision, "tflops", exact(peak.tflops), "ridge_point", exact(peak.ridge), "source", peak.source);
  });
  out.list("kernels", roofline.kernels, [](JsonObject& one, const report::PlacedKernel& placed) {
    one.add("file", placed.file, "name", placed.name, "precision", answer::unless_empty(placed.precision), "arithmetic_intensity",
            exact(placed.intensity), "tflops", exact(placed.tflops), "efficiency_pct", exact(placed.efficiency_pct), "bound",
            answer::unless_empty(placed.bound), "why_not", answer::unless_empty(placed.why_not));
  });
}

std::string_view mark_of(CheckOutcome outcome) {
  return outcome == CheckOutcome::passed ? "[PASS]" : outcome == CheckOutcome::failed ? "[FAIL]" : "[SKIP]";
}

Document document_of_verdicts(const std::vector<ContractVerdict>& verdicts) {
  Document page;
  page.headline = fmt::format("Contracts: {}", outcome_word(outcome_of(verdicts)));
  for (const ContractVerdict& verdict : verdicts) {
    page.command(fmt::format("=== Contract {} ({}): {} ===", printable(verdict.name.empty() ? verdict.kernel : verdict.name),
                             printable(verdict.file), outcome_word(verdict.outcome)),
                 0);
    for (const ContractCheck& check : verdict.checks)
      page.hanging(fmt::format("{} {}: ", mark_of(check.outcome), printable(check.name)), check.detail, 2);
    page.blank();
  }
  page.paragraph(fmt::format("Overall: {}", outcome_word(outcome_of(verdicts))), 0);
  return page;
}

void put_verdicts(JsonObject& out, const std::vector<ContractVerdict>& verdicts) {
  out.add("schema", "contract_verdict_v1", "outcome", outcome_word(outcome_of(verdicts)));
  out.list("contracts", verdicts, [](JsonObject& one, const ContractVerdict& verdict) {
    one.add("file", verdict.file, "name", answer::unless_empty(verdict.name), "kernel", verdict.kernel, "outcome",
            outcome_word(verdict.outcome));
    one.list("checks", verdict.checks, [](JsonObject& inner, const ContractCheck& check) {
      inner.add("name", check.name, "outcome", report::name_of(check.outcome), "detail", check.detail, "is_regression",
                check.is_regression);
    });
  });
}

template <typename What>
answer::Answer answer_with(std::shared_ptr<const What> what, std::string about, std::string mode, Document (*document)(const What&),
                           void (*put)(JsonObject&, const What&)) {
  answer::Answer answer;
  answer.what = std::move(about);
  answer.mode = std::move(mode);
  answer.document = [what, document](answer::Detail) { return document(*what); };
  answer.payload = [what, put](JsonObject& out) { put(out, *what); };
  return answer;
}

}  // namespace

answer::Answer answer_of(std::shared_ptr<const ProfileDiff> diff) {
  return answer_with(std::move(diff), "a comparison of profiles of kernels", "kernel_diff", document_of_diff, put_diff);
}

answer::Answer answer_of(std::shared_ptr<const GpuRoofline> roofline) {
  return answer_with(std::move(roofline), "the roofline of a GPU", "gpu_roofline", document_of_roofline, put_gpu_roofline);
}

CheckOutcome outcome_of(const std::vector<ContractVerdict>& verdicts) {
  const auto any = [&](CheckOutcome outcome) { return std::ranges::find(verdicts, outcome, &ContractVerdict::outcome) != verdicts.end(); };
  if (any(CheckOutcome::failed)) return CheckOutcome::failed;
  return verdicts.empty() || any(CheckOutcome::skipped) ? CheckOutcome::skipped : CheckOutcome::passed;
}

std::string_view outcome_word(CheckOutcome outcome) {
  return outcome == CheckOutcome::passed ? "kept" : outcome == CheckOutcome::failed ? "broken" : "inconclusive";
}

answer::Answer answer_of(std::shared_ptr<const std::vector<ContractVerdict>> verdicts) {
  return answer_with(std::move(verdicts), "contracts of kernels", "kernel_contracts", document_of_verdicts, put_verdicts);
}

}  // namespace frx::compose
