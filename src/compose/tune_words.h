// What the text, the JSON and the figure of a tuning say alike.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/tune/tune_report.h"

namespace frx::compose {

// Throughput against the baseline, relative: 0.193 is 19.3 % more. A bound is absent where there are too few steps for one.
struct TuneChange {
  std::optional<double> value, low, high;
};
// The estimate that belongs to the interval, where there is one; else the plain difference of the two throughputs.
TuneChange tuned_change(const report::TuneTrial& trial);

// What became of a trial. A race is `screened` whatever it showed: only a full trial is compared with the limits.
enum class TuneOutcome : std::uint8_t { winner, better, below, inconclusive, worse, screened, rejected, not_run };
std::string_view outcome_name(TuneOutcome outcome);
std::string_view verdict_name(derive::tune::Verdict verdict);

// `winner`: that of the report.
TuneOutcome tuned_outcome(const report::TuneTrial& trial, const report::TuneTrial* winner);
const report::TuneTrial* winner_of(const report::TuneReport& report);

// Positions in report.trials: full trials by their change, races by theirs, what was rejected, what was not run.
std::vector<std::size_t> in_order_of_display(const report::TuneReport& report);

// Different candidates; full trials that may be recommended.
std::size_t count_of_candidates(const report::TuneReport& report);
std::size_t count_of_promoted(const report::TuneReport& report);

// How sure intervals are: "95 %".
std::string confidence_text();
// "+19.3 %", "n/a".
std::string tuned_change_text(const std::optional<double>& change);
// "16.1 to 22.6 %"; "" without bounds.
std::string interval_text(const TuneChange& change);
// "+19.3 % (16.1 to 22.6 %)", "+19.3 % (no interval)".
std::string change_with_interval(const TuneChange& change);
// "8 %", "7.5 %".
std::string share_words(double share);

// Why it was rejected, or not run: what the guards said, else how its runs failed.
std::vector<std::string> reasons_of(const report::TuneTrial& trial);
// The first two of them, and how many more there are.
std::string short_reasons(const report::TuneTrial& trial);
// "below 8 %", "promoted to full benchmark", "rejected: ...".
std::string outcome_text(const report::TuneTrial& trial, const report::TuneReport& report);

// How often as many measured steps would decide a trial that is inconclusive, when times scatter as before; absent where that is not known.
std::optional<double> steps_to_decide(const report::TuneTrial& trial, double min_speedup);

// "race/dl_nw4_pin1": relative to the folder of the tuning.
std::string folder_of(const report::TuneTrial& trial);

// For a POSIX shell: "FRX_NUM_WORKERS=4 python train.py".
std::string command_with(const report::Variables& variables, std::span<const std::string> command);
// For a POSIX shell: "frx tune --resume runs/tune-3f8a12b4"; the command and its settings are kept there.
std::string resume_command(const report::TuneReport& report);

}  // namespace frx::compose
