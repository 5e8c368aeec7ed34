// The whole pipeline for one profile, from bytes to report, in the order of the folders.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/files.h"
#include "report/expertise.h"
#include "report/report.h"

namespace frx::report {

struct AnalysisOptions {
  std::string data_directory;    // --data DIR merged over the embedded data
  std::string gpu_model;         // --gpu-model NAME
  std::string arch_profile;      // --arch-profile FILE
  bool pedantic = false;         // --pedantic: findings in code of the pedantic tier, too
  bool with_figures = false;     // keep what timelines are drawn from, for renderers that draw
  bool gpu_is_fallback = false;  // gpu_model is of the settings: what a profile or trace says goes before it
};

// Owns everything that a report points into, so that both can be passed around as one.
class Analyst {
 public:
  static Result<std::unique_ptr<Analyst>> create(AnalysisOptions options);

  const knowledge::Knowledge& knowledge() const { return expertise_->knowledge(); }

  // `name` is the name of the source in the report. The report is valid as long as the analyst.
  Result<const NcuReport*> analyse(std::string name, ByteSource& source, const std::function<void(std::uint64_t)>& progress = {});
  // Of what was read before.
  Result<const NcuReport*> analyse(model::Session session);
  Result<const NcuReport*> analyse_file(const std::string& path, const std::function<void(std::uint64_t)>& progress = {});

 private:
  Analyst() = default;

  struct Case {
    diagnose::RunDiagnosis run;
    NcuReport report;
  };

  AnalysisOptions options_;
  std::shared_ptr<const Expertise> expertise_;
  std::vector<std::unique_ptr<Case>> cases_;
};

}  // namespace frx::report
