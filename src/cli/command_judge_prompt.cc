// frx judge prompt: the prompt for a language model that is to diagnose one kernel.

#include "cli/command.h"
#include "cli/json_output.h"
#include "cli/judge_commands.h"
#include "compose/judge.h"

namespace frx::cli {
namespace command_judge_prompt {
namespace {

struct Options {
  JudgeOptions judge;
  std::string code, problem, variant = "a", shape = "plain", model;
  Syntax::Number budget;
  bool requires_gpu = false;
};

void describe(Syntax& syntax, Options& options) {
  syntax.remember(options.judge.given);
  syntax.text(
      "Builds the prompt that asks a language model for the bottlenecks of one kernel: the GPU, the counters in their sections, the "
      "roofline, "
      "the source, the contract of the answer. What came from files stands in fences and is declared data. Nothing is sent anywhere.");
  describe_judge(syntax, options.judge);
  syntax.option("--kernel-code", "FILE", options.code, "source of the kernel");
  syntax.option("--problem", "FILE", options.problem, "what the kernel is to compute");
  syntax.choice("--variant", "VARIANT", options.variant, {"a", "b"},
                "of the dual contract: the thresholds of the first or of the later revision");
  syntax.option("--token-budget", "N", options.budget, "cut the source so that the prompt stays within about N tokens of four bytes");
  syntax.choice("--format", "FORMAT", options.shape, {"plain", "openai", "anthropic"},
                "text, or the body of a request to such an endpoint");
  syntax.option("--model", "NAME", options.model, "for the body of a request");
  syntax.flag("--require-gpu", options.requires_gpu, "end with exit code 3 when the GPU is not known");
  syntax.flag("--json", options.judge.json, "print {mode, result} with the prompt in two texts");
  syntax.example("--ncu report.csv --kernel-code kernel.cu", "a prompt to paste");
  syntax.example("--ncu report.csv --format openai --model local", "the body of a request, with the schema of the answer");
  syntax.exit_code(0, "the prompt was printed");
  syntax.exit_code(1, "a file cannot be read, or is no profile");
  syntax.exit_code(3, "the GPU is not known, and --require-gpu was given");
}

constexpr int most_tokens = 16384;

Json request_body(const compose::JudgePrompt& prompt, const Options& options, const report::JudgeDemands& demands,
                  const analyse::JudgedProfile& judged) {
  Json messages = Json::array();
  const bool is_openai = options.shape == "openai";
  if (is_openai && !prompt.system.empty()) messages.push_back({{"role", "system"}, {"content", prompt.system}});
  messages.push_back({{"role", "user"}, {"content", prompt.user}});
  Json body{{"model", options.model}, {"max_tokens", most_tokens}};
  if (!is_openai && !prompt.system.empty()) body["system"] = prompt.system;
  body["messages"] = std::move(messages);
  if (!is_openai) return body;
  const Json schema = compose::judge_reply_schema(demands, *judged.judge);
  // A schema that is no object is not accepted there.
  if (schema["type"] == "object")
    body["response_format"] = {{"type", "json_schema"}, {"json_schema", {{"name", "bottlenecks"}, {"strict", true}, {"schema", schema}}}};
  return body;
}

void print(const compose::JudgePrompt& prompt, const Options& options, const report::JudgeDemands& demands,
           const analyse::JudgedProfile& judged, Io& io) {
  if (options.judge.json) {
    write_json(io, "judge_prompt",
               {{"schema", "judge_prompt_v1"},
                {"contract", options.judge.contract},
                {"kernel", judged.subject.kernel->name},
                {"system", text_or_null(prompt.system)},
                {"user", prompt.user},
                {"notes", prompt.notes}});
  } else if (options.shape == "plain") {
    if (!prompt.system.empty()) io.out.write("=== SYSTEM ===\n" + prompt.system + "=== USER ===\n");
    io.out.write(prompt.user);
  } else {
    io.out.write(request_body(prompt, options, demands, judged).dump(2, ' ', true) + "\n");
  }
}

Result<int> act(const Options& options, Io& io) {
  TRY(options.judge.given.expect_applicable("judge prompt", "--format plain",
                                            {{"--model", options.shape != "plain", "--format openai or anthropic"}}));
  TRY(options.judge.given.expect_applicable("judge prompt", "--contract list",
                                            {{"--variant", options.judge.contract == "dual", "--contract dual"}}));
  TRY_ASSIGN(const report::JudgeDemands demands, demands_of("judge prompt", options.judge));
  compose::JudgePromptRequest request;
  request.demands = demands;
  request.code_name = options.code;
  request.variant_b = options.variant == "b";
  request.token_budget = options.budget.value_or(0);
  TRY_ASSIGN(request.code, text_of_file(options.code));
  TRY_ASSIGN(request.problem, text_of_file(options.problem));
  Session session(options.judge.analysis, io);
  TRY_ASSIGN(const analyse::JudgedProfile judged, judged_profile(options.judge, session));
  if (options.requires_gpu && !judged.subject.product) {
    return fail(ErrorKind::not_enough, "the GPU is not known")
        .at(judged.subject.report->source)
        .hint("name it with --gpu-model; frx gpu list shows what is known");
  }
  const compose::JudgePrompt prompt = compose::judge_prompt(judged.subject, *judged.judge, request);
  for (const std::string& note : prompt.notes) io.log(LogLevel::warning, "judge", note);
  print(prompt, options, demands, judged, io);
  return 0;
}

}  // namespace
}  // namespace command_judge_prompt

constinit const Command judge_prompt_command =
    make_command<command_judge_prompt::Options, command_judge_prompt::describe, command_judge_prompt::act>(
        "judge prompt", "Build the prompt that asks a model for bottlenecks", "Diagnose");

}  // namespace frx::cli
