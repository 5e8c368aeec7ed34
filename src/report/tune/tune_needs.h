// What an action needs of the machine, the program and the settings, and whether that is there.
#pragma once

#include <string>

#include "knowledge/tuning.h"
#include "report/tune/candidates.h"

namespace frx::report {

// An action that needs it may be offered: what is unknown counts as there, but for a GPU, which has to be seen.
bool may_offer(knowledge::TuningNeed need, const TuneQuestion& question, const knowledge::Tuning& tuning);

// Why an action that needs it must not be run, without full stop; "" where nothing speaks against it. Unknown memory does not.
std::string reason_against(knowledge::TuningNeed need, const TuneQuestion& question, const knowledge::Tuning& tuning);

}  // namespace frx::report
