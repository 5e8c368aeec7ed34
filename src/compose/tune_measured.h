// What the runs of a tuning measured beyond their times, for people: quality, GPU and the machine.
#pragma once

#include <string>

#include "answer/document.h"
#include "report/tune/tune_report.h"

namespace frx::compose {

// "4.80 steps/sec (153.6 samples/sec)"; "not measured".
std::string tuned_throughput(const report::TuneTrial& trial);
// "208.3 ms", "4.1 %", "41.2 % of the GPU's memory at its peak"; "not measured", never 0.
std::string tuned_step_time(const report::TuneTrial& trial);
std::string tuned_gpu_use(const report::TuneTrial& trial);
std::string tuned_memory(const report::TuneTrial& trial);
// "1980 MHz, 54 C, not slowed down; 1 run was slowed down and repeated"; "not measured".
std::string tuned_gpu_state(const report::TuneTrial& trial);
// "final loss 1.02 (baseline 1.01), accuracy 0.91 (baseline 0.9)"; "not reported".
std::string tuned_quality(const report::TuneTrial& trial, const report::TuneTrial& baseline);

// A table of the baseline and all full trials; columns that no side measured are left out.
void add_tuned_measurements(answer::Document& page, const report::TuneReport& report);
// How it was tuned: focus, windows, machine.
void add_tuning_conditions(answer::Document& page, const report::TuneReport& report);

}  // namespace frx::compose
