// What findings about a kernel are as the seven wastes of lean production.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "model/finding.h"
#include "model/full_profile.h"

namespace frx::report {

// Of the findings that fire, in their order; those that are no waste (a kernel at its limit) are left out. The impact is the share of the
// kernel's time that is at stake, where the finding states it and `duration_ns` is known.
std::vector<model::full_profile::Muda> muda_of(std::span<const model::Finding> findings, std::optional<double> duration_ns);

}  // namespace frx::report
