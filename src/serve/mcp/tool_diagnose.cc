// diagnose: what limits a profile, a trace, a run or code, and what to change first.

#include <algorithm>

#include "base/text.h"
#include "base/units.h"
#include "serve/mcp/analysed.h"
#include "serve/mcp/diagnoses.h"

namespace frx::serve {
namespace {

Json item_of_recommendation(const Json& recommendation) {
  return {
      {"kind", "recommendation"},
      {"id", at(recommendation, "/id")},
      {"title", at(recommendation, "/title")},
      {"for", at(recommendation, "/label")},
      {"kernel", at(recommendation, "/kernel_name")},
      {"actions", at(recommendation, "/actions")},
      {"speedup_pct", Json::array({at(recommendation, "/estimated_speedup_pct_min"), at(recommendation, "/estimated_speedup_pct_max")})},
      {"risk", at(recommendation, "/risk")},
      {"effort", at(recommendation, "/effort")}};
}

void add_recommendations(const Json& recommendations, AgentAnswer& answer) {
  if (!recommendations.is_array() || recommendations.empty()) return;
  answer.first_action = action_of(recommendations[0]);
  for (std::size_t i = 1; i < recommendations.size(); ++i) answer.items.push_back(item_of_recommendation(recommendations[i]));
}

Json item_of_label(const Json& label) {
  const Json& display = label.contains("display_name") ? label["display_name"] : at(label, "/display");
  return {{"kind", "bottleneck"},
          {"id", at(label, "/label")},
          {"title", display},
          {"score", at(label, "/score")},
          {"consequence_of", at(label, "/explained_by")},
          {"time_at_stake_us", at(label, "/time_at_stake_us")},
          {"evidence", evidence_of(at(label, "/evidence"), at(label, "/evidence_sources"))}};
}

// The leading label's two first readings, in words.
std::string evidence_words_of(const Json& item) {
  std::vector<std::string> words;
  for (const Json& one : item["evidence"]) {
    if (words.size() < 3) words.push_back(fmt::format("{} {}", text_at(one, "/name"), one["value"].dump()));
  }
  return join(words, ", ");
}

std::string title_in(const Json& labels, std::string_view id) {
  for (const Json& label : labels) {
    if (text_at(label, "/label") == id) return text_at(label, label.contains("display_name") ? "/display_name" : "/display");
  }
  return std::string(id);
}

void diagnose_profile(const Json& result, AgentAnswer& answer) {
  const std::string primary = text_at(result, "/primary_bottleneck");
  const Json& labels = at(result, "/bottlenecks");
  for (const Json& label : labels) answer.items.push_back(item_of_label(label));
  std::ranges::stable_partition(answer.items, [&](const Json& item) { return text_at(item, "/id") == primary; });
  const bool has_label = !answer.items.empty() && text_at(answer.items[0], "/id") == primary;
  const std::optional<double> score = has_label ? number_at(answer.items[0], "/score") : std::nullopt;
  answer.verdict = score ? fmt::format("{} ({}) leads, with a score of {:.2f}", title_in(labels, primary), primary, *score)
                         : fmt::format("{}: {}", primary, text_at(result, "/diagnostic_scope/message"));
  const std::string because = text_at(result, "/recommendations/0/because"), numbers = has_label ? evidence_words_of(answer.items[0]) : "";
  answer.reason = because + (because.empty() || numbers.empty() ? "" : " ") + numbers;
  if (answer.reason.empty()) answer.reason = text_at(result, "/diagnostic_scope/message");
  add_recommendations(at(result, "/recommendations"), answer);
  answer.facts = {{"gpu", at(result, "/gpu/description")},
                  {"kernels", at(result, "/kernel_count")},
                  {"launches", at(result, "/launch_count")},
                  {"confidence", at(result, "/diagnostic_scope/confidence")},
                  {"top_kernel", at(result, "/kernels/0/short_name")}};
  answer.items_are = "bottlenecks, then further recommendations";
}

void diagnose_run(const Analysed& done, AgentAnswer& answer) {
  const Json& scope = done.scope();
  const Json& diagnosis = at(scope, "/diagnosis");
  std::string primary = text_at(diagnosis, "/user_facing_bottleneck");
  if (primary.empty()) primary = text_at(diagnosis, "/primary_bottleneck");
  const Json& labels = at(scope, "/bottlenecks");
  for (const Json& label : labels) answer.items.push_back(item_of_label(label));
  std::ranges::stable_partition(answer.items, [&](const Json& item) { return text_at(item, "/id") == primary; });
  answer.verdict = primary.empty()
                       ? "nothing that was recorded limits the run"
                       : fmt::format("{} ({}), confidence {}", title_in(labels, primary), primary, text_at(diagnosis, "/confidence/level"));
  std::vector<std::string> why;
  for (const Json& sentence : at(diagnosis, "/why")) why.push_back(sentence.is_string() ? sentence.get<std::string>() : "");
  answer.reason = join(why, " ");
  if (answer.reason.empty()) answer.reason = text_at(diagnosis, "/confidence/reason");
  add_recommendations(at(diagnosis, "/recommendations"), answer);
  answer.facts = {{"steps", at(scope, "/step_count")},
                  {"scope", at(scope, "/scope/name")},
                  {"step_ns", at(scope, "/run_summary/step_time_avg_ns")},
                  {"gpu_busy", at(scope, "/facts/gpu_busy_fraction")},
                  {"ranks", at(done.result, "/rank_count")}};
  answer.items_are = "bottlenecks, then further recommendations";
}

void diagnose_code(const Analysed& done, AgentAnswer& answer) {
  const std::vector<Json> findings = done.findings();
  for (const Json& finding : findings) answer.items.push_back(item_of_finding(finding));
  const std::size_t unread = static_cast<std::size_t>(number_at(done.result, "/failed_count").value_or(0));
  const std::string not_read = unread > 0 ? fmt::format("; {} could not be read", count_text(unread, "file")) : "";
  answer.items_are = "findings, the most severe first";
  answer.facts = {{"files", at(done.result, "/file_count")},
                  {"kernels", at(done.result, "/kernel_count")},
                  {"withheld", at(done.result, "/withheld_count")}};
  if (findings.empty()) {
    answer.verdict = "nothing was found in the code" + not_read + ", which proves nothing about its speed";
    return;
  }
  const Json& worst = answer.items[0];
  answer.verdict = fmt::format("{}, the most severe {} at {}{}", count_text(findings.size(), "finding"), text_at(worst, "/id"),
                               text_at(worst, "/place"), not_read);
  answer.reason = text_at(worst, "/text");
  answer.first_action = {
      {"id", worst["id"]}, {"title", worst["do"]}, {"actions", Json::array({worst["do"]})}, {"check", worst["refuted_by"]}};
}

void diagnose_layers(const Json& result, AgentAnswer& answer) {
  const Json& diagnoses = at(result, "/diagnoses");
  answer.items_are = "diagnoses that several layers were asked about";
  for (const Json& one : diagnoses) {
    answer.items.push_back({{"kind", "diagnosis"},
                            {"id", at(one, "/label")},
                            {"title", at(one, "/display_name")},
                            {"severity", at(one, "/severity")},
                            {"kernel", at(one, "/kernel")},
                            {"confidence", at(one, "/confidence")},
                            {"confirmed_by", at(one, "/layers_confirming")},
                            {"contradicted_by", at(one, "/layers_contradicting")},
                            {"do", at(one, "/fix_summary")}});
  }
  answer.facts = {{"layers", at(result, "/layers_available")}};
  if (answer.items.empty()) {
    answer.verdict = "the layers agree on no cause";
    return;
  }
  const Json& first = answer.items[0];
  answer.verdict = fmt::format("{} ({}), confidence {}", text_at(first, "/title"), text_at(first, "/id"), text_at(first, "/confidence"));
  answer.reason = "confirmed by " + first["confirmed_by"].dump();
  answer.first_action = {{"id", at(diagnoses, "/0/recommendation_ids/0")},
                         {"title", first["do"]},
                         {"actions", Json::array({first["do"]})},
                         {"check", at(diagnoses, "/0/missing_evidence/ncu_command")}};
}

Result<AgentAnswer> diagnose(const ToolCall& call) {
  TRY_ASSIGN(const std::vector<std::string> paths, call.paths());
  TRY_ASSIGN(const std::unique_ptr<Analysed> done, analysed(call, paths));
  AgentAnswer answer;
  if (done->is_profile())
    diagnose_profile(done->result, answer);
  else if (done->is_run())
    diagnose_run(*done, answer);
  else if (done->is_code())
    diagnose_code(*done, answer);
  else
    diagnose_layers(done->result, answer);
  answer.next_measurement = next_of(*done);
  answer.full = done->command();
  return answer;
}

}  // namespace

constinit const Tool diagnose_tool{.name = "diagnose",
                                   .title = "What limits this GPU work",
                                   .description =
                                       "Diagnoses an Nsight Compute report or export, a PyTorch or Nsight Systems trace, a run bundle, "
                                       "CUDA source, PTX or device code: a verdict, the "
                                       "reason, the first action and how to check it, then ranked details with where each number was read. "
                                       "Several paths of one program are "
                                       "reconciled. What was not measured is named and never taken for zero.",
                                   .arguments = R"({
      "path": {"type": "string", "description": "file or folder below a root"},
      "paths": {"type": "array", "items": {"type": "string"}, "description": "instead of path: source, PTX and profile of one program"},
      "gpu_model": {"type": "string", "description": "the GPU, where the files do not say it: H100, sm_90"},
      "pedantic": {"type": "boolean", "description": "CUDA source: also style, and guesses that the source alone does not settle"}})",
                                   .required = "[]",
                                   .call = diagnose};

}  // namespace frx::serve
