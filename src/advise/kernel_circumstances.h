// A kernel of a profile, as circumstances for rules.
#pragma once

#include "advise/circumstances.h"
#include "advise/names.h"
#include "diagnose/diagnosis.h"

namespace frx::advise {

// The kernel where `label` holds: its heaviest group of launches with that label, or all launches when no group has it.
// The arguments must outlive it.
class KernelCircumstances : public Circumstances {
 public:
  KernelCircumstances(const diagnose::RunDiagnosis& run, const diagnose::KernelDiagnosis& kernel, std::string_view label,
                      const Names& names);

  Domain domain() const override { return Domain::kernel; }
  std::optional<double> value(std::uint32_t slot) const override;
  // By slots::fact.
  static std::span<const std::string_view> fact_names();

 private:
  const diagnose::KernelDiagnosis& kernel_;
  const Names& names_;
  const knowledge::Thresholds& thresholds_;  // with the user's own
  const model::Readings& readings_;
  const std::vector<model::Finding>& findings_;
  std::uint64_t program_classes_ = 0;  // of all kernels of the run
  std::size_t gpus_ = 0;
};

}  // namespace frx::advise
