// frx judge run: an answer about a kernel, from our diagnosis or from a model, which is checked in either case.

#include <unistd.h>

#include "capture/endpoint.h"
#include "cli/command.h"
#include "cli/judge_commands.h"
#include "cli/print_answer.h"
#include "compose/judge.h"

namespace frx::cli {
namespace command_judge_run {
namespace {

struct Options {
  JudgeOptions judge;
  std::string code, problem, endpoint, model = "default", key_variable = "FRX_JUDGE_API_KEY", shape = "kdiag";
  Syntax::Number retries, time_limit;
  bool sends_source = false;
};

void describe(Syntax& syntax, Options& options) {
  syntax.remember(options.judge.given);
  syntax.text(
      "Answers the contract of frx judge prompt. Without --endpoint no model is asked: the answer is our diagnosis. With it the prompt is "
      "sent "
      "to an endpoint that speaks as OpenAI's does, the reply is checked as frx judge check does it, and what does not hold is asked "
      "again. "
      "Counters and the names of kernels are sent; source only with --send-source.");
  describe_judge(syntax, options.judge);
  syntax.option("--endpoint", "URL", options.endpoint, "ask a model here: https://host/v1");
  syntax.option("--model", "NAME", options.model, "the model to ask for");
  syntax.option("--api-key-env", "NAME", options.key_variable, "the variable that has the key; it is never shown");
  syntax.option("--retries", "N", options.retries, "how often what does not hold is asked again [default: 2]");
  syntax.option("--timeout", "SECONDS", options.time_limit, "for one answer of the endpoint [default: 120]");
  syntax.option("--kernel-code", "FILE", options.code, "source of the kernel; sent with --send-source alone");
  syntax.option("--problem", "FILE", options.problem, "what the kernel is to compute; sent to the endpoint");
  syntax.flag("--send-source", options.sends_source, "the source may be sent to the endpoint");
  syntax.choice("--shape", "SHAPE", options.shape, {"kdiag", "reply"},
                "kdiag: what --format says; reply: the bare JSON of the contract, as a model would give it");
  syntax.choice("--format", "FORMAT", options.judge.format, common_formats(), "how to print the answer");
  syntax.flag("--json", options.judge.json, "the same as --format json (kdiag.v1)");
  syntax.example("--ncu report.csv", "two bottlenecks, by our diagnosis");
  syntax.example("--ncu report.csv --endpoint http://127.0.0.1:8080/v1", "ask a model, and check what it says");
  syntax.exit_code(0, "there is an answer, and it holds");
  syntax.exit_code(1, "a file cannot be read, or is no profile");
  syntax.exit_code(4, "the answer of the model does not hold after all retries, or the endpoint cannot be asked");
  syntax.exit_code(5, "the counters of the profile do not support as many bottlenecks as the contract wants");
}

class Run {
 public:
  Run(const Options& options, const report::JudgeDemands& demands, const analyse::JudgedProfile& judged, Io& io)
      : options_(options), judged_(judged), io_(io) {
    check_.demands = demands;
  }

  Result<std::shared_ptr<compose::JudgedAnswer>> by_rules() {
    auto answer = answer_of_subject();
    answer->judgement = report::judge_by_rules(judged_.subject, *judged_.knowledge, *judged_.judge, check_.demands);
    answer->notes.insert(answer->notes.begin(), answer->judgement.notes.begin(), answer->judgement.notes.end());
    answer->verdict = checked(compose::reply_of(answer->judgement, check_.demands.contract));
    return answer;
  }

  Result<std::shared_ptr<compose::JudgedAnswer>> by_model() {
    TRY_ASSIGN(const compose::JudgePrompt prompt, prompt_to_send());
    Json messages = Json::array();
    if (!prompt.system.empty()) messages.push_back({{"role", "system"}, {"content", prompt.system}});
    messages.push_back({{"role", "user"}, {"content", prompt.user}});
    auto answer = answer_of_subject();
    const std::uint64_t retries = options_.retries.value_or(2);
    for (std::uint64_t attempt = 0;; ++attempt) {
      TRY_ASSIGN(const std::string reply, asked(messages));
      take(reply, *answer);
      if (answer->verdict->is_valid() || attempt >= retries) return answer;
      answer->notes.push_back(fmt::format("attempt {}: {} errors, asked again", attempt + 1, answer->verdict->errors.size()));
      io_.log(LogLevel::info, "judge", answer->notes.back());
      messages.push_back({{"role", "assistant"}, {"content", reply}});
      messages.push_back({{"role", "user"}, {"content", answer->verdict->ask_again}});
    }
  }

 private:
  std::shared_ptr<compose::JudgedAnswer> answer_of_subject() const {
    auto answer = std::make_shared<compose::JudgedAnswer>();
    answer->subject = judged_.subject;
    answer->demands = check_.demands;
    answer->notes = notes_of(judged_);
    return answer;
  }

