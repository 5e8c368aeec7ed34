// GPU time by operator: of a recording, or of a profile of operators that was written before.
#pragma once

#include <optional>

#include "analyse/context.h"
#include "analyse/inputs.h"
#include "report/operator_profile.h"
#include "report/operator_replay.h"

namespace frx::analyse {

struct OperatorAnalysis {
  std::optional<report::OperatorProfile> profile;  // of a recording
  report::OperatorReport report;
};

// Errors, naming the source: it cannot be read, or is neither a trace nor a profile of operators.
Result<OperatorAnalysis> analyse_operators(Input input, report::OperatorGrouping grouping, Context& context);

// One operator of a recording with its inputs. Errors as operator_replay_of(), or the source cannot be read or is no recording.
Result<report::OperatorReplay> analyse_replay(Input input, const report::ReplayRequest& request, Context& context);

// "op", "module", "kernel"; nothing for another word.
std::optional<report::OperatorGrouping> operator_grouping(std::string_view word);

}  // namespace frx::analyse
