// A run of steps, as circumstances for rules.
#pragma once

#include "advise/circumstances.h"
#include "advise/names.h"
#include "diagnose/training.h"
#include "model/program_traits.h"
#include "model/run_facts.h"

namespace frx::advise {

// Facts of the program besides its steps.
struct ProgramFacts {
  bool is_pytorch = true;       // the SDK and the profiler that steps are read from belong to it
  bool ranks_compared = false;  // also true where there are no ranks
  std::optional<bool> mixed_precision;
  std::optional<double> gpus;
  model::ProgramTraits traits;
};

// The arguments must outlive it. `thresholds`: with the user's own merged over them.
class RunCircumstances : public Circumstances {
 public:
  RunCircumstances(const model::RunFacts& facts, const diagnose::TrainingDiagnosis& diagnosis, const knowledge::Thresholds& thresholds,
                   const ProgramFacts& program, const Names& names)
      : facts_(facts), diagnosis_(diagnosis), thresholds_(thresholds), program_(program), names_(names) {}

  Domain domain() const override { return Domain::run; }
  std::optional<double> value(std::uint32_t slot) const override;
  // By slots::fact.
  static std::span<const std::string_view> fact_names();

 private:
  const model::RunFacts& facts_;
  const diagnose::TrainingDiagnosis& diagnosis_;
  const knowledge::Thresholds& thresholds_;
  ProgramFacts program_;
  const Names& names_;
};

}  // namespace frx::advise