  std::shared_ptr<const report::JudgeVerdict> checked(const Json& reply) const {
    return std::make_shared<const report::JudgeVerdict>(
        report::check_reply(reply, judged_.subject, *judged_.knowledge, *judged_.judge, check_));
  }

  Result<compose::JudgePrompt> prompt_to_send() const {
    compose::JudgePromptRequest request;
    request.demands = check_.demands;
    TRY_ASSIGN(request.problem, text_of_file(options_.problem));
    if (options_.sends_source) {
      request.code_name = options_.code;
      TRY_ASSIGN(request.code, text_of_file(options_.code));
    }
    return compose::judge_prompt(judged_.subject, *judged_.judge, request);
  }

  Result<std::string> asked(const Json& messages) const {
    constexpr int most_tokens = 16384;
    constexpr std::uint64_t usual_limit = 120;
    capture::EndpointRequest request;
    request.url = options_.endpoint;
    request.api_key = io_.environment(options_.key_variable).value_or("");
    request.time_limit = std::chrono::seconds(options_.time_limit.value_or(usual_limit));
    request.body = Json{{"model", options_.model}, {"max_tokens", most_tokens}, {"temperature", 0}, {"messages", messages}}.dump(
        -1, ' ', true, Json::error_handler_t::replace);
    TRY_ASSIGN(const std::string body, capture::ask_endpoint(request));
    return capture::reply_in(body, options_.endpoint);
  }

  void take(const std::string& reply, compose::JudgedAnswer& answer) const {
    const auto extracted = report::extract_reply(reply, check_.demands.contract);
    answer.verdict = extracted ? checked(extracted->value)
                               : std::make_shared<const report::JudgeVerdict>(
                                     report::verdict_without_answer(extracted.error().message, check_.demands.contract));
    answer.judgement.bottlenecks = answer.verdict->bottlenecks;
  }

  const Options& options_;
  const analyse::JudgedProfile& judged_;
  Io& io_;
  report::CheckRequest check_;
};

Result<> check_options(const Options& options) {
  const bool asks = !options.endpoint.empty();
  TRY(options.judge.given.expect_applicable("judge run", "our own diagnosis",
                                            {{"--model", asks, "--endpoint"},
                                             {"--api-key-env", asks, "--endpoint"},
                                             {"--retries", asks, "--endpoint"},
                                             {"--timeout", asks, "--endpoint"},
                                             {"--send-source", asks, "--endpoint"},
                                             {"--kernel-code", asks, "--endpoint"},
                                             {"--problem", asks, "--endpoint"}}));
  if (options.retries.value_or(0) > 10)
    return fail(ErrorKind::usage, "judge run: expected at most 10 as --retries, found {}", *options.retries);
  if (options.time_limit && (*options.time_limit == 0 || *options.time_limit > 3600))
    return fail(ErrorKind::usage, "judge run: expected 1 to 3600 seconds as --timeout, found {}", *options.time_limit);
  if (!options.code.empty() && !options.sends_source)
    return fail(ErrorKind::usage, "judge run: --kernel-code would be sent to the endpoint")
        .hint("say so with --send-source, or leave it out");
  return {};
}

Result<int> act(const Options& options, Io& io) {
  TRY(check_options(options));
  TRY(options.judge.given.expect_applicable(
      "judge run", "--shape reply",
      {{"--format", options.shape == "kdiag", "--shape kdiag"}, {"--json", options.shape == "kdiag", "--shape kdiag"}}));
  TRY_ASSIGN(const std::string format, format_of("judge run", options.judge.json, options.judge.format));
  TRY_ASSIGN(const report::JudgeDemands demands, demands_of("judge run", options.judge));
  Session session(options.judge.analysis, io);
  TRY_ASSIGN(const analyse::JudgedProfile judged, judged_profile(options.judge, session));
  Run run(options, demands, judged, io);
  const bool asks = !options.endpoint.empty();
  TRY_ASSIGN(const std::shared_ptr<compose::JudgedAnswer> answer, asks ? run.by_model() : run.by_rules());
  const bool is_complete =
      answer->judgement.bottlenecks.size() >= (demands.contract == report::JudgeContract::dual ? 2 : demands.bottlenecks);
  const bool is_valid = answer->verdict->is_valid();
  if (options.shape == "reply") {
    io.out.write(compose::reply_of(answer->judgement, demands.contract).dump(2, ' ', true, Json::error_handler_t::replace) + "\n");
  } else {
    TRY(print_answer(io, compose::answer_of(answer), format));
  }
  if (!asks) return is_complete ? 0 : too_few_metrics;
  return is_valid ? 0 : reply_is_invalid;
}

}  // namespace
}  // namespace command_judge_run

constinit const Command judge_run_command = make_command<command_judge_run::Options, command_judge_run::describe, command_judge_run::act>(
    "judge run", "Name a kernel's bottlenecks, with or without a model", "Diagnose");

}  // namespace frx::cli
