// The signals of a kernel that the rules ask for, read from a diagnosed Nsight Compute profile.
#pragma once

#include <span>
#include <string_view>

#include "advise/signal_map.h"
#include "diagnose/diagnosis.h"
#include "knowledge/knowledge.h"

namespace frx::advise {

// Signals of `kernel`, taken where `label` holds: from its heaviest group of launches with that label,
// or over all launches when no group has it. Nothing is assumed: what was not measured is absent.
SignalMap signals_of(const diagnose::RunDiagnosis& run, const diagnose::KernelDiagnosis& kernel, std::string_view label,
                     const knowledge::Knowledge& knowledge);

// Every name that signals_of() may set.
std::span<const std::string_view> signal_names();

}  // namespace frx::advise
