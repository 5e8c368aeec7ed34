// frx judge attempt: keeps what was tried on a kernel, and whether it was faster by more than the noise.

#include <filesystem>

#include "base/files.h"
#include "base/numbers.h"
#include "base/text.h"
#include "base/units.h"
#include "cli/command.h"
#include "cli/folder_lock.h"
#include "cli/json_output.h"
#include "cli/judge_commands.h"
#include "report/judge/attempts.h"

namespace frx::cli {
namespace command_judge_attempt {
namespace {

struct Options {
  std::string history, category, root_cause, fix, error, verified;
  std::vector<std::string> before, after, changes;
  Syntax::Number round, worker;
  bool json = false;
};

void describe(Syntax& syntax, Options& options) {
  syntax.text(
      "Adds an attempt to a file of attempts, one JSON object a line. It counts as an improvement when the medians differ by more than "
      "twice "
      "the spread of both sides; within that, and with one time a side, the result is inconclusive.");
  syntax.required_argument("FILE", options.history, "of attempts; it is made where there is none");
  syntax.option("--before", "MS", options.before, "a time before the change, in milliseconds; give each that was measured");
  syntax.option("--after", "MS", options.after, "a time after it");
  syntax.option("--category", "NAME", options.category, "the bottleneck that was worked on");
  syntax.option("--root-cause", "TEXT", options.root_cause, "its cause");
  syntax.option("--fix", "TEXT", options.fix, "what was tried; frx judge check --history warns when it is proposed again");
  syntax.option("--change", "KEY=OLD->NEW", options.changes, "a setting that was changed: num_warps=4->8");
  syntax.option("--round", "N", options.round, "number of the round");
  syntax.option("--worker", "N", options.worker, "number of the worker");
  syntax.choice("--verified", "ANSWER", options.verified, {"yes", "no"}, "whether the results were right");
  syntax.option("--error", "TEXT", options.error, "why it failed");
  syntax.flag("--json", options.json, "print JSON");
  syntax.example("tried.jsonl --fix unroll --before 6.8 --after 5.1", "give each time that was measured");
  syntax.exit_code(0, "the attempt was added");
  syntax.exit_code(1, "the file cannot be read or written, or has other lines");
}

Result<std::vector<double>> times_of(std::string_view option, const std::vector<std::string>& given) {
  std::vector<double> times;
  for (const std::string& text : given) {
    const std::optional<double> time = parse_number(text, NumberStyle::point);
    if (!time || !(*time > 0))
      return fail(ErrorKind::usage, "judge attempt: expected a time above 0 as {}, found '{}'", option, printable(text));
    times.push_back(*time);
  }
  return times;
}

Result<report::JudgeAttempt> attempt_of(const Options& options) {
  report::JudgeAttempt attempt;
  for (const Syntax::Number& number : {options.round, options.worker}) {
    if (number && *number > INT64_MAX)
      return fail(ErrorKind::usage, "judge attempt: expected at most {} as --round and --worker, found {}", INT64_MAX, *number);
  }
  if (options.round) attempt.round_num = static_cast<std::int64_t>(*options.round);
  if (options.worker) attempt.worker_id = static_cast<std::int64_t>(*options.worker);
  attempt.bottleneck_category = options.category;
  attempt.root_cause = options.root_cause;
  attempt.recommended_fix = options.fix;
  attempt.error_message = options.error;
  if (!options.verified.empty()) attempt.passed_verification = options.verified == "yes";
  for (const std::string& change : options.changes) {
    const std::size_t equals = change.find('=');
    if (equals == 0 || equals == change.npos || change.find("->", equals) == change.npos)
      return fail(ErrorKind::usage, "judge attempt: expected KEY=OLD->NEW as --change, found '{}'", printable(change));
    attempt.config_changes.emplace_back(change.substr(0, equals), change.substr(equals + 1));
  }
  TRY_ASSIGN(std::vector<double> before, times_of("--before", options.before));
  TRY_ASSIGN(std::vector<double> after, times_of("--after", options.after));
  report::compare_times(std::move(before), std::move(after), attempt);
  return attempt;
}

std::string words_of(const report::JudgeAttempt& attempt) {
  if (!attempt.improvement_pct) return "no times were given";
  const std::string moved = fmt::format("{:.2f} ms before, {:.2f} ms after ({:+.1f} %)", *attempt.time_before_ms, *attempt.time_after_ms,
                                        0 - *attempt.improvement_pct);
  if (attempt.is_improvement) return fmt::format("{}: {}", *attempt.is_improvement ? "faster" : "slower", moved);
  return attempt.noise_ms ? fmt::format("within the noise of {:.2f} ms: {}", *attempt.noise_ms, moved)
                          : "inconclusive, with one time a side: " + moved;
}

Result<int> act(const Options& options, Io& io) {
  TRY_ASSIGN(const report::JudgeAttempt attempt, attempt_of(options));
  std::error_code ignored;  // writing the file says it
  const std::filesystem::path folder = std::filesystem::path(options.history).parent_path();
  if (!folder.empty()) std::filesystem::create_directories(folder, ignored);
  const capture::Fd lock = lock_folder_of(options.history);
  std::string text;
  if (std::filesystem::exists(options.history, ignored)) {
    TRY_ASSIGN(text, read_file(options.history, std::uint64_t{64} << 20));
    TRY(report::read_attempts(options.history, text));
  }
  if (!text.empty() && text.back() != '\n') text += '\n';
  const Json line = report::json_of(attempt);
  text += line.dump(-1, ' ', true, Json::error_handler_t::replace) + "\n";
  TRY(write_file(options.history, text));
  if (options.json)
    write_json(io, "judge_attempt", line);
  else
    io.out.write(fmt::format("added to {}: {}\n", printable(options.history), words_of(attempt)));
  return 0;
}

}  // namespace
}  // namespace command_judge_attempt

constinit const Command judge_attempt_command =
    make_command<command_judge_attempt::Options, command_judge_attempt::describe, command_judge_attempt::act>(
        "judge attempt", "Keep what was tried on a kernel, and what it brought", "Diagnose");

}  // namespace frx::cli
