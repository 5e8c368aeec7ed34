#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "base/text.h"
#include "compose/fake_tune.h"
#include "compose/testing.h"
#include "compose/tune_text.h"
#include "compose/tune_words.h"
#include "render/style.h"

namespace frx::compose {
namespace {

using derive::tune::Verdict;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

std::string tune_text(const report::TuneReport& report, int width = 100) {
  return render::text_of(document_of(report), {.width = width, .colour = false, .detail = answer::Detail::full});
}

// The lines of a section of a text, without the rule below its heading and the empty line at its end.
std::string tune_section(const std::string& text, std::string_view heading) {
  const std::size_t begin = text.find(fmt::format("\n{}\n-", heading));
  if (begin == text.npos) return "";
  const std::size_t from = text.find('\n', begin + heading.size() + 2) + 1;
  return text.substr(from, text.find("\n\n", from) - from);
}

TEST(TuneText, SaysWhatTheBaselineDid) {
  EXPECT_EQ(tune_section(tune_text(testing::improved_report()), "BASELINE"),
            "  Throughput    : 4.80 steps/sec (153.6 samples/sec)\n"
            "  Avg step      : 208.3 ms\n"
            "  GPU util      : 1.3 %\n"
            "  Dominant stall: input_bound\n"
            "  GPU memory    : 25.0 % at its peak, 20.0 of 80.0 GiB\n"
            "  GPU state     : 1980 MHz, 41 C, not throttled");
}

TEST(TuneText, WhatWasNotMeasuredIsNotZero) {
  report::TuneReport report = testing::improved_report();
  report.baseline.gpu_utilization_pct = report.baseline.peak_memory_ratio = std::nullopt;
  report.baseline.runs[0].gpus.clear();
  report.baseline.dominant_stall.clear();
  const std::string baseline = tune_section(tune_text(report), "BASELINE");
  EXPECT_THAT(baseline, HasSubstr("GPU util      : not measured"));
  EXPECT_THAT(baseline, HasSubstr("GPU memory    : not measured"));
  EXPECT_THAT(baseline, HasSubstr("GPU state     : not measured"));
  EXPECT_THAT(baseline, HasSubstr("Dominant stall: not known"));
}

TEST(TuneText, ListsWhatIsFasterThenRacesThenWhatFailed) {
  EXPECT_EQ(tune_section(tune_text(testing::improved_report()), "TRIAL RESULTS"),
            "  Configuration          Change       95 % interval  Outcome\n"
            "  dl:nw=4,pin=T         +19.3 % \u2713    16.1 to 22.6 %  winner\n"
            "  dl:nw=8,pin=T         +18.1 % \u2713    15.0 to 21.3 %  faster; no clear difference to the winner\n"
            "  amp:fp16 [RACE]       +28.0 %      20.0 to 36.5 %  promoted to full benchmark\n"
            "  dl:nw=4,pin=T [RACE]  +19.3 %      12.0 to 27.0 %  promoted to full benchmark\n"
            "  dl:nw=8,pin=T [RACE]  +18.1 %      11.0 to 25.7 %  promoted to full benchmark\n"
            "  dl:nw=0,pin=T [RACE]   +1.2 %       -3.0 to 5.6 %  screened out by quicker candidates\n"
            "  amp:fp16              +28.0 %      24.0 to 32.0 %  rejected: quality regression: final loss 1.2\n"
            "                                                     exceeds baseline 1 by more than 5%\n"
            "  bs:64(2x)                                          not run: memory headroom 0.15 is below 0.20\n"
            "  Change: of the throughput against the baseline. \u2713: at least 8 % faster, and all of the interval is\n"
            "  above 0. A race is a short run that only decides what is measured in full.");
}

TEST(TuneText, ShowsTwoReasonsAndCountsTheOthers) {
  report::TuneTrial trial = testing::improved_report().trials[4];
  trial.guard_failures = {"exit code 3", "2 steps are fewer than 3", "throughput is 0", "the loss is NaN"};
  EXPECT_EQ(short_reasons(trial), "exit code 3; 2 steps are fewer than 3; and 2 more");
  trial.guard_failures.clear();
  trial.runs[0].failure = "it ended with signal 9";
  EXPECT_EQ(short_reasons(trial), "it ended with signal 9") << "without guards the runs say why";
}

TEST(TuneText, NamesTheWinnerAndWhatToSet) {
  const std::string text = tune_text(testing::improved_report());
  EXPECT_EQ(tune_section(text, "WINNER"),
            "  Config        : dl:nw=4,pin=T\n"
            "  Throughput    : 5.73 steps/sec (+19.3 % vs baseline)\n"
            "  Gain          : 16.1 to 22.6 % at 95 % confidence\n"
            "  Avg step      : 174.5 ms\n"
            "  GPU util      : not measured\n"
            "  GPU memory    : not measured\n"
            "  GPU state     : not measured\n"
            "  Quality       : final loss 1.01 (baseline 1)\n"
            "  Risk          : low\n"
            "  What it does  : The loader has 4 worker processes.");
  EXPECT_EQ(tune_section(text, "ENV VARS TO APPLY"), "  FRX_NUM_WORKERS=4\n  FRX_PIN_MEMORY=true");
  EXPECT_THAT(text, HasSubstr("\n  Applied: No \u2014 recommendation only\n"));
  EXPECT_THAT(text, HasSubstr("\n    FRX_NUM_WORKERS=4 FRX_PIN_MEMORY=true python train.py --data 'my data'\n"));
  EXPECT_THAT(text, Not(HasSubstr("NO IMPROVEMENT")));
  EXPECT_EQ(document_of(testing::improved_report()).headline,
            "dl:nw=4,pin=T is 19.3 % faster than the baseline (95 % interval 16.1 to 22.6 %)");
}

TEST(TuneText, OtherBatchesAreComparedBySamples) {
  report::TuneReport report = testing::improved_report();
  report::TuneTrial& winner = report.trials[6];
  winner.runs[0].batch_size = 64;
  winner.samples_per_s = 183.36;
  winner.throughput = 2.865;
  EXPECT_THAT(tune_text(report), HasSubstr("Throughput    : 183.4 samples/sec (+19.3 % vs baseline), 64 samples a step rather than 32\n"));
}

TEST(TuneText, SaysWhatWouldDecideAnInconclusiveTrial) {
  const std::string none = tune_section(tune_text(testing::undecided_report(), 100), "NO IMPROVEMENT FOUND");
  EXPECT_EQ(none,
            "  No configuration was shown to be at least 8 % faster than the baseline. Keep the one that you\n"
            "  have.\n"
            "  - dl:nw=8,pin=T is inconclusive: +10.0 % (-5.0 to 27.0 %). About 3 times as many measured steps\n"
            "    would decide it, if they scatter as before: --repeat-count 3 (now 1), or --measure-steps 60 (now\n"
            "    20).\n"
            "  - the fastest that was decided is dl:nw=4,pin=T: +3.0 % (1.0 to 5.0 %)\n"
            "  - only tier 0 was tried; --no-safe also tries batch size, mixed precision, torch.compile and CUDA\n"
            "    Graphs");
}

TEST(TuneText, StepsToDecideGrowWithTheSquareOfTheInterval) {
  const report::TuneTrial plain = testing::tune_trial("a", testing::loader_action(2, true), 5);
  // It gains enough: twice as far from 0 on a logarithmic scale as its lower bound may be.
  const report::TuneTrial enough = testing::compared(plain, 0.10, 1 / 1.10 - 1, 0.331, Verdict::inconclusive);
  EXPECT_NEAR(steps_to_decide(enough, 0.08).value(), 4, 1e-9);
  // It gains too little: log(1.0816) - log(1.04) is log(1.04), three times that is log(1.124864).
  const report::TuneTrial little = testing::compared(plain, 0.04, 0, 1.04 * 1.124864 - 1, Verdict::inconclusive);
  EXPECT_NEAR(steps_to_decide(little, 0.0816).value(), 9, 1e-9);
  const report::TuneTrial open = testing::compared(plain, 0.1, -1, std::numeric_limits<double>::infinity(), Verdict::inconclusive);
  EXPECT_FALSE(steps_to_decide(open, 0.08));
}

TEST(TuneText, SaysThatAnIntervalHasNoBounds) {
  const report::TuneTrial plain = testing::tune_trial("a", testing::loader_action(2, true), 5);
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(change_with_interval(tuned_change(plain)), "n/a");
  EXPECT_EQ(change_with_interval(tuned_change(testing::compared(plain, 0.1, -1, infinity, Verdict::inconclusive))),
            "+10.0 % (no interval)");
  EXPECT_EQ(change_with_interval(tuned_change(testing::compared(plain, 0.1, 0.02, infinity, Verdict::better))), "+10.0 % (2.0 % or more)");
  EXPECT_EQ(change_with_interval(tuned_change(testing::compared(plain, -0.1, -1, -0.02, Verdict::worse))), "-10.0 % (-2.0 % or less)");
  EXPECT_EQ(change_with_interval(tuned_change(testing::compared(plain, 1.858, 0.9, 2.117, Verdict::better))), "+186 % (90.0 to 212 %)");
}

TEST(TuneText, ABaselineThatFailedIsComparedWithNothing) {
  report::TuneReport report = testing::tune_report();
  report.trials.clear();
  report.baseline = {};
  report.baseline.exit_code = 3;
  report.baseline.runs.resize(1);
  report.baseline.runs[0].failure = "it ended with code 3";
  const std::string text = tune_text(report);
  EXPECT_THAT(text, HasSubstr("  Failed        : it ended with code 3\n  Throughput    : not measured\n"));
  EXPECT_THAT(text, HasSubstr("- the baseline was not measured, so nothing was compared: it ended with code 3\n"));
  EXPECT_EQ(document_of(report).headline, "The baseline was not measured");
}

TEST(TuneText, AnUnfinishedTuningSaysHowToGoOn) {
  report::TuneReport report = testing::tune_report();
  report.trials.resize(2);
  report.unfinished = "interrupted";
  report.reused_runs = 1;
  report.folder = "my runs/tune-3f8a12b4";
  const std::string text = tune_text(report);
  EXPECT_THAT(text, HasSubstr("Took          : 211 s, with 1 run reused by --resume\n"));
  EXPECT_THAT(tune_section(text, "NOT FINISHED"), EndsWith("\n    frx tune --resume 'my runs/tune-3f8a12b4'"));
  EXPECT_THAT(text, HasSubstr("So far no configuration was shown to be"));
}

TEST(TuneText, ThrottledRunsAreNamed) {
  report::TuneReport report = testing::improved_report();
  report::TuneTrial& winner = report.trials[6];
  winner.runs.push_back(winner.runs[0]);
  for (report::TuneRun& run : winner.runs) run.gpus = report.baseline.runs[0].gpus;
  winner.runs[1].gpus[0].mean_sm_clock_mhz = 1755;
  winner.repeated = {winner.runs[1]};
  winner.noise_band = 0.012;
  winner.confidence_label = "medium";
  const std::string text = tune_section(tune_text(report), "WINNER");
  EXPECT_THAT(text, HasSubstr("GPU state     : 1755 to 1980 MHz, 41 C, not throttled, 1 earlier run while it was throttled is\n"
                              "                  left out\n"));
  EXPECT_THAT(text, HasSubstr("Confidence    : medium, noise of the throughput 1.2 % over 2 runs\n"));
}

TEST(TuneText, WithoutAGpuNothingIsSaidOfItsMemory) {
  report::TuneReport report = testing::improved_report();
  report.environment.gpu_name.clear();
  report.baseline.gpu_utilization_pct = report.baseline.peak_memory_ratio = std::nullopt;
  EXPECT_EQ(tune_section(tune_text(report), "BASELINE"),
            "  Throughput    : 4.80 steps/sec (153.6 samples/sec)\n"
            "  Avg step      : 208.3 ms\n"
            "  GPU util      : not measured\n"
            "  Dominant stall: input_bound");
}

TEST(TuneText, WhatIsSaidOfSeveralTrialsStandsOnce) {
  report::TuneReport report = testing::improved_report();
  report.notes = {"a note of the tuning"};
  for (report::TuneTrial& trial : report.trials) {
    if (!trial.runs.empty()) trial.comparison_notes = {"memory was not measured"};
  }
  report.trials[1].comparison_notes.emplace_back("the loss was not reported");
  report.trials[6].comparison_notes.emplace_back("the loss was not reported");
  EXPECT_EQ(tune_section(tune_text(report) + "\n", "NOTES"),
            "  - a note of the tuning\n"
            "  - all trials: memory was not measured\n"
            "  - dl:nw=4,pin=T [RACE] and dl:nw=4,pin=T: the loss was not reported");
}

TEST(TuneText, FitsIntoATerminalOf80Cells) {
  EXPECT_THAT(testing::too_wide(tune_text(testing::improved_report(), 80), 80), ::testing::IsEmpty());
  EXPECT_THAT(testing::too_wide(tune_text(testing::undecided_report(), 80), 80), ::testing::IsEmpty());
}

}  // namespace
}  // namespace frx::compose
