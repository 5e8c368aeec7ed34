// The folder of one run of frx tune: what was to be run, what came out of it, and whether that may be used again.
//
//   config.yaml benchmark_window.json   written before the run: the same texts mean the same run
//   stdout.log stderr.log raw/trace.jsonl gpu_metrics.csv quality.json   written while it runs
//   derived/summary.json run.json       written after it; run.json comes last, and without it the run is not finished
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analyse/context.h"
#include "answer/json.h"
#include "base/result.h"
#include "report/run_report.h"
#include "report/tune/tune_report.h"

namespace frx::analyse {

struct TrialPlan {
  const report::TuneCandidate& candidate;
  report::TuneStage stage = report::TuneStage::full;
  std::size_t number = 1;
  const report::TuneWindow& window;
  const std::vector<std::string>& command;
  const report::TuneSettings& settings;
  const report::TuneEnvironment& environment;
};

// As config.yaml and benchmark_window.json say it. Arguments that look like credentials are "***".
std::string trial_config_text(const TrialPlan& plan);
std::string window_text(const report::TuneWindow& window);
// The members of benchmark_window.json.
answer::Json window_json(const report::TuneWindow& window);

// run.json, tune_run.v1: what the files of the run do not say.
std::string run_record_text(const report::TuneRun& run);
// Malformed, with file: it is no such record.
Result<report::TuneRun> read_run_record(const std::string& path);

// Empties the folder, or makes it, with raw/ and derived/ in it, and writes what is to be run.
Result<> prepare_trial_folder(const std::string& folder, const TrialPlan& plan);

// The record of a finished run of exactly this plan; nullopt where there is none. Runs that were never started are none.
std::optional<report::TuneRun> finished_run(const std::string& folder, const TrialPlan& plan);

// What the files of a run say. A run without a trace gets a failure, and no report.
struct TrialReading {
  std::shared_ptr<const report::RunReport> report;  // null without a trace
  std::string bottleneck;                           // the label that leads, its cause where it is a symptom; "" without steps
  std::optional<double> batch_size;                 // the most frequent one
  bool ran_out_of_memory = false;
};
// Fills in the numbers of `run`, seen through the window, and writes derived/summary.json.
Result<TrialReading> read_trial_folder(const std::string& folder, const report::TuneWindow& window, report::TuneRun& run, Context& context);

}  // namespace frx::analyse
