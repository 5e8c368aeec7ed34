// The signals that the rules for PTX ask for.
#pragma once

#include "advise/signal_map.h"
#include "diagnose/ptx.h"

namespace frx::advise {

SignalMap signals_of(const diagnose::PtxDiagnosis& diagnosis);

}  // namespace frx::advise
