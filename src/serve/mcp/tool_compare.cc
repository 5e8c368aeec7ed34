// compare: which of two versions is better, or that it is inconclusive; check_change: whether what the advice predicted came true.

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "base/units.h"
#include "serve/compare_files.h"
#include "serve/mcp/analysed.h"

namespace frx::serve {
namespace {

struct Compared {
  analyse::Context context;
  Json result = {};
  std::string before = {}, after = {};

  bool is_of(std::string_view schema) const { return text_at(result, "/schema") == schema; }
};

Result<std::unique_ptr<Compared>> compared_in(const ToolCall& call) {
  TRY_ASSIGN(const std::string before, call.path("before"));
  TRY_ASSIGN(const std::string after, call.path("after"));
  TRY_ASSIGN(analyse::Options options, call.options());
  auto done = std::make_unique<Compared>(Compared{.context = call.context(std::move(options))});
  TRY_ASSIGN(const answer::Answer answer,
             compare_files(ingest::Source::at(before), ingest::Source::at(after), "before", "after", done->context));
  done->result = json_of(answer);
  done->before = before;
  done->after = after;
  return done;
}

Json item_of_change(std::string_view kind, std::string_view id, const Json& before, const Json& after) {
  return {{"kind", kind}, {"id", id}, {"before", before}, {"after", after}};
}

void compare_profiles_in(const Json& result, AgentAnswer& answer) {
  const std::string verdict = text_at(result, "/verdict/answer"), why_not = text_at(result, "/verdict/why_not");
  const std::optional<double> speedup = number_at(result, "/verdict/kernel_speedup_x");
  answer.verdict = verdict == "cannot_tell" ? "inconclusive: " + (why_not.empty() ? text_at(result, "/verdict/outcome") : why_not)
                                            : "after is " + verdict;
  if (speedup)
    answer.reason =
        fmt::format("the kernels take 1/{:.3g} of the time; noise floor {} of it", *speedup, at(result, "/verdict/noise_floor").dump());
  for (const char* change : {"resolved", "new", "persistent", "improved"}) {
    for (const Json& label : at(result, fmt::format("/bottleneck_diff/{}", change)))
      answer.items.push_back({{"kind", "bottleneck"},
                              {"id", label},
                              {"text", change},
                              {"score_change", at(result, "/bottleneck_diff/score_deltas/" + label.get<std::string>())}});
  }
  const Json& deltas = at(result, "/metric_deltas");
  for (auto it = deltas.begin(); it != deltas.end(); ++it) {
    if (text_at(*it, "/direction") == "neutral") continue;
    Json item = item_of_change("metric", it.key(), at(*it, "/baseline"), at(*it, "/optimized"));
    item["unit"] = at(*it, "/unit");
    item["text"] = at(*it, "/direction");
    answer.items.push_back(std::move(item));
  }
  answer.facts = {{"caveats", at(result, "/caveats")},
                  {"before_us", at(result, "/kernel_time/baseline_us")},
                  {"after_us", at(result, "/kernel_time/optimized_us")}};
}

void compare_runs_in(const Json& result, AgentAnswer& answer) {
  const std::string verdict = text_at(result, "/verdict/answer");
  std::string why = text_at(result, "/verdict/why_not");
  if (const Json& reasons = at(result, "/verdict/not_comparable"); reasons.is_array() && !reasons.empty() && reasons[0].is_string())
    why = reasons[0].get<std::string>();
  std::ranges::replace(why, '_', ' ');
  answer.verdict = verdict == "cannot_tell" ? "inconclusive: " + why : "after is " + verdict;
  if (const std::optional<double> ratio = number_at(result, "/verdict/time_ratio")) {
    answer.reason = fmt::format("a step takes {:.3g} times as long", *ratio);
    const std::optional<double> low = number_at(result, "/verdict/time_ratio_low"), high = number_at(result, "/verdict/time_ratio_high");
    if (low && high) answer.reason += fmt::format(" (99 % sure: {:.3g} to {:.3g})", *low, *high);
  }
  if (const std::optional<double> steps = number_at(result, "/verdict/steps_needed"))
    answer.next_measurement = {{"why", "the steps scatter"},
                               {"command", fmt::format("record about {:.0f} steps on each side", std::ceil(*steps))}};
  for (const Json& part : at(result, "/step_parts"))
    answer.items.push_back(item_of_change("part of a step, ns", text_at(part, "/name"), at(part, "/a_ns"), at(part, "/b_ns")));
  for (const Json& kernel : at(result, "/kernels"))
    answer.items.push_back(item_of_change("kernel, ns", text_at(kernel, "/name"), at(kernel, "/a_ns"), at(kernel, "/b_ns")));
}

void compare_code_in(const Json& result, AgentAnswer& answer) {
  const std::string winner = text_at(result, "/verdict/overall_winner");
  answer.verdict = winner == "a" ? "after is worse" : winner == "b" ? "after is better" : "inconclusive";
  answer.verdict +=
      number_at(result, "/verdict/kernel_speedup_x") ? ", by kernel time" : ", by the code: no kernel time of both sides was given";
  answer.reason = text_at(result, "/verdict/reasons/0");
  if (answer.reason.empty()) answer.reason = text_at(result, "/verdict/sentence");
  for (const Json& change : at(result, "/static_diff/findings_diff/by_kernel")) {
    answer.items.push_back({{"kind", "finding"},
                            {"id", at(change, "/code")},
                            {"kernel", at(change, "/kernel")},
                            {"text", at(change, "/change")},
                            {"before", at(change, "/places_a")},
                            {"after", at(change, "/places_b")}});
  }
  answer.facts = {{"tradeoffs", at(result, "/tradeoffs")}, {"still_unknown", at(result, "/still_unknown")}};
  if (!number_at(result, "/verdict/kernel_speedup_x"))
    answer.next_measurement = {{"why", "code alone does not tell times"},
                               {"command", "frx bench BEFORE.cu AFTER.cu, or profiles of both sides"}};
}

std::string compare_command(const Compared& done) {
  return fmt::format("frx compare {} {} --json", shell_quote(done.before), shell_quote(done.after));
}

Result<AgentAnswer> compare(const ToolCall& call) {
  TRY_ASSIGN(const std::unique_ptr<Compared> done, compared_in(call));
  AgentAnswer answer;
  answer.items_are = "what changed";
  answer.full = compare_command(*done);
  if (done->is_of("ncu_comparison_v1"))
    compare_profiles_in(done->result, answer);
  else if (done->is_of("run_comparison_v1"))
    compare_runs_in(done->result, answer);
  else
    compare_code_in(done->result, answer);
  return answer;
}

// ---- check_change

Json item_of_prediction(const Json& prediction, const Json& card) {
  return {{"kind", "prediction"},
          {"id", prediction.contains("card") ? prediction["card"] : at(card, "/id")},
          {"kernel", prediction.contains("kernel") ? prediction["kernel"] : at(card, "/kernel_name")},
          {"reading", at(prediction, "/reading")},
          {"unit", at(prediction, "/unit")},
          {"before", prediction.contains("before") ? prediction["before"] : at(prediction, "/current_value")},
          {"predicted", at(prediction, "/predicted")},
          {"after", at(prediction, "/after")},
          {"outcome", at(prediction, "/outcome")}};
}

// Before the change: what the advice expects of it.
Result<AgentAnswer> predict(const ToolCall& call) {
  TRY_ASSIGN(const std::string before, call.path("before"));
  TRY_ASSIGN(const std::unique_ptr<Analysed> done, analysed(call, {before}));
  AgentAnswer answer;
  const Json& recommendations = at(done->result, "/recommendations");
  if (recommendations.is_array()) {
    for (const Json& card : recommendations) {
      for (const Json& prediction : at(card, "/predictions")) answer.items.push_back(item_of_prediction(prediction, card));
    }
    if (!recommendations.empty()) answer.first_action = action_of(recommendations[0]);
  }
  answer.items_are = "what each recommendation expects its change to do";
  answer.verdict = answer.items.empty() ? "nothing is predicted: the advice about this file names no measurable expectation"
                                        : fmt::format("{} to hold a change against", count_text(answer.items.size(), "prediction"));
  answer.reason = "make one change, profile again, and call check_change with before and after";
  answer.full = done->command();
  return answer;
}

Result<AgentAnswer> check_change(const ToolCall& call) {
  TRY_ASSIGN(const std::string after, call.text("after"));
  if (after.empty()) return predict(call);
  TRY_ASSIGN(const std::unique_ptr<Compared> done, compared_in(call));
  if (!done->is_of("ncu_comparison_v1"))
    return fail(ErrorKind::usage, "check_change scores predictions between two profiles of Nsight Compute")
        .hint("compare is for runs and code");
  AgentAnswer answer;
  compare_profiles_in(done->result, answer);
  answer.items.clear();
  const Json& scores = at(done->result, "/predictions");
  for (const Json& prediction : at(scores, "/scored")) answer.items.push_back(item_of_prediction(prediction, nullptr));
  answer.items_are = "predictions of the advice, and what came true; that one holds does not prove that its change was made";
  answer.reason = fmt::format("{} predictions hold, {} do not, {} moved the other way, {} are inconclusive. {}", at(scores, "/held").dump(),
                              at(scores, "/not_held").dump(), at(scores, "/moved_the_other_way").dump(), at(scores, "/cannot_tell").dump(),
                              answer.reason);
  answer.full = compare_command(*done);
  return answer;
}

}  // namespace

constinit const Tool compare_tool{.name = "compare",
                                  .title = "Which of two is better",
                                  .description =
                                      "Compares two profiles, two traces or run bundles, or two versions of code: better, worse or "
                                      "inconclusive, with the interval of times, and what "
                                      "changed. Differences within the noise are no answer.",
                                  .arguments = R"({
      "before": {"type": "string", "description": "the version before the change, below a root"},
      "after": {"type": "string", "description": "the same after it"},
      "gpu_model": {"type": "string", "description": "the GPU, where the files do not say it"}})",
                                  .required = R"(["before", "after"])",
                                  .call = compare};

constinit const Tool check_change_tool{.name = "check_change",
                                       .title = "Did the change do what was predicted",
                                       .description =
                                           "With before alone: what the advice about a profile predicts of its changes, as numbers. With "
                                           "before and after: the verdict, and each prediction "
                                           "scored against the new profile: held, not held, moved the other way, or inconclusive.",
                                       .arguments = R"({
      "before": {"type": "string", "description": "the profile before the change, below a root"},
      "after": {"type": "string", "description": "the profile after it; without it: predict"},
      "gpu_model": {"type": "string", "description": "the GPU, where the files do not say it"}})",
                                       .required = R"(["before"])",
                                       .call = check_change};

}  // namespace frx::serve
