// frx tune: which settings make a training program faster, tried out safely.

#include <sys/stat.h>

#include "analyse/tune/tuner.h"
#include "base/files.h"
#include "base/safe_text.h"
#include "base/text.h"
#include "capture/program_run.h"
#include "cli/analysis.h"
#include "cli/command.h"
#include "cli/prediction_ledger.h"
#include "cli/print_answer.h"
#include "cli/tune_folder.h"
#include "compose/tune.h"
#include "render/render.h"
#include "report/tune/candidates.h"
#include "report/tune/tune_predictions.h"

namespace frx::cli {
namespace command_tune {
namespace {

using report::TuneSettings;

constexpr std::uint64_t most_trials = 1000, most_steps = 1'000'000, most_repeats = 100, longest_interval = 3'600'000;

struct Options {
  Given given;
  std::string name = "frx-tune", out = "runs", resume, ledger, bottleneck, search = "adaptive", format = "text";
  std::vector<std::string> program;
  Syntax::Number max_trials = 12, warmup = 5, measure = 20, repeats = 1, promote = 3, race_warmup = 1, race_measure = 5, interval = 1000;
  double budget_s = 60, min_speedup = 0.08, final_loss = 0.05, divergence = 0.50, output_tolerance = 0.005;
  bool safe = false, no_safe = false, no_race = false, risky = false, no_quality = false, nonfinite = false, json = false, open = false;
  report::AnalysisOptions analysis;
};

void describe_search(Syntax& syntax, Options& options) {
  syntax.option("--max-trials", "N", options.max_trials, "configurations that are tried at most");
  syntax.flag("--safe", options.safe, "only what cannot change results: loader and allocator; the default");
  syntax.flag("--no-safe", options.no_safe, "also batch size, mixed precision, compilation and CUDA graphs");
  syntax.option("--bottleneck", "LABEL", options.bottleneck, "try what helps against this, instead of what the baseline shows");
  syntax.choice("--search", "HOW", options.search, {"adaptive", "grid"},
                "learn from finished trials what to try next, or try the documented list in its order");
  syntax.flag("--no-race", options.no_race, "no quick screening: every candidate is measured in full");
  syntax.option("--race-promote-count", "N", options.promote, "candidates of a race that are measured in full, at most");
  syntax.option("--race-warmup-steps", "N", options.race_warmup, "steps of a race that do not count");
  syntax.option("--race-measure-steps", "N", options.race_measure, "steps of a race that are measured");
}

void describe_limits(Syntax& syntax, Options& options) {
  syntax.option("--time-budget-s", "N", options.budget_s, "end a trial, and all that it started, after so many seconds");
  syntax.option("--warmup-steps", "N", options.warmup, "steps at the begin of a trial that do not count");
  syntax.option("--measure-steps", "N", options.measure, "steps that are measured");
  syntax.option("--repeat-count", "N", options.repeats, "runs of the baseline and of each candidate; more than one: no race");
  syntax.option("--min-speedup", "FLOAT", options.min_speedup, "gain from which settings are recommended; 0.08 is 8 %");
  syntax.flag("--allow-risky-actions", options.risky, "also try candidates of high risk");
  syntax.flag("--no-quality-checks", options.no_quality, "do not insist on a loss where a change may affect the results");
  syntax.option("--max-final-loss-regression", "FLOAT", options.final_loss, "share by which the last loss may be higher");
  syntax.option("--max-loss-divergence", "FLOAT", options.divergence, "share by which a loss may grow within a trial");
  syntax.option("--output-abs-tolerance", "FLOAT", options.output_tolerance, "how far outputs may differ, where the program tells");
  syntax.flag("--allow-nonfinite-loss", options.nonfinite, "do not reject a loss that is NaN or infinite");
  syntax.option("--sample-interval-ms", "N", options.interval, "time between two looks at the GPUs, from 100");
}

void describe(Syntax& syntax, Options& options) {
  syntax.remember(options.given);
  syntax.text(
      "Runs the program after -- as it is, finds its bottleneck, and tries settings that help against it: each trial in a process of its "
      "own, "
      "first in a quick race, then in full beside the baseline, so that drift of the machine affects both alike. What is faster beyond "
      "doubt "
      "and keeps its results is recommended. Nothing is changed: the settings reach the program in variables of its environment.");
  syntax.text(
      "The program reads the variables (FRX_NUM_WORKERS, FRX_BATCH_SIZE and others; fournex.tune.Knobs does it) and records its steps with "
      "the "
      "fournex SDK. Progress is told on standard error. Results lie in DIR/tune-ID; --resume goes on where a tuning was interrupted.");
  syntax.option("--name", "NAME", options.name, "name of the job");
  syntax.option("--out", "DIR", options.out, "where the folders of tunings are");
  syntax.option("--resume", "TUNE_DIR", options.resume, "go on with an earlier tuning; its command and options hold unless given again");
  describe_search(syntax, options);
  describe_limits(syntax, options);
  syntax.option("--ledger", "FILE", options.ledger, "also add what became of each trial to this ledger (prediction_v1)");
  syntax.choice("--format", "FORMAT", options.format, common_formats(), "how to print the answer");
  syntax.flag("--json", options.json, "the same as --format json (autopilot_report.v1)");
  describe_open(syntax, options.open);
  syntax.option("--data", "DIR", options.analysis.data_directory, "YAML files merged over the built-in data");
  syntax.workload(options.program, "the program and its arguments");
  syntax.example("-- python train.py", "which settings of the data loader are best?");
  syntax.example("--no-safe --max-trials 16 -- python train.py", "with batch size, precision and compilation");
  syntax.example("--resume runs/tune-3f8a12b4", "go on after an interruption");
  syntax.exit_code(0, "settings are recommended");
  syntax.exit_code(1, "none are: nothing was faster beyond doubt, or the baseline failed");
  syntax.exit_code(3, "--resume: there is no such tuning");
}

struct Range {
  std::string_view option;
  std::uint64_t value, least, most;
};
Result<> check_counts(const Options& options) {
  const Range ranges[] = {
      {"--max-trials", *options.max_trials, 1, most_trials},        {"--race-promote-count", *options.promote, 0, most_trials},
      {"--race-warmup-steps", *options.race_warmup, 0, most_steps}, {"--race-measure-steps", *options.race_measure, 1, most_steps},
      {"--warmup-steps", *options.warmup, 0, most_steps},           {"--measure-steps", *options.measure, 1, most_steps},
      {"--repeat-count", *options.repeats, 1, most_repeats},        {"--sample-interval-ms", *options.interval, 1, longest_interval}};
  for (const Range& range : ranges) {
    if (range.value < range.least || range.value > range.most)
      return fail(ErrorKind::usage, "tune: expected {} to {} as {}, found {}", range.least, range.most, range.option, range.value);
  }
  return {};
}

Result<> check_tune(const Options& options) {
  TRY(check_counts(options));
  if (!(options.budget_s > 0 && options.budget_s <= 604'800))
    return fail(ErrorKind::usage, "tune: expected seconds above 0, at most a week, as --time-budget-s, found {:g}", options.budget_s);
  const std::pair<std::string_view, double> shares[] = {{"--min-speedup", options.min_speedup},
                                                        {"--max-final-loss-regression", options.final_loss},
                                                        {"--max-loss-divergence", options.divergence},
                                                        {"--output-abs-tolerance", options.output_tolerance}};
  for (const auto& [option, value] : shares) {
    if (!(value >= 0 && value < 1e6)) return fail(ErrorKind::usage, "tune: expected a number from 0 as {}, found {:g}", option, value);
  }
  if (options.safe && options.no_safe) return fail(ErrorKind::usage, "tune: --safe and --no-safe exclude each other");
  if (options.program.empty() && options.resume.empty())
    return fail(ErrorKind::usage, "tune: expected a program behind --").hint("frx tune -- python train.py");
  return {};
}

// Of the options that were given, or of all where there is no earlier tuning whose settings hold.
void put_settings(const Options& options, bool all, TuneSettings& settings) {
  const auto put = [&](std::string_view option, auto& into, const auto& value) {
    if (all || options.given.has(option)) into = value;
  };
  put("--max-trials", settings.max_trials, *options.max_trials);
  put("--safe", settings.safe, true);
  put("--no-safe", settings.safe, !options.no_safe);
  put("--bottleneck", settings.bottleneck, options.bottleneck);
  put("--search", settings.search, options.search);
  put("--no-race", settings.race, !options.no_race);
  put("--race-promote-count", settings.race_promote_count, *options.promote);
  put("--race-warmup-steps", settings.race_window.warmup_steps, *options.race_warmup);
  put("--race-measure-steps", settings.race_window.measurement_steps, *options.race_measure);
  put("--time-budget-s", settings.window.timeout_s, options.budget_s);
  put("--warmup-steps", settings.window.warmup_steps, *options.warmup);
  put("--measure-steps", settings.window.measurement_steps, *options.measure);
  put("--repeat-count", settings.window.repeat_count, *options.repeats);
  put("--allow-risky-actions", settings.allow_risky_actions, options.risky);
  put("--sample-interval-ms", settings.sample_interval_ms, *options.interval);
}

void put_limits(const Options& options, report::TuneLimits& limits) {
  const auto put = [&](std::string_view option, auto& into, const auto& value) {
    if (options.given.has(option)) into = value;
  };
  put("--min-speedup", limits.min_speedup, options.min_speedup);
  put("--no-quality-checks", limits.quality_checks, !options.no_quality);
  put("--max-final-loss-regression", limits.max_final_loss_regression, options.final_loss);
  put("--max-loss-divergence", limits.max_loss_divergence, options.divergence);
  put("--output-abs-tolerance", limits.output_abs_tolerance, options.output_tolerance);
  put("--allow-nonfinite-loss", limits.finite_loss, !options.nonfinite);
}

// A race is at most as long as a full trial, and has half of its time but ten seconds.
void fit_race_window(TuneSettings& settings) {
  report::TuneWindow& race = settings.race_window;
  const report::TuneWindow& full = settings.window;
  race.warmup_steps = std::min(full.warmup_steps, race.warmup_steps);
  race.measurement_steps = std::min(full.measurement_steps, std::max<std::size_t>(1, race.measurement_steps));
  race.repeat_count = 1;
  race.timeout_s = std::min(full.timeout_s, std::max(10.0, full.timeout_s / 2));
}

Result<TuneFolder> folder_for(const Options& options) {
  return options.resume.empty() ? TuneFolder::create(options.out) : TuneFolder::open(options.resume);
}

Result<TuneAsked> asked_of(const Options& options, const TuneFolder& folder, const report::TuneLimits& limits) {
  TuneAsked asked;
  asked.settings.limits = limits;
  if (!options.resume.empty()) {
    TRY_ASSIGN(asked, folder.read_asked());
  }
  const bool is_new = options.resume.empty();
  if (is_new || options.given.has("--name")) asked.job_name = options.name;
  if (!options.program.empty()) asked.command = options.program;
  put_settings(options, is_new, asked.settings);
  put_limits(options, asked.settings.limits);
  fit_race_window(asked.settings);
  return asked;
}

Result<> write_report(const TuneFolder& folder, const report::TuneReport& report, std::string_view format, std::string_view name) {
  std::string text;
  const answer::Answer answer = compose::answer_of(borrowed(report));
  TRY(render::render(answer, format, {100, false, answer::Detail::full}, [&text](std::string_view part) { text += part; }));
  return write_file(folder.file(std::string(name)), format == "json" ? text : safe_text(text), Access::owner_only);
}

Result<> write_reports(const TuneFolder& folder, const report::TuneReport& report) {
  TRY(write_report(folder, report, "json", "autopilot_report.json"));
  TRY(write_report(folder, report, "html", "report.html"));
  return write_report(folder, report, "markdown", "report.md");
}

// What each trial says about its family of candidates, in the folder of the tuning and where the user keeps it.
Result<> write_ledgers(const Options& options, const TuneFolder& folder, const report::TuneReport& report) {
  const report::PredictionScores scores = report::tuning_predictions(report);
  if (scores.empty()) return {};
  TRY(append_to_ledger(folder.file("predictions.jsonl"), scores));
  if (!options.ledger.empty()) TRY(append_to_ledger(options.ledger, scores));
  return {};
}

Result<int> act(const Options& options, Io& io) {
  TRY(check_tune(options));
  TRY_ASSIGN(const std::string format, format_of("tune", options.json, options.format));
  TRY(open_if_asked("tune", options.open, format, io));
  Session session(options.analysis, io);
  TRY_ASSIGN(const knowledge::Knowledge* known, session.context().knowledge());
  TRY_ASSIGN(const knowledge::Tuning tuning, knowledge::Tuning::load(known->library));
  if (!options.program.empty()) TRY(capture::find_user_program(options.program.front(), *io.host));
  TRY_ASSIGN(const TuneFolder folder, folder_for(options));
  TRY_ASSIGN(const TuneAsked asked, asked_of(options, folder, report::default_limits(tuning)));
  analyse::TuneRequest request{asked.job_name, folder.shown(), asked.command, {}, asked.settings};
  TRY_ASSIGN(request.program, capture::find_user_program(asked.command.front(), *io.host));
  TRY(folder.write_asked(asked));
  const auto say = [&io](std::string_view line) {
    io.err.write(fmt::format("{}\n", line));
    io.err.flush();
  };
  analyse::TuneTools tools{.host = *io.host, .say = say};
  tools.save = [&](const report::TuneReport& report) { return write_reports(folder, report); };
  io.out.flush();
  TRY_ASSIGN(const std::shared_ptr<const report::TuneReport> report, analyse::tune(request, session.context(), tools));
  TRY(write_reports(folder, *report));
  TRY(write_ledgers(options, folder, *report));
  say(fmt::format("Report saved: {}", printable(folder.file("autopilot_report.json"))));
  say(fmt::format("Markdown report saved: {}", printable(folder.file("report.md"))));
  TRY(print_answer(io, compose::answer_of(report), format));
  return report->has_improved() && report->unfinished.empty() ? 0 : 1;
}

}  // namespace
}  // namespace command_tune

constinit const Command tune_command = make_recording_command<command_tune::Options, command_tune::describe, command_tune::act>(
    "tune", "Try settings of a training program, and recommend the fastest that is safe", "Measure");

}  // namespace frx::cli
