// frx ci: the check of a repository: findings in its code beside a baseline, and a measured pair, with one verdict.

#include <algorithm>
#include <filesystem>
#include <span>

#include "analyse/answer.h"
#include "analyse/recordings.h"
#include "base/files.h"
#include "base/text.h"
#include "base/units.h"
#include "cli/analysis.h"
#include "cli/ci_targets.h"
#include "cli/code_analysis.h"
#include "cli/command.h"
#include "cli/print_answer.h"
#include "compose/answers.h"
#include "compose/gate/ci_report.h"
#include "compose/gate/gate.h"

namespace frx::cli {
namespace command_ci {
namespace {

using compose::CiReport;
using Judged = derive::compare::Answer;

struct Options {
  Given given;
  std::vector<std::string> targets;
  std::string before, after;
  std::string sarif, junit, code_quality, summary;
  std::string format = "text";
  bool json = false, strict = false, exit_zero = false;
  CodeOptions code;
  report::AnalysisOptions analysis;
};

void describe_files(Syntax& syntax, Options& options) {
  syntax.option("--sarif", "FILE", options.sarif, "also write SARIF, for code scanning");
  syntax.option("--junit", "FILE", options.junit, "also write JUnit XML");
  syntax.option("--code-quality", "FILE", options.code_quality, "also write the Code Quality report of GitLab");
  syntax.option("--summary", "FILE", options.summary, "append the summary as Markdown; on GitHub it goes to the summary of the job");
}

void describe(Syntax& syntax, Options& options) {
  syntax.remember(options.given);
  syntax.text(
      "Checks what the repository holds: the code that git knows, or TARGETs, beside .frx-baseline.json and .frx-suppressions.yaml where "
      "there are such, and what its recordings say; with --before and --after two recordings of the program. Findings that are new, and a "
      "regression that was measured, "
      "fail; what is inconclusive passes unless --strict. On GitHub it prints annotations and writes the summary of the job.");
  syntax.arguments("TARGET", options.targets, "code: files and folders; default: what git knows of the current folder");
  syntax.option("--baseline", "FILE", options.code.gate.baseline, "what was found before; default: .frx-baseline.json where there is one");
  syntax.option("--write-baseline", "FILE", options.code.gate.write_baseline, "write what is found as a baseline for later runs");
  syntax.option("--suppressions", "FILE", options.code.gate.suppressions,
                "findings that are accepted; default: .frx-suppressions.yaml where there is one");
  syntax.choice("--fail-on", "SEVERITY", options.code.fail_on, {"low", "medium", "high"},
                "fail when a finding that counts is as grave as this; default: high");
  syntax.option("--before", "FILE", options.before, "a profile, trace or run bundle of the program before the change");
  syntax.option("--after", "FILE", options.after, "the same after it: a regression fails");
  syntax.flag("--strict", options.strict, "exit with 3 when what was measured is inconclusive");
  syntax.flag("--allow-unreadable", options.code.allow_unreadable, "files that cannot be read are named, and do not fail");
  syntax.flag("--exit-zero", options.exit_zero, "report, and exit with 0 whatever the verdict is");
  syntax.option("-I,--include", "DIR", options.code.build.include_folders, "CUDA source: a folder with its headers; may be given again");
  syntax.option("-D,--define", "NAME=VALUE", options.code.build.definitions, "CUDA source: a macro of the build; may be given again");
  describe_tier(syntax, options.analysis);
  describe_files(syntax, options);
  syntax.choice("--format", "FORMAT", options.format, answer_formats(), "how to print the answer");
  syntax.flag("--json", options.json, "the same as --format json (ci_report_v1)");
  describe_analysis(syntax, options.analysis);
  syntax.example("", "check the repository as its files say");
  syntax.example("--write-baseline .frx-baseline.json", "accept what is there today; later runs fail on what is new");
  syntax.example("--before main.ncu-rep --after pr.ncu-rep", "fail when the change made the kernels slower");
  syntax.exit_code(0, "passed, or inconclusive without --strict");
  syntax.exit_code(1, "failed: new findings, a regression, or code that cannot be read");
  syntax.exit_code(3, "nothing to check; with --strict, inconclusive");
}

// Where nothing is found there is nothing to hold against a baseline.
Result<> check_code(const Options& options, Session& session, Io& io, CiReport& report) {
  if (report.targets.empty()) return {};
  TRY_ASSIGN(const analyse::Analysis analysis, session.analyse(report.targets));
  const auto* code = analysis.as<analyse::CodeReport>();
  if (!code)
    return fail(ErrorKind::usage, "ci: expected code, found {}", analysis.analyzer == "layers" ? "files of several kinds" : "no code")
        .hint("recordings are given with --before and --after");
  if (const Error* error = code->only_error()) return Failure{*error};
  TRY_ASSIGN(report.code, answer_beside_baseline(analysis, options.code));
  io.kept.insert(io.kept.end(), report.code->kept.begin(), report.code->kept.end());
  TRY(write_baseline_if_asked(*report.code, options.code.gate, options.code.allow_unreadable, io));
  report.files = code->files();
  report.reached = compose::count_reaching(report.code->issues(), options.code.fail_on);
  if (Result<int> judged = judge_code(*code, *report.code, options.code); !judged) {
    report.verdict = "fail";
    report.reasons.push_back(in_one_line(judged.error()));
  }
  return {};
}

// What the recordings of the repository say. They tell of the past, so they fail nothing.
Result<> look_at_recordings(const std::vector<std::string>& files, Session& session, Io& io, CiReport& report) {
  constexpr std::size_t most = 20;
  constexpr std::uintmax_t largest = std::uintmax_t{256} << 20;
  report.recordings_left = files.size() - std::min(files.size(), most);
  for (const std::string& file : std::span(files).first(std::min(files.size(), most))) {
    compose::CiRecording& one = report.recordings.emplace_back(compose::CiRecording{.file = file, .sentence = {}, .error = {}});
    std::error_code error;
    if (std::filesystem::file_size(file, error) > largest) {
      one.error = fmt::format("larger than {} MiB: frx analyze {}", largest >> 20, shell_quote(file));
      continue;
    }
    const Result<analyse::Analysis> analysis = session.analyse(std::vector{file});
    if (!analysis) {
      one.error = in_one_line(analysis.error());
      continue;
    }
    const answer::Answer answer = analyse::answer_of(*analysis);
    one.sentence = answer.document(answer::Detail::brief).headline;
    io.kept.insert(io.kept.end(), answer.kept.begin(), answer.kept.end());
  }
  return {};
}

// No difference beyond the noise is an answer; too few or too scattered values are none.
std::string outcome_of(const report::RunComparison& comparison) {
  const derive::compare::Judgement& judgement = comparison.judgement;
  if (judgement.answer == Judged::worse) return "regression";
  if (!comparison.not_comparable.empty()) return "inconclusive";
  return judgement.answer == Judged::better || judgement.doubt == derive::compare::Doubt::within_noise ? "no_regression" : "inconclusive";
}

std::string outcome_of(const report::NcuComparison& comparison) {
  const report::ProfileJudgement& judgement = comparison.judgement;
  if (judgement.answer == Judged::worse || comparison.outcome == "regressed") return "regression";
  if (judgement.answer == Judged::better) return "no_regression";
  const std::optional<double> ratio = judgement.ratio();
  const bool is_noise = judgement.is_comparable && ratio && std::max(*ratio, 1 / *ratio) <= 1 + judgement.noise_floor;
  return is_noise ? "no_regression" : "inconclusive";
}

std::string what_would_decide(const report::ProfileJudgement& judgement) {
  if (!judgement.first || !judgement.second) return "kernel times on both sides (gpu__time_duration.sum)";
  if (!judgement.is_comparable) return "profiles of the same work on one GPU";
  return "further profiles of the side before the change, which say how much runs differ: frx compare --baseline";
}

Result<compose::CiComparison> compare_pair(const Options& options, Session& session, Io& io) {
  compose::CiComparison pair{
      .before = options.before, .after = options.after, .outcome = {}, .sentence = {}, .would_decide = {}, .answer = {}};
  analyse::RecordingSources sources{.first = ingest::Source::at(options.before), .second = ingest::Source::at(options.after)};
  sources.first_name = "before";
  sources.second_name = "after";
  TRY_ASSIGN(const analyse::Input first, session.input(options.before));
  if (first.kind() == ingest::Kind::trace || first.kind() == ingest::Kind::run_bundle) {
    TRY_ASSIGN(std::unique_ptr<analyse::ComparedRuns> compared, analyse::compare_runs(std::move(sources), session.context()));
    const std::shared_ptr<const analyse::ComparedRuns> kept = std::move(compared);
    pair.outcome = outcome_of(kept->comparison);
    pair.would_decide = compose::what_would_tell(kept->comparison);
    pair.answer = compose::answer_of(std::shared_ptr<const report::RunComparison>(kept, &kept->comparison));
  } else {
    TRY_ASSIGN(std::unique_ptr<analyse::ComparedProfiles> compared, analyse::compare_profiles(std::move(sources), session.context()));
    const std::shared_ptr<const analyse::ComparedProfiles> kept = std::move(compared);
    pair.outcome = outcome_of(kept->comparison);
    pair.sentence = pair.outcome == "inconclusive" ? kept->comparison.judgement.why_not : "";
    pair.would_decide = pair.outcome == "inconclusive" ? what_would_decide(kept->comparison.judgement) : "";
    pair.answer = compose::answer_of(std::shared_ptr<const report::NcuComparison>(kept, &kept->comparison));
  }
  session.end_progress();
  if (pair.sentence.empty()) pair.sentence = pair.answer.document(answer::Detail::brief).headline;
  io.kept.insert(io.kept.end(), pair.answer.kept.begin(), pair.answer.kept.end());
  return pair;
}

void conclude(const Options& options, CiReport& report) {
  const std::string outcome = report.measured ? report.measured->outcome : "";
  if (outcome == "regression") {
    report.verdict = "fail";
    report.reasons.push_back("a regression was measured: " + report.measured->sentence);
  } else if (outcome == "inconclusive") {
    if (report.verdict.empty()) report.verdict = "inconclusive";
    const std::string_view passes = options.strict ? "" : ", which passes without --strict";
    report.reasons.push_back(fmt::format("what was measured is inconclusive{}: {}", passes, report.measured->sentence));
    if (!report.measured->would_decide.empty()) report.reasons.push_back("would decide it: " + report.measured->would_decide);
  }
  if (report.verdict.empty()) report.verdict = "pass";
}

Result<> write_files(const answer::Answer& answer, const CiReport& report, const Options& options, Io& io) {
  const bool is_gitlab = report.service == "gitlab" && options.code_quality.empty() && report.code;
  const std::pair<std::string_view, std::string> files[] = {
      {"sarif", options.sarif}, {"junit", options.junit}, {"gitlab", is_gitlab ? "gl-code-quality-report.json" : options.code_quality}};
  for (const auto& [format, path] : files) {
    if (path.empty()) continue;
    TRY_ASSIGN(const std::string text, rendered_for_file(io, answer, format));
    TRY(write_file(path, text));
  }
  const std::string of_job = report.service == "github" ? io.environment("GITHUB_STEP_SUMMARY").value_or("") : "";
  for (const std::string& path : {options.summary, of_job}) {
    if (path.empty()) continue;
    TRY_ASSIGN(const std::string text, rendered_for_file(io, answer, "markdown"));
    TRY(append_to(path, text));
  }
  return {};
}

Result<int> act(const Options& given, Io& io) {
  Options options = given;
  TRY_ASSIGN(options.format, format_of("ci", given.json, given.format));
  if (options.before.empty() != options.after.empty())
    return fail(ErrorKind::usage, "ci: expected both --before and --after, found one of them");
  options.code.fail_on = options.code.fail_on.empty() ? "high" : options.code.fail_on;
  options.code.data_directory = options.analysis.data_directory;
  options.code.gate.baseline = file_or_usual(options.code.gate.baseline, ".frx-baseline.json");
  options.code.gate.suppressions = file_or_usual(options.code.gate.suppressions, ".frx-suppressions.yaml");
  const auto report = std::make_shared<CiReport>();
  report->service = ci_service(io);
  report->fail_on = options.code.fail_on;
  report->baseline = options.code.gate.baseline;
  report->suppressions = options.code.gate.suppressions;
  Session session(analyse::Options{.knowledge = options.analysis, .build = options.code.build}, io);
  const bool looks = options.targets.empty();
  const RepositoryFiles files = looks ? files_of_repository(io) : RepositoryFiles();
  report->targets = looks ? files.code : options.targets;
  TRY(check_code(options, session, io, *report));
  if (options.before.empty()) TRY(look_at_recordings(files.recordings, session, io, *report));
  if (!options.before.empty()) {
    TRY_ASSIGN(report->measured, compare_pair(options, session, io));
  }
  if (!report->code && !report->measured && report->recordings.empty())
    return fail(ErrorKind::not_enough, "ci: nothing to check: git knows no code and no recording here")
        .hint("frx ci TARGET, or --before and --after");
  conclude(options, *report);
  const answer::Answer answer = compose::answer_of(std::shared_ptr<const CiReport>(report));
  const bool annotates = report->service == "github" && !options.given.has("--format") && !options.json;
  if (annotates) TRY(print_answer(io, answer, "github"));
  TRY(print_answer(io, answer, options.format, answer::Detail::brief));
  TRY(write_files(answer, *report, options, io));
  if (options.exit_zero) return 0;
  if (report->verdict == "fail") return 1;
  return report->verdict == "inconclusive" && options.strict ? exit_code(ErrorKind::not_enough) : 0;
}

}  // namespace
}  // namespace command_ci

constinit const Command ci_command = make_command<command_ci::Options, command_ci::describe, command_ci::act>(
    "ci", "Check a repository: new findings, measured regressions", "Diagnose");

}  // namespace frx::cli
