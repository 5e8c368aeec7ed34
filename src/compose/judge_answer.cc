// What a judge says of a kernel, and what a check found in an answer, for people and for programs.

#include <algorithm>

#include "base/text.h"
#include "base/units.h"
#include "compose/judge.h"
#include "compose/parts.h"

namespace frx::compose {
namespace {

using answer::JsonObject;
using report::JudgeContract;
using report::JudgedBottleneck;
using report::JudgeProblem;
using report::JudgeSubject;
using report::SpeedOfLight;
using ReplyJson = nlohmann::ordered_json;

std::string_view name_of(JudgeContract contract) { return contract == JudgeContract::dual ? "dual" : "n"; }

// --- JSON ---

void put_judged_kernel(JsonObject& out, const JudgeSubject& subject) {
  out.add("name", subject.kernel->name, "launches", subject.kernel->launches, "selected_by", subject.selected_by);
  out.add("duration_us", subject.kernel->duration_us, "runtime_share_pct", subject.kernel->runtime_share_pct);
  out.add("primary_bottleneck", subject.kernel->primary);
}

void put_speed_of_light(JsonObject& out, const SpeedOfLight& light) {
  out.add("compute_sol_pct", light.compute_pct, "memory_sol_pct", light.memory_pct, "efficiency_pct", light.efficiency_pct);
  out.add("headroom_pct", light.headroom_pct(), "at_roofline", answer::when(light.efficiency_pct.has_value(), light.at_roofline));
  out.add("limiter", answer::unless_empty(light.limiter), "class", light.bound, "uses_tensor_cores", light.uses_tensor_cores);
  out.add("useful_bytes_pct", light.useful_bytes_pct, "useful_operations_pct", light.useful_operations_pct);
  out.add("warnings", light.warnings);
}

void put_judged_fix(JsonObject& out, const report::JudgedFix& fix) { out.add("fix", fix.fix, "rationale", fix.rationale); }

void put_judged_evidence(JsonObject& out, const report::JudgedEvidence& evidence) {
  out.add("metric", evidence.metric, "value", evidence.value, "unit", evidence.unit, "interpretation", evidence.interpretation);
}

void put_judged_cause(JsonObject& out, const report::JudgedCause& cause) {
  out.add("cause", cause.cause);
  out.list("evidence", cause.evidence, put_judged_evidence);
  out.list("fixes", cause.fixes, put_judged_fix);
}

void put_bottlenecks(JsonObject& out, const std::vector<JudgedBottleneck>& bottlenecks) {
  std::size_t rank = 0;
  out.list("bottlenecks", std::vector(bottlenecks), [&](JsonObject& inner, const JudgedBottleneck& one) {
    inner.add("rank", ++rank, "category", one.category, "summary", one.summary, "root_cause", one.root_cause);
    inner.add("suggestion", one.suggestion, "priority_metrics", one.priority_metrics, "expected_improvement", one.expected_improvement);
    inner.list("root_causes", one.causes, put_judged_cause);
    inner.add("confidence", one.confidence, "origin", one.origin);
  });
}

void put_problem(JsonObject& out, const JudgeProblem& problem) {
  out.add("code", problem.code, "where", problem.where, "message", problem.message);
  out.add("said", answer::unless_empty(problem.said), "actual", answer::unless_empty(problem.actual));
}

void put_judge_verdict(JsonObject& out, const report::JudgeVerdict& verdict) {
  out.add("valid", verdict.is_valid(), "score", answer::rounded(verdict.score(), 4), "checks", verdict.checks, "held", verdict.held);
  out.add("citations", verdict.citations);
  out.list("errors", verdict.errors, put_problem);
  out.list("warnings", verdict.warnings, put_problem);
  out.add("ask_again", answer::unless_empty(verdict.ask_again));
}

void put_judged(JsonObject& out, const JudgedAnswer& judged) {
  out.add("schema", "kdiag.v1", "profile", name_of(judged.demands.contract), "source", judged.subject.report->source);
  out.add("gpu", answer::unless_empty(judged.subject.report->gpu_name));
  out.object("kernel", [&](JsonObject& inner) { put_judged_kernel(inner, judged.subject); });
  out.object("roofline", [&](JsonObject& inner) { put_speed_of_light(inner, report::speed_of_light(judged.subject)); });
  out.object("support", [&](JsonObject& inner) {
    for (const auto& [category, support] : judged.judgement.support) inner.add(category, support);
  });
  put_bottlenecks(out, judged.judgement.bottlenecks);
  out.object("validation", judged.verdict, put_judge_verdict);
  out.add("notes", judged.notes);
}

void put_checked(JsonObject& out, const CheckedReply& checked) {
  out.add("schema", "kdiag_check.v1", "reply", checked.reply_name, "profile", name_of(checked.verdict.contract));
  out.add("source", checked.subject.report->source);
  out.object("kernel", [&](JsonObject& inner) { put_judged_kernel(inner, checked.subject); });
  out.object("extraction", [&](JsonObject& inner) { inner.add("path", checked.path, "repairs", checked.repairs); });
  out.object("validation", [&](JsonObject& inner) { put_judge_verdict(inner, checked.verdict); });
  put_bottlenecks(out, checked.verdict.bottlenecks);
}

// --- Text ---

void add_judged_subject(Document& page, const JudgeSubject& subject) {
  page.fact("Profile", as_name(subject.report->source));
  page.fact("GPU", as_name(subject.report->gpu));
  page.fact("Kernel", as_name(subject.kernel->name));
  const std::string share =
      subject.kernel->runtime_share_pct ? fmt::format(", {:.1f} % of the GPU time", *subject.kernel->runtime_share_pct) : "";
  page.fact("Chosen", fmt::format("{} of {}: {}{}", subject.kernel->launches, count_text(subject.report->launches, "launch"),
                                  subject.selected_by == "only" ? "the only kernel" : "by " + subject.selected_by, share));
  const SpeedOfLight light = report::speed_of_light(subject);
  if (light.efficiency_pct)
    page.fact("Roofline", fmt::format("compute {:.1f} %, memory {:.1f} % of peak: {}{}", *light.compute_pct, *light.memory_pct, light.bound,
                                      light.limiter.empty() ? "" : fmt::format(", busiest is {}", light.limiter)));
  else
    page.fact("Roofline", fmt::format("{}", fmt::join(light.warnings, "; ")));
  if (light.useful_bytes_pct) page.fact("Bytes needed", fmt::format("{:.1f} % of those that DRAM moved", *light.useful_bytes_pct));
  if (light.useful_operations_pct) page.fact("FLOP needed", fmt::format("{:.1f} % of those that were done", *light.useful_operations_pct));
}

void add_judged_bottlenecks(Document& page, const std::vector<JudgedBottleneck>& bottlenecks) {
  std::size_t rank = 0;
  for (const JudgedBottleneck& one : bottlenecks) {
    const std::string sure = one.confidence ? fmt::format(" (confidence {:.2f})", *one.confidence) : std::string();
    page.section(fmt::format("Bottleneck {}: {}", ++rank, one.category), sure, answer::Part::verdict);
    if (!one.summary.empty()) page.paragraph(one.summary);
    page.hanging("Cause    : ", one.root_cause);
    page.hanging("Change   : ", one.suggestion);
    page.hanging("At most  : ", one.expected_improvement);
    if (!one.priority_metrics.empty()) page.paragraph("Counters :");
    for (const std::string& metric : one.priority_metrics) page.hanging("- ", as_name(metric), 4);
  }
}

void add_judge_problems(Document& page, std::string_view heading, const std::vector<JudgeProblem>& problems, Tone tone) {
  if (problems.empty()) return;
  page.section(fmt::format("{} ({})", heading, problems.size()), answer::Part::verdict);
  for (const JudgeProblem& problem : problems)
    page.hanging("- ", fmt::format("{} [{}]: {}", problem.where, problem.code, problem.message), 2, tone);
}

Document judged_page(const JudgedAnswer& judged) {
  Document page;
  page.title("FRX kernel judgement");
  add_judged_subject(page, judged.subject);
  add_judged_bottlenecks(page, judged.judgement.bottlenecks);
  const bool is_of_model =
      std::ranges::any_of(judged.judgement.bottlenecks, [](const JudgedBottleneck& one) { return one.origin == "llm"; });
  if (judged.verdict && (is_of_model || judged.judgement.bottlenecks.empty())) {
    add_judge_problems(page, "Errors", judged.verdict->errors, Tone::red);
    add_judge_problems(page, "Warnings", judged.verdict->warnings, Tone::yellow);
  }
  add_notes(page, judged.notes);
  return page;
}

Document checked_page(const CheckedReply& checked) {
  const report::JudgeVerdict& verdict = checked.verdict;
  Document page;
  page.headline = verdict.is_valid() ? "The answer holds against the profile" : "The answer does not hold against the profile";
  page.title("FRX check of an answer");
  page.fact("Answer", as_name(checked.reply_name));
  const std::string repairs = checked.repairs.empty() ? "" : fmt::format(" (mended: {})", fmt::join(checked.repairs, "; "));
  page.fact("JSON", fmt::format("{}{}", checked.path, repairs));
  add_judged_subject(page, checked.subject);
  page.fact("Verdict", fmt::format("{}: {} of {} checks hold, {} quoted", verdict.is_valid() ? "valid" : "INVALID", verdict.held,
                                   verdict.checks, count_text(verdict.citations, "value")));
  add_judge_problems(page, "Errors", verdict.errors, Tone::red);
  add_judge_problems(page, "Warnings", verdict.warnings, Tone::yellow);
  if (!verdict.is_valid()) {
    page.section("To ask again", answer::Part::closing);
    page.paragraph("The JSON has the same words under \"ask_again\", to be sent to whoever gave the answer.");
  }
  return page;
}

ReplyJson causes_of(const JudgedBottleneck& one) {
  ReplyJson causes = ReplyJson::array();
  for (const report::JudgedCause& cause : one.causes) {
    ReplyJson evidence = ReplyJson::array(), fixes = ReplyJson::array();
    for (const report::JudgedEvidence& each : cause.evidence) {
      evidence.push_back(
          {{"metric", each.metric}, {"value", each.value ? ReplyJson(*each.value) : ReplyJson()}, {"interpretation", each.interpretation}});
    }
    for (const report::JudgedFix& fix : cause.fixes) fixes.push_back({{"fix", fix.fix}, {"rationale", fix.rationale}});
    causes.push_back({{"cause", cause.cause}, {"evidence", std::move(evidence)}, {"fixes", std::move(fixes)}});
  }
  return causes;
}

}  // namespace

nlohmann::ordered_json reply_of(const report::Judgement& judgement, JudgeContract contract) {
  if (contract == JudgeContract::list) {
    ReplyJson list = ReplyJson::array();
    for (const JudgedBottleneck& one : judgement.bottlenecks) {
      list.push_back(
          {{"category", one.category}, {"summary", one.summary}, {"reasoning", one.root_cause}, {"root_causes", causes_of(one)}});
    }
    return list;
  }
  ReplyJson pair = ReplyJson::object();
  for (std::size_t i = 0; i < judgement.bottlenecks.size(); ++i) {
    const JudgedBottleneck& one = judgement.bottlenecks[i];
    pair[fmt::format("bottleneck_{}", i + 1)] = {{"category", one.category},
                                                 {"root_cause", one.root_cause},
                                                 {"suggestion", one.suggestion},
                                                 {"priority_metrics", one.priority_metrics},
                                                 {"expected_improvement", one.expected_improvement}};
  }
  return pair;
}

answer::Answer answer_of(std::shared_ptr<const JudgedAnswer> judged) {
  answer::Answer answer;
  answer.what = "a judgement";
  answer.mode = "judge";
  answer.document = [judged](answer::Detail) { return judged_page(*judged); };
  answer.payload = [judged](JsonObject& out) { put_judged(out, *judged); };
  answer.kept = {judged};
  return answer;
}

answer::Answer answer_of(std::shared_ptr<const CheckedReply> checked) {
  answer::Answer answer;
  answer.what = "a check";
  answer.mode = "judge_check";
  answer.document = [checked](answer::Detail) { return checked_page(*checked); };
  answer.payload = [checked](JsonObject& out) { put_checked(out, *checked); };
  answer.kept = {checked};
  return answer;
}

}  // namespace frx::compose
