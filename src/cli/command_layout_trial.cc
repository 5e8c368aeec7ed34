// frx layout trial: does a change of memory layout keep the results, and is the program faster with it?

#include <algorithm>
#include <filesystem>

#include "analyse/layout_trial.h"
#include "base/files.h"
#include "base/sha256.h"
#include "base/shell_words.h"
#include "base/temporary_directory.h"
#include "base/text.h"
#include "cli/analysis.h"
#include "cli/command.h"
#include "cli/layout_audit.h"
#include "cli/print_answer.h"
#include "cli/recording_commands.h"
#include "compose/layout_trial.h"

namespace frx::cli {
namespace command_layout_trial {
namespace {

constexpr std::uint64_t most_runs = 1000, largest_plan = std::uint64_t{1} << 20;

struct Options {
  Given given;
  std::string plan, baseline, candidate, policy, audit, format = "text";
  std::vector<std::string> program;
  Syntax::Number blocks = 2, windows = 10, warmup = 3, seed = 0;
  double timeout_s = 600;
  bool allow_distributed = false, json = false, open = false;
  report::AnalysisOptions analysis;
};

void describe(Syntax& syntax, Options& options) {
  syntax.remember(options.given);
  syntax.text(
      "Runs a program without and with a change of memory layout (A B B A, each in a fresh process) and lets the change pass six gates, in "
      "this order: numerics, kernel identity, throughput and memory, compile stability, distributed guards, custom operators. The first "
      "that it does not pass decides. A change that passes them all is called validated; nothing is ever applied, and no file of the "
      "program "
      "is touched.");
  syntax.text(
      "The plan reaches the program in the variable FRX_LAYOUT_PLAN alone. The program takes part with fournex.layout.Trial(model) of the "
      "Python package, which applies the plan and reports times, losses and outputs. With --baseline and --candidate two commands are "
      "compared, each parted into words as a shell would part it, and run without one.");
  syntax.option("--plan", "FILE", options.plan, "the plan (layout_plan.v1); the program follows behind --");
  syntax.option("--baseline", "COMMAND", options.baseline, "without a plan: the command as it is, in one argument");
  syntax.option("--candidate", "COMMAND", options.candidate, "and the command with the change");
  syntax.option("--blocks", "N", options.blocks, "of two runs, A B and B A in turn; at least 2");
  syntax.option("--windows", "N", options.windows, "windows that a run is asked to measure; what it measures counts");
  syntax.option("--warmup", "N", options.warmup, "windows at the begin of each run that do not count");
  syntax.option("--seed", "N", options.seed, "what random numbers begin with, on both sides");
  syntax.option("--timeout", "SECONDS", options.timeout_s, "end a run and all that it started after so long");
  syntax.flag("--allow-distributed", options.allow_distributed, "judge also sharded models and groups of processes of its own");
  syntax.option("--policy", "FILE", options.policy, "YAML: changes, least_gain_pct, largest_risk, allow_distributed, allow_custom_ops");
  syntax.option("--audit", "FILE", options.audit, "add a line about the decision to this log (layout_trial_audit.v1)");
  syntax.choice("--format", "FORMAT", options.format, common_formats(), "how to print the answer");
  syntax.flag("--json", options.json, "the same as --format json (layout_trial.v1)");
  describe_open(syntax, options.open);
  syntax.option("--data", "DIR", options.analysis.data_directory, "YAML files merged over the built-in data");
  syntax.workload(options.program, "the program, with a plan");
  syntax.example("--plan plan.json -- python train.py", "is channels-last safe and faster here?");
  syntax.example("--baseline 'python a.py' --candidate 'python b.py'", "the same of a change that was made by hand");
  syntax.exit_code(0, "promoted: every gate that applies was passed");
  syntax.exit_code(1, "rejected, skipped, or inconclusive; the answer says by which gate");
  syntax.exit_code(3, "the plan cannot be read");
}

Result<> check_numbers(const Options& options, const knowledge::TrialRules& rules) {
  const auto within = [](const Syntax::Number& number, std::uint64_t least) { return *number >= least && *number <= most_runs; };
  if (!within(options.blocks, rules.fewest_blocks))
    return fail(ErrorKind::usage, "layout trial: expected {} to {} as --blocks, found {}", rules.fewest_blocks, most_runs, *options.blocks);
  if (!within(options.windows, 1))
    return fail(ErrorKind::usage, "layout trial: expected 1 to {} as --windows, found {}", most_runs, *options.windows);
  if (!within(options.warmup, 0))
    return fail(ErrorKind::usage, "layout trial: expected 0 to {} as --warmup, found {}", most_runs, *options.warmup);
  if (*options.windows * *options.blocks < rules.fewest_windows)
    return fail(ErrorKind::usage, "layout trial: expected --windows times --blocks to be at least {}, found {}", rules.fewest_windows,
                *options.windows * *options.blocks);
  if (!(options.timeout_s > 0 && options.timeout_s <= 604'800))
    return fail(ErrorKind::usage, "layout trial: expected seconds above 0, at most a week, as --timeout, found {:g}", options.timeout_s);
  return {};
}

Result<> check_commands(const Options& options) {
  const bool has_commands = !options.baseline.empty() || !options.candidate.empty();
  if (has_commands && (!options.plan.empty() || !options.program.empty()))
    return fail(ErrorKind::usage, "layout trial: --baseline and --candidate go without --plan and a program");
  if (has_commands && (options.baseline.empty() || options.candidate.empty()))
    return fail(ErrorKind::usage, "layout trial: expected both --baseline and --candidate");
  if (!has_commands && (options.plan.empty() || options.program.empty()))
    return fail(ErrorKind::usage, "layout trial: expected --plan FILE and a program, or --baseline and --candidate")
        .hint("frx layout trial --plan plan.json -- python train.py");
  return {};
}

Result<std::vector<std::string>> argv_of(std::vector<std::string> words, Io& io) {
  if (words.empty()) return fail(ErrorKind::usage, "layout trial: expected a command, found nothing");
  TRY_ASSIGN(words.front(), capture::find_user_program(words.front(), *io.host));
  return words;
}

Result<std::vector<std::string>> argv_of(const std::string& command, Io& io) {
  const Result<std::vector<std::string>> words = shell_words(command);
  if (!words) return fail(ErrorKind::usage, "layout trial: {}: {}", words.error().message, printable(command));
  return argv_of(*words, io);
}

// The plan, and the text of its file, of which each run gets a copy: one that is edited meanwhile changes nothing.
Result<std::string> read_plan(const Options& options, report::LayoutTrial& trial) {
  if (options.plan.empty()) return std::string();
  const auto as_not_enough = [](Error error) {
    error.kind = ErrorKind::not_enough;
    return Failure{std::move(error)};
  };
  const Result<std::string> text = read_file(options.plan, largest_plan);
  if (!text) return as_not_enough(text.error());
  Result<report::LayoutPlan> plan = report::read_layout_plan(options.plan, *text);
  if (!plan) return as_not_enough(plan.error());
  trial.plan_file = options.plan;
  trial.plan = std::move(*plan);
  trial.plan_sha256 = sha256(*text);
  trial.evidence.plan_sha256 = trial.plan_sha256;
  trial.evidence.changes = trial.plan->changes;
  return *text;
}

Result<> find_commands(const Options& options, report::LayoutTrial& trial, Io& io) {
  if (options.plan.empty()) {
    TRY_ASSIGN(trial.baseline, argv_of(options.baseline, io));
    TRY_ASSIGN(trial.candidate, argv_of(options.candidate, io));
    return {};
  }
  TRY_ASSIGN(trial.baseline, argv_of(options.program, io));
  trial.candidate = trial.baseline;
  return {};
}

void note_surroundings(report::LayoutTrial& trial) {
  const auto& runs = trial.evidence.runs;
  if (!runs.empty() && std::ranges::all_of(runs, [](const report::TrialRun& run) { return run.gpus.empty(); }))
    trial.notes.emplace_back("Clocks, temperature and throttling were not recorded: no GPU tells them here.");
  for (const report::TrialRun& run : runs) {
    for (const report::TrialSide& side : run.ranks) {
      for (const std::string& note : side.notes) {
        if (std::ranges::find(trial.notes, note) == trial.notes.end()) trial.notes.push_back(note);
      }
    }
  }
}

Result<> run_and_read(const Options& options, const std::string& plan, report::LayoutTrial& trial, const knowledge::TrialRules& rules,
                      Session& session, Io& io) {
  TRY_ASSIGN(const TemporaryDirectory folder, TemporaryDirectory::make(std::filesystem::temp_directory_path().string()));
  capture::LayoutTrialRequest request{trial.baseline,        trial.candidate, {}, folder.path(), trial.blocks, trial.windows,
                                      trial.evidence.warmup, trial.seed,      {}};
  request.time_limit = std::chrono::milliseconds(static_cast<std::int64_t>(options.timeout_s * 1000));
  if (trial.plan) {
    request.plan = folder.file("plan.json");
    TRY(write_file(request.plan, plan));
  }
  TRY_ASSIGN(const std::vector<capture::LayoutTrialRun> runs, capture::run_layout_trial(request, *io.host, runs_shown_on(io)));
  TRY_ASSIGN(report::TrialEvidence evidence, analyse::read_trial(runs, rules, session.context()));
  session.end_progress();
  trial.evidence.runs = std::move(evidence.runs);
  note_surroundings(trial);
  return {};
}

Result<knowledge::LayoutPolicy> policy_of(const Options& options, const knowledge::TrialRules& rules) {
  knowledge::LayoutPolicy policy = rules.policy;
  if (!options.policy.empty()) {
    TRY_ASSIGN(policy, knowledge::read_layout_policy(options.policy, rules.policy));
  }
  policy.allow_distributed |= options.allow_distributed;
  return policy;
}

Result<int> act(const Options& options, Io& io) {
  TRY(check_commands(options));
  TRY_ASSIGN(const std::string format, format_of("layout trial", options.json, options.format));
  TRY(open_if_asked("layout trial", options.open, format, io));
  Session session(options.analysis, io);
  TRY_ASSIGN(const knowledge::Knowledge* known, session.context().knowledge());
  TRY_ASSIGN(const knowledge::TrialRules rules, knowledge::TrialRules::load(known->library));
  TRY(check_numbers(options, rules));
  TRY_ASSIGN(const knowledge::LayoutPolicy policy, policy_of(options, rules));
  const auto trial = std::make_shared<report::LayoutTrial>();
  trial->blocks = *options.blocks;
  trial->windows = *options.windows;
  trial->evidence.warmup = *options.warmup;
  trial->seed = *options.seed;
  TRY_ASSIGN(const std::string plan, read_plan(options, *trial));
  TRY(find_commands(options, *trial, io));
  capture::Fd log;
  if (!options.audit.empty()) {
    TRY_ASSIGN(log, open_audit_log(options.audit));
  }
  if (report::refused_by(policy, trial->plan ? &*trial->plan : nullptr, rules).empty())
    TRY(run_and_read(options, plan, *trial, rules, session, io));
  report::judge_layout_trial(*trial, rules, policy, known->classes);
  Result<> logged;
  if (log) logged = add_to_audit_log(log, options.audit, *trial, io);
  TRY(print_answer(io, compose::answer_of(std::shared_ptr<const report::LayoutTrial>(trial)), format));
  TRY(std::move(logged));
  return trial->decision == report::TrialDecision::promoted ? 0 : 1;
}

}  // namespace
}  // namespace command_layout_trial

constinit const Command layout_trial_command =
    make_recording_command<command_layout_trial::Options, command_layout_trial::describe, command_layout_trial::act>(
        "layout trial", "Try a change of memory layout, and let it pass gates or not", "Measure");

}  // namespace frx::cli
