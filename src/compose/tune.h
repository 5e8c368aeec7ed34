// A tuning as an answer, and the file of numbers that each of its trials gets.
#pragma once

#include <memory>
#include <string>

#include "answer/answer.h"
#include "report/tune/tune_report.h"

namespace frx::compose {

// Its result is autopilot_report.v1: what autopilot_report.json holds; its document is what report.md holds.
answer::Answer answer_of(std::shared_ptr<const report::TuneReport> report);

// metrics.json in the folder of a trial (tune_metrics.v1), with a line feed at its end.
std::string metrics_json(const report::TuneTrial& trial);

}  // namespace frx::compose
