// From the facts of a run to its diagnosis and advice.
#pragma once

#include <memory>
#include <string>

#include "knowledge/run_labels.h"
#include "report/expertise.h"
#include "report/run_scope.h"

namespace frx::report {

// The file of the user's own thresholds.
struct ThresholdOptions {
  std::string arch_profile;      // --arch-profile FILE, or ""
  std::string gpu_model;         // --gpu-model NAME: its section of the file applies in addition to the top level
  bool gpu_is_fallback = false;  // the trace goes before it, where it says which GPU it was
};

class RunJudge {
 public:
  // `data_directory`: YAML merged over the built-in labels and advice, or "".
  static Result<std::unique_ptr<RunJudge>> create(const std::string& data_directory, const ThresholdOptions& thresholds = {});

  // Fills in diagnosis and advice from facts and dominant stall. They point into this judge.
  void judge(RunScope& scope, const diagnose::RunSample& sample) const;
  const knowledge::RunLabels& labels() const { return labels_; }
  const knowledge::Knowledge& knowledge() const { return expertise_->knowledge(); }

 private:
  RunJudge() = default;

  std::shared_ptr<const Expertise> expertise_;
  knowledge::RunLabels labels_;
};

}  // namespace frx::report
