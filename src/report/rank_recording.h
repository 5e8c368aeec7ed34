// The recording of a rank as a summary, and back: what is read from a summary is what was read from the trace.
#pragma once

#include <string>

#include "base/result.h"
#include "model/rank_summary.h"
#include "report/trace_analyst.h"

namespace frx::report {

// `words`: of the collectives. `node`: the machine on which the rank ran; "": not known. Pictures and layouts are not kept.
model::RankSummary summary_of(const RankRecording& recording, const Interner& words, std::string node);

// The recording as it was before it was judged, with the words of its collectives added to `words`. Errors: the summary was not written by
// summary_of(); the place is left to the caller.
Result<RankRecording> recording_of(const model::RankSummary& summary, Interner& words);

// Of the name that tensorboard_trace_handler gives, "host_4711.1730.pt.trace.json", the host; "" of other names.
std::string node_in_name(const std::string& trace);

}  // namespace frx::report
