#include "cli/comparison.h"

#include <filesystem>

#include "analyse/recordings.h"
#include "base/text.h"
#include "cli/analysis.h"
#include "cli/json_output.h"
#include "cli/prediction_ledger.h"
#include "cli/print_answer.h"
#include "compose/answers.h"

namespace frx::cli {
namespace {

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

Result<analyse::RecordingSources> sources_of(const ComparisonOptions& options) {
  TRY(expect_other_files(options));
  return analyse::RecordingSources{.first = ingest::Source::at(options.first),
                                   .second = ingest::Source::at(options.second),
                                   .first_label = options.first_label,
                                   .second_label = options.second_label,
                                   .first_name = options.first_name,
                                   .second_name = options.second_name,
                                   .first_kernel = options.first_kernel,
                                   .second_kernel = options.second_kernel,
                                   .baselines = ingest::Source::at_each(options.baselines),
                                   .noise_floor_pct = options.noise_floor_pct};
}

}  // namespace

Result<int> compare_runs(const ComparisonOptions& options, const report::AnalysisOptions& analysis, Io& io) {
  Session session(analysis, io);
  TRY_ASSIGN(analyse::RecordingSources sources, sources_of(options));
  TRY_ASSIGN(const std::unique_ptr<analyse::ComparedRuns> compared, analyse::compare_runs(std::move(sources), session.context()));
  session.end_progress();
  TRY(print_answer(io, compose::answer_of(borrowed(compared->comparison)), options.format));
  return options.fail_on_regression && compared->comparison.judgement.answer == derive::compare::Answer::worse ? 1 : 0;
}

Result<int> compare_profiles(const ComparisonOptions& options, const report::AnalysisOptions& analysis, Io& io) {
  Session session(analysis, io);
  TRY_ASSIGN(analyse::RecordingSources sources, sources_of(options));
  TRY_ASSIGN(const std::unique_ptr<analyse::ComparedProfiles> compared, analyse::compare_profiles(std::move(sources), session.context()));
  session.end_progress();
  const report::NcuComparison& comparison = compared->comparison;
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
