// frx kernel compete: runs several commands in turn and says which is the fastest, or that the result is inconclusive.

#include "base/shell_words.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/print_answer.h"
#include "cli/recording_commands.h"
#include "compose/recordings.h"

namespace frx::cli {
namespace command_kernel_compete {
namespace {

constexpr std::uint64_t fewest_runs = 5, most_runs = 10'000;

struct Options {
  RecordingOptions recording;
  std::string workload, ours, labels;
  std::vector<std::string> theirs;
  Syntax::Number runs = fewest_runs, warmup = 1;
  double noise_floor_pct = 2;
  bool uses_shell = false;
};

void describe(Syntax& syntax, Options& options) {
  syntax.remember(options.recording.given);
  syntax.text(
      "Runs commands in turn, each several times, and compares the times of their whole processes by medians. The fastest wins only where "
      "the 99 % interval of every other one lies above it; else the comparison is inconclusive. A command is parted into words as a shell "
      "would part it, and run without one; --shell runs it by sh -c. A command that ends with another code than 0 has failed.");
  syntax.required_argument("WORKLOAD", options.workload, "what they compete in, for the answer");
  syntax.option("--ours", "COMMAND", options.ours, "our command, in one argument");
  syntax.option("--theirs", "COMMAND", options.theirs, "another command; may be given again");
  syntax.option("--label", "NAMES", options.labels, "names for the answer, parted by commas, ours first");
  syntax.option("--runs", "N", options.runs, "runs of each that count, at least 5");
  syntax.option("--warmup", "N", options.warmup, "runs of each before them");
  syntax.option("--noise-floor", "PERCENT", options.noise_floor_pct, "differences of time up to this count as nothing");
  syntax.flag("--shell", options.uses_shell, "run each command by sh -c");
  syntax.option("--env", "NAME=VALUE", options.recording.environment, "a variable for all of them; may be given again");
  syntax.option("--cwd", "DIR", options.recording.directory, "the folder in which they run");
  syntax.option("--timeout", "SECONDS", options.recording.timeout_s, "end a run and all that it started after so long; 0: never");
  syntax.flag("--json", options.recording.json, "print JSON (compete_v1)");
  syntax.example("sort --ours './ours 1e6' --theirs './theirs 1e6'", "which of two is faster?");
  syntax.exit_code(0, "all commands ran, whether there is a winner or not");
  syntax.exit_code(1, "a command failed, cannot be run or did not end in time");
}

Result<std::vector<std::string>> labels_of(const Options& options) {
  std::vector<std::string> labels;
  if (options.labels.empty()) {
    labels.emplace_back("ours");
    for (std::size_t i = 1; i <= options.theirs.size(); ++i)
      labels.push_back(options.theirs.size() == 1 ? "theirs" : fmt::format("theirs {}", i));
    return labels;
  }
  for (const std::string_view name : split(options.labels, ',')) labels.emplace_back(trim(name));
  if (labels.size() == options.theirs.size() + 1) return labels;
  return fail(ErrorKind::usage, "kernel compete: expected a name for each of {} commands as --label, found {}", options.theirs.size() + 1,
              labels.size());
}

Result<std::vector<std::string>> argv_of(const std::string& text, bool uses_shell) {
  if (trim(text).empty()) return fail(ErrorKind::usage, "kernel compete: expected a command, found nothing");
  if (uses_shell) return std::vector<std::string>{"/bin/sh", "-c", text};
  Result<std::vector<std::string>> words = shell_words(text);
  if (!words) return fail(ErrorKind::usage, "kernel compete: {}: {}", words.error().message, printable(text));
  return words;
}

Result<std::vector<model::TimedCommand>> commands_of(const Options& options, Io& io) {
  TRY_ASSIGN(const std::vector<std::string> labels, labels_of(options));
  std::vector<std::string> texts = options.theirs;
  texts.insert(texts.begin(), options.ours);
  std::vector<model::TimedCommand> commands;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    model::TimedCommand command{labels[i], texts[i], {}, {}, {}, {}};
    TRY_ASSIGN(command.argv, argv_of(texts[i], options.uses_shell));
    const Result<std::string> found = capture::find_user_program(command.argv.front(), *io.host);
    if (found) command.argv.front() = *found;
    if (!found) command.failure = fmt::format("{}: {}", printable(command.argv.front()), found.error().message);
    commands.push_back(std::move(command));
  }
  return commands;
}

Result<> check(const Options& options) {
  if (options.ours.empty() || options.theirs.empty())
    return fail(ErrorKind::usage, "kernel compete: expected --ours COMMAND and at least one --theirs COMMAND")
        .hint("frx kernel compete sort --ours './ours 1e6' --theirs './theirs 1e6'");
  if (*options.runs < fewest_runs || *options.runs > most_runs)
    return fail(ErrorKind::usage, "kernel compete: expected {} to {} as --runs, found {}", fewest_runs, most_runs, *options.runs);
  if (*options.warmup > most_runs)
    return fail(ErrorKind::usage, "kernel compete: expected 0 to {} as --warmup, found {}", most_runs, *options.warmup);
  if (!(options.noise_floor_pct >= 0 && options.noise_floor_pct < 100))
    return fail(ErrorKind::usage, "kernel compete: expected a percentage from 0 to below 100 as --noise-floor, found {:g}",
                options.noise_floor_pct);
  return {};
}

Result<int> act(const Options& options, Io& io) {
  TRY(check(options));
  TRY_ASSIGN(const capture::ProgramRun common, run_settings("kernel compete", options.recording));
  TRY_ASSIGN(std::vector<model::TimedCommand> commands, commands_of(options, io));
  TRY(capture::run_in_turn(commands, common, {*options.runs, *options.warmup, false}, *io.host, runs_shown_on(io)));
  const auto competition = std::make_shared<const report::Competition>(
      report::judge_competition(options.workload, std::move(commands), *options.warmup, options.noise_floor_pct / 100));
  TRY(print_answer(io, compose::answer_of(competition), options.recording.json ? "json" : "text"));
  return competition->any_failed() ? 1 : 0;
}

}  // namespace
}  // namespace command_kernel_compete

constinit const Command kernel_compete_command =
    make_recording_command<command_kernel_compete::Options, command_kernel_compete::describe, command_kernel_compete::act>(
        "kernel compete", "Say which of several commands is the fastest", "Measure");

}  // namespace frx::cli
