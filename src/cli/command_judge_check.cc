// frx judge check: an answer about a kernel, held against its contract and its profile.

#include "cli/command.h"
#include "cli/judge_commands.h"
#include "cli/print_answer.h"
#include "compose/judge.h"
#include "report/judge/attempts.h"

namespace frx::cli {
namespace command_judge_check {
namespace {

struct Options {
  JudgeOptions judge;
  std::string reply, history;
  bool allow_partial = false, any_number = false;
};

void describe(Syntax& syntax, Options& options) {
  syntax.remember(options.judge.given);
  syntax.text(
      "Finds the JSON in a reply of a language model and checks it against the contract and against the profile: categories, names of "
      "counters, every value that is quoted beside a counter, whether the counters speak for the category, and whether the GPU can do what "
      "is proposed. The JSON has the right numbers, and what to ask again.");
  syntax.required_argument("REPLY", options.reply, "the reply, as text; - is standard input");
  describe_judge(syntax, options.judge);
  syntax.option("--history", "FILE", options.history, "attempts of frx judge attempt: fixes that brought nothing are warned of");
  syntax.flag("--allow-partial", options.allow_partial, "one bottleneck where two are asked for is a warning");
  syntax.flag("--any-number", options.any_number, "of the list contract: any number of bottlenecks is right");
  syntax.choice("--format", "FORMAT", options.judge.format, common_formats(), "how to print the verdict");
  syntax.flag("--json", options.judge.json, "the same as --format json (kdiag_check.v1)");
  syntax.example("reply.txt --ncu report.csv", "is it right?");
  syntax.example("- --ncu report.csv --contract list --json", "for a program that asks again");
  syntax.exit_code(0, "the answer holds; there may be warnings");
  syntax.exit_code(1, "a file cannot be read, or is no profile");
  syntax.exit_code(4, "the answer does not hold, or there is none in the reply");
}

Result<int> act(const Options& options, Io& io) {
  TRY(options.judge.given.expect_applicable("judge check", "--contract dual",
                                            {{"--any-number", options.judge.contract == "list", "--contract list"}}));
  TRY_ASSIGN(const std::string format, format_of("judge check", options.judge.json, options.judge.format));
  TRY_ASSIGN(const report::JudgeDemands demands, demands_of("judge check", options.judge));
  TRY_ASSIGN(const std::string reply, text_of_file(options.reply));
  report::CheckRequest request;
  request.demands = demands;
  request.counts_bottlenecks = !options.any_number;
  request.allow_partial = options.allow_partial;
  if (!options.history.empty()) {
    TRY_ASSIGN(const std::string history, text_of_file(options.history));
    TRY_ASSIGN(const std::vector<report::JudgeAttempt> attempts, report::read_attempts(options.history, history));
    request.failed_fixes = report::failed_fixes(attempts);
  }
  Session session(options.judge.analysis, io);
  TRY_ASSIGN(const analyse::JudgedProfile judged, judged_profile(options.judge, session));
  auto checked = std::make_shared<compose::CheckedReply>();
  checked->subject = judged.subject;
  checked->reply_name = options.reply;
  if (const auto extracted = report::extract_reply(reply, demands.contract)) {
    checked->path = extracted->path;
    checked->repairs = extracted->repairs;
    checked->verdict = report::check_reply(extracted->value, judged.subject, *judged.knowledge, *judged.judge, request);
  } else {
    checked->path = "none";
    checked->verdict = report::verdict_without_answer(extracted.error().message, demands.contract);
  }
  const bool is_valid = checked->verdict.is_valid();
  TRY(print_answer(io, compose::answer_of(std::move(checked)), format));
  return is_valid ? 0 : reply_is_invalid;
}

}  // namespace
}  // namespace command_judge_check

constinit const Command judge_check_command =
    make_command<command_judge_check::Options, command_judge_check::describe, command_judge_check::act>(
        "judge check", "Hold a model's answer against its profile", "Diagnose");

}  // namespace frx::cli
