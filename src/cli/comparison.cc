#include "cli/comparison.h"

#include <filesystem>

#include "base/text.h"
#include "cli/analysis.h"
#include "cli/json_output.h"
#include "cli/prediction_ledger.h"
#include "cli/print_answer.h"
#include "compose/answers.h"
#include "report/baselines.h"
#include "report/ncu_comparison.h"
#include "report/run_analyst.h"
#include "report/trace_analyst.h"

namespace frx::cli {
namespace {

// The one of the two reports that the file has.
struct Analysed {
  std::unique_ptr<report::TraceReport> trace;
  std::shared_ptr<const report::RunReport> run;

  const report::TraceReport* trace_report() const { return run ? run->trace.get() : trace.get(); }
  report::ComparedRun compared(std::string label) const {
    return run ? report::compared(*run, std::move(label)) : report::compared(*trace, std::move(label));
  }
};

Result<Analysed> analysed(analyse::Input input, Session& session) {
  Analysed result;
  if (input.kind() == ingest::Kind::run_bundle) {
    TRY_ASSIGN(result.run, session.run(std::move(input)));
  } else {
    TRY_ASSIGN(result.trace, session.trace(std::move(input)));
  }
  return result;
}

Result<Analysed> analysed(const std::string& path, Session& session) {
  TRY_ASSIGN(analyse::Input input, session.input(path));
  return analysed(std::move(input), session);
}

// The endings by which recordings are known.
constexpr std::string_view recording_endings[] = {".gz", ".json", ".trace", ".pt", ".zip", ".csv", ".txt", ".log"};

// "train.pt.trace.json.gz" -> "train", "report.v1.csv" -> "report.v1", "runs/run-3f/" -> "run-3f".
std::string name_of_file(const std::string& path) {
  const std::filesystem::path file(path);
  const std::string name = (file.has_filename() ? file : file.parent_path()).filename().string();
  std::string_view stem = name;
  for (bool found = true; found;) {
    found = false;
    for (const std::string_view ending : recording_endings) {
      if (stem.size() <= ending.size() || !stem.ends_with(ending)) continue;
      stem.remove_suffix(ending.size());
      found = true;
    }
  }
  return printable(stem);
}

std::pair<std::string, std::string> labels_of(const ComparisonOptions& options) {
  std::pair<std::string, std::string> labels = {
      options.first_label.empty() ? name_of_file(options.first) : printable(options.first_label),
      options.second_label.empty() ? name_of_file(options.second) : printable(options.second_label)};
  return labels.first == labels.second ? std::pair(options.first_name, options.second_name) : labels;
}

// The first side again is no further run of it.
Result<> expect_other_files(const ComparisonOptions& options) {
  for (std::size_t i = 0; i < options.baselines.size(); ++i) {
    std::vector<std::string> others(options.baselines.begin(), options.baselines.begin() + static_cast<std::ptrdiff_t>(i));
    others.insert(others.end(), {options.first, options.second});
    for (const std::string& other : others) {
      std::error_code error;
      if (!std::filesystem::equivalent(options.baselines[i], other, error)) continue;
      return fail(ErrorKind::usage, "compare: a --baseline is a further recording, not {} again", printable(other))
          .at(options.baselines[i]);
    }
  }
  return {};
}

using MaybeSpread = std::optional<derive::compare::BaselineSpread>;

Result<MaybeSpread> spread_of_runs(const ComparisonOptions& options, const report::ComparedRun& first, Session& session) {
  if (options.baselines.empty()) return MaybeSpread();
  TRY(expect_other_files(options));
  std::vector<report::ComparedRun> runs;
  for (const std::string& path : options.baselines) {
    TRY_ASSIGN(const Analysed run, analysed(path, session));
    runs.push_back(run.compared(name_of_file(path)));
  }
  TRY_ASSIGN(const derive::compare::BaselineSpread spread, report::spread_of_runs(first, runs));
  return MaybeSpread(spread);
}

// All of a profile, or one kernel of it.
Result<report::NcuReport> profile_of(const std::string& path, const std::string& kernel, Session& session) {
  TRY_ASSIGN(const report::NcuReport* whole, session.profile(path));
  if (kernel.empty()) return *whole;
  return report::profile_of_kernel(*whole, kernel);
}

Result<MaybeSpread> spread_of_profiles(const ComparisonOptions& options, const report::NcuReport& first, Session& session) {
  if (options.baselines.empty()) return MaybeSpread();
  TRY(expect_other_files(options));
  std::vector<report::NcuReport> profiles;
  for (const std::string& path : options.baselines) {
    TRY_ASSIGN(report::NcuReport profile, profile_of(path, options.first_kernel, session));
    profiles.push_back(std::move(profile));
  }
  TRY_ASSIGN(const derive::compare::BaselineSpread spread, report::spread_of_profiles(first, profiles));
  return MaybeSpread(spread);
}

// Two kernels of one file are called by their names.
std::pair<std::string, std::string> profile_labels(const ComparisonOptions& options, const report::NcuReport& first,
                                                   const report::NcuReport& second) {
  const bool by_kernel = options.first == options.second && first.kernels.size() == 1 && second.kernels.size() == 1;
  if (!by_kernel || !options.first_label.empty() || !options.second_label.empty()) return labels_of(options);
  return {first.kernels[0].short_name, second.kernels[0].short_name};
}

}  // namespace

Result<int> compare_runs(const ComparisonOptions& options, const report::AnalysisOptions& analysis, Io& io) {
  Session session(analysis, io);
  TRY_ASSIGN(const Analysed first, analysed(options.first, session));
  TRY_ASSIGN(const Analysed second, analysed(options.second, session));
  auto [first_label, second_label] = labels_of(options);
  report::ComparedRun before = first.compared(std::move(first_label));
  TRY_ASSIGN(const MaybeSpread baselines, spread_of_runs(options, before, session));
  const report::RunComparison comparison =
      report::compare(std::move(before), first.trace_report(), second.compared(std::move(second_label)), second.trace_report(),
                      options.noise_floor_pct / 100, baselines);
  TRY(print_answer(io, compose::answer_of(borrowed(comparison)), options.format));
  return options.fail_on_regression && comparison.judgement.answer == derive::compare::Answer::worse ? 1 : 0;
}

Result<int> compare_profiles(const ComparisonOptions& options, const report::AnalysisOptions& analysis, Io& io) {
  Session session(analysis, io);
  TRY_ASSIGN(const report::NcuReport first, profile_of(options.first, options.first_kernel, session));
  TRY_ASSIGN(const report::NcuReport second, profile_of(options.second, options.second_kernel, session));
  const auto [first_label, second_label] = profile_labels(options, first, second);
  TRY_ASSIGN(const MaybeSpread baselines, spread_of_profiles(options, first, session));
  const report::NcuComparison comparison = report::compare(first, second, first_label, second_label, baselines);
  std::optional<compose::KeptPredictions> kept;
  if (!options.ledger.empty()) {
    TRY_ASSIGN(const Appended appended, append_to_ledger(options.ledger, comparison.predictions));
    kept = {options.ledger, appended.added, appended.known};
  }
  TRY(print_answer(io, compose::answer_of(borrowed(comparison), kept), options.format));
  const bool is_slower = comparison.outcome == "regressed" || comparison.judgement.answer == derive::compare::Answer::worse;
  return options.fail_on_regression && is_slower ? 1 : 0;
}

Result<int> show_ledger(const std::string& path, const std::string& format, Io& io) {
  TRY_ASSIGN(const Ledger ledger, read_ledger(path));
  if (format == "json") {
    write_json(io, "ledger", ledger_json(ledger));
  } else {
    io.out.write(ledger_text(ledger));
  }
  return 0;
}

}  // namespace frx::cli
