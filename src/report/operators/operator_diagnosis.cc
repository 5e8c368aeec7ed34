#include "report/operators/operator_diagnosis.h"

#include <algorithm>

namespace frx::report {
namespace {

constexpr std::size_t counters_named = 4;  // of those that would decide

// Counters of the labels that might lead, the first labels first.
std::vector<std::string> missing_in(const NcuReport& report) {
  std::vector<std::string> counters;
  for (const model::Finding* finding : findings_with(report.others, model::Verdict::cannot_tell)) {
    for (const std::string_view counter : finding->missing) {
      if (counters.size() < counters_named && std::ranges::find(counters, counter) == counters.end()) counters.emplace_back(counter);
    }
  }
  return counters;
}

OperatorDiagnosis::Advice advice_of(const advise::Recommendation& recommendation) {
  OperatorDiagnosis::Advice advice;
  advice.id = recommendation.id;
  advice.title = recommendation.title;
  advice.why = recommendation.why;
  advice.label = recommendation.label;
  if (!recommendation.actions.empty()) advice.first_action = recommendation.actions.front();
  advice.at_most_pct = recommendation.speedup_bound_pct;
  return advice;
}

OperatorDiagnosis diagnosis_of(const NcuReport& report) {
  OperatorDiagnosis result;
  result.label = report.primary;
  result.display = report.primary_display;
  result.confidence = report.confidence;
  for (const model::Finding& finding : report.findings) {
    if (finding.id() != report.primary) {
      result.others.emplace_back(finding.id());
      continue;
    }
    if (!report.is_decided()) continue;
    result.score = finding.score;
    const Kernel* const kernel = report.kernels.size() < 2 ? nullptr : report.kernel_of(finding);
    if (kernel) result.kernel = kernel->short_name;
    for (const model::Evidence& line : finding.evidence) {
      const Value& value = line.value;
      if (line.is_known)
        result.evidence.push_back(
            {std::string(value.id), std::string(value.label), std::string(value.unit), value.value(), source_text(value, report.file())});
    }
  }
  if (!report.advice.recommendations.empty()) result.advice = advice_of(report.advice.recommendations.front());
  if (!result.score) result.missing = missing_in(report);
  return result;
}

}  // namespace

Result<> diagnose_operators(OperatorReport& report, Analyst& analyst) {
  std::size_t done = 0;
  for (OperatorSum& sum : report.operators) {
    const bool is_large = 100 * static_cast<double>(sum.gpu_ns) >= least_diagnosed_pct * static_cast<double>(report.kernel_ns);
    if (!sum.launches || !is_large || done == most_diagnosed) continue;
    ++done;
    TRY_ASSIGN(const NcuReport* about, analyst.analyse(*sum.launches));
    sum.diagnosis = diagnosis_of(*about);
  }
  return {};
}

}  // namespace frx::report
