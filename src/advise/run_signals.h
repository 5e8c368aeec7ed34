// The signals that the rules for runs ask for.
#pragma once

#include "advise/signal_map.h"
#include "model/run_facts.h"

namespace frx::advise {

SignalMap signals_of(const model::RunFacts& facts);

}  // namespace frx::advise
