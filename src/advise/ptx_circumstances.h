// A PTX file, as circumstances for rules.
#pragma once

#include "advise/circumstances.h"
#include "advise/names.h"
#include "diagnose/ptx.h"

namespace frx::advise {

// The arguments must outlive it.
class PtxCircumstances : public Circumstances {
 public:
  PtxCircumstances(const diagnose::PtxDiagnosis& diagnosis, const Names& names) : diagnosis_(diagnosis), names_(names) {}

  Domain domain() const override { return Domain::ptx; }
  std::optional<double> value(std::uint32_t slot) const override;

 private:
  const diagnose::PtxDiagnosis& diagnosis_;
  const Names& names_;
};

}  // namespace frx::advise
