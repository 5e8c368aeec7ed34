#include "compose/answers.h"

#include "base/units.h"
#include "compose/findings.h"
#include "compose/fleet_words.h"
#include "compose/payloads.h"
#include "compose/prediction_scores.h"

namespace frx::compose {
namespace {

using answer::Answer;
using answer::Detail;

template <typename Report>
Answer made_of(std::string_view what, std::string_view mode, std::shared_ptr<const Report> report,
               void (*put)(JsonObject&, const Report&)) {
  Answer answer{.what = std::string(what), .mode = std::string(mode)};
  answer.payload = [report, put](JsonObject& out) { put(out, *report); };
  if constexpr (requires { document_of(*report); }) {
    answer.document = [report](Detail) { return document_of(*report); };
  }
  answer.kept.push_back(std::move(report));
  return answer;
}

// With the findings that `list` of the report leads to.
template <typename Report>
Answer of_code(std::string_view what, std::string_view mode, std::shared_ptr<const Report> report, void (*put)(JsonObject&, const Report&),
               const std::vector<model::Finding>& findings) {
  Answer answer = made_of(what, mode, std::move(report), put);
  answer.issues = [&findings] {
    answer::Issues issues;
    for (const model::Finding& finding : findings) issues.found.push_back(issue_of(finding));
    return issues;
  };
  return answer;
}

// A label of a profile as a scanner shows it: in the file of the profile, which has no lines of code.
struct ProfileIssue {
  std::string message, kernel;
  const model::Finding* label = nullptr;
};

std::vector<ProfileIssue> profile_issues_of(const report::NcuReport& report) {
  std::vector<ProfileIssue> issues;
  for (const model::Finding& label : report.findings) {
    // What only follows from another label, or is about the whole, is no finding of its own.
    if (!label.fires() || !label.consequence_of.empty() || label.type->kind == model::FindingKind::state) continue;
    const report::Kernel* kernel = report.kernel_of(label);
    const std::string evidence = evidence_words(label);
    issues.push_back({fmt::format("{}, score {:.2f}{}{}", label.display(), label.score, evidence.empty() ? "" : ": ", evidence),
                      kernel ? kernel->short_name : "", &label});
  }
  return issues;
}

answer::Issues issues_of(const report::NcuReport& report, const std::vector<ProfileIssue>& labels) {
  answer::Issues issues;
  for (const ProfileIssue& one : labels) {
    issues.found.push_back({.rule = one.label->id(),
                            .category = "profile",
                            .severity = severity_of(one.label),
                            .confidence = report.confidence,
                            .message = one.message,
                            .advice = one.label->type->why,
                            .kernel = one.kernel,
                            .place = {.file = report.source},
                            .more_places = {}});
  }
  return issues;
}

// The labels of a run or trace, in that file: those that hold and follow from no other.
answer::Issues issues_of(const diagnose::TrainingDiagnosis& diagnosis, std::string_view file) {
  answer::Issues issues;
  for (const model::Finding& label : diagnosis.findings) {
    if (!label.fires() || !label.consequence_of.empty() || label.type->kind == model::FindingKind::state) continue;
    issues.found.push_back({.rule = label.id(),
                            .category = "run",
                            .severity = severity_of(&label),
                            .confidence = diagnosis.confidence_level,
                            .message = label.message.view(),
                            .advice = {},
                            .kernel = {},
                            .place = {.file = file},
                            .more_places = {}});
  }
  return issues;
}

template <typename Report>
Answer with_scope(std::string_view what, std::string_view mode, std::shared_ptr<const Report> report,
                  void (*put)(JsonObject&, const Report&), std::string scope) {
  Answer answer = made_of(what, mode, report, put);
  answer.issues = [report, scope] { return issues_of(report->scope_named(scope).diagnosis, report->source); };
  answer.document = [report = std::move(report), scope = std::move(scope)](Detail) { return document_of(*report, scope); };
  return answer;
}

std::vector<answer::BriefFile> brief_of(Document summary, Document prompt, answer::Payload evidence) {
  return {{"frx_summary.txt", std::move(summary), {}},
          {"frx_llm_prompt.txt", std::move(prompt), {}},
          {"frx_evidence.json", {}, std::move(evidence)}};
}

std::string kept_words(const KeptPredictions& kept) {
  const std::string text = fmt::format("{} added to {}", count_text(kept.added, "prediction"), kept.ledger);
  return kept.known > 0 ? fmt::format("{}, {} stood there already", text, kept.known) : text;
}

}  // namespace

Answer answer_of(std::shared_ptr<const report::BenchReport> report) { return made_of("a benchmark", "", std::move(report), put_bench); }

Answer answer_of(std::shared_ptr<const report::CudaReport> report) {
  const auto& findings = report->findings;
  return of_code("CUDA source", "cuda_source", std::move(report), put_cuda, findings);
}

Answer answer_of(std::shared_ptr<const report::DeviceReport> report) {
  const auto& findings = report->findings;
  return of_code("device code", "device_code", std::move(report), put_device, findings);
}

Answer answer_of(std::shared_ptr<const report::PtxReport> report, const std::optional<KernelSource>& source) {
  const auto& findings = report->diagnosis.findings;
  Answer answer = of_code("PTX", "ptx", report, put_ptx, findings);
  answer.brief = [input = PtxBrief{*report, source.value_or(KernelSource())}] {
    return brief_of(ptx_summary_document(input), ptx_prompt_document(input), [&input](JsonObject& out) { put_explanation(out, input); });
  };
  return answer;
}

Answer answer_of(std::shared_ptr<const report::EvidenceReport> report) {
  return made_of("evidence of several layers", "reconciliation", std::move(report), put_evidence);
}

Answer answer_of(std::shared_ptr<const report::RunComparison> comparison) {
  return made_of("a comparison of runs", "comparison", std::move(comparison), put_run_comparison);
}

Answer answer_of(std::shared_ptr<const report::RanksReport> report, std::string scope) {
  if (report->ranks.size() == 1)
    return answer_of(std::shared_ptr<const report::TraceReport>(report->ranks.front().trace), std::move(scope));
  return made_of("a set of traces", "ranks", std::move(report), put_ranks);
}

Answer answer_of(std::shared_ptr<const report::FleetReport> report) {
  return made_of("a set of summaries", "fleet", std::move(report), put_fleet_report);
}

Answer answer_of(std::shared_ptr<const report::TraceReport> report, std::string scope) {
  return with_scope("a trace", "trace", std::move(report), put_trace, std::move(scope));
}

Answer answer_of(std::shared_ptr<const report::RunReport> report, const std::string& scope) {
  Answer answer = with_scope("a run bundle", "run_bundle", report, put_run, scope);
  answer.brief = [report, &chosen = report->scope_named(scope)] {
    return brief_of(run_summary(*report, chosen), run_prompt(*report, chosen),
                    [report, &chosen](JsonObject& out) { put_run_brief(out, *report, chosen); });
  };
  return answer;
}

Answer answer_of(std::shared_ptr<const report::NcuReport> report, const std::optional<ExplainInput>& brief) {
  Answer answer = made_of("a profile", "ncu", report, put_profile);
  answer.document = [report](Detail detail) { return document_of(*report, detail); };
  answer.issues = [report, labels = std::make_shared<const std::vector<ProfileIssue>>(profile_issues_of(*report))] {
    return issues_of(*report, *labels);
  };
  answer.brief = [input = brief ? *brief : ExplainInput{*report}] {
    return brief_of(explain_summary_document(input), explain_prompt_document(input),
                    [&input](JsonObject& out) { put_explanation(out, input); });
  };
  return answer;
}

Answer answer_of(std::shared_ptr<const report::NcuComparison> comparison, std::optional<KeptPredictions> kept) {
  Answer answer = made_of("a comparison of profiles", "comparison", comparison, put_ncu_comparison);
  if (!kept) return answer;
  answer.document = [comparison, kept](Detail) {
    Document page = document_of(*comparison);
    page.blank();
    page.paragraph(kept_words(*kept), 0);
    return page;
  };
  answer.payload = [comparison, kept](JsonObject& out) {
    put_ncu_comparison(out, *comparison, [&](JsonObject& predictions) {
      predictions.object("ledger",
                         [&](JsonObject& ledger) { ledger.add("file", kept->ledger, "added", kept->added, "already_there", kept->known); });
    });
  };
  return answer;
}

Answer answer_of(std::shared_ptr<const report::ImplementationComparison> comparison, bool with_evidence) {
  Answer answer =
      made_of("a comparison of implementations", with_evidence ? "compare" : "comparison", comparison, put_implementation_comparison);
  answer.issues = [comparison] {
    answer::Issues issues;
    for (const report::FindingChange* change : comparison->changes(report::Change::appeared))
      issues.found.push_back(issue_of(*change->second));
    return issues;
  };
  if (!with_evidence) return answer;
  answer.payload = [c = std::move(comparison)](JsonObject& out) {
    out.object("comparison", c, put_implementation_comparison);
    out.object("reconciliation", c->first_evidence, put_evidence);
    out.object("reconciliation_b", c->second_evidence, put_evidence);
    put_evidence_failures(out, *c);
  };
  return answer;
}

}  // namespace frx::compose
