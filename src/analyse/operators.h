// GPU time by operator: of a recording, or of a profile of operators that was written before; and counters at its kernels.
#pragma once

#include <memory>
#include <optional>

#include "analyse/context.h"
#include "analyse/inputs.h"
#include "report/operators/capture_comparison.h"
#include "report/operators/kernel_counters.h"
#include "report/operators/operator_manifest.h"
#include "report/operators/operator_profile.h"
#include "report/operators/operator_replay.h"

namespace frx::analyse {

// Counters joined with the kernels of a manifest, and how they become those of operators.
struct OperatorCounters {
  report::JoinedCounters joined;
  knowledge::OperatorCounters definitions;
};

struct OperatorAnalysis {
  std::optional<report::OperatorProfile> profile;  // of a recording
  std::optional<OperatorCounters> counters;        // of a recording, where a file with counters was given
  report::OperatorReport report;
};

// Errors, naming the source: it cannot be read, or is neither a trace nor a profile of operators; `counters` is no profile of Nsight
// Compute with every launch by itself, or the source is no recording that it could be joined with.
Result<OperatorAnalysis> analyse_operators(Input input, report::OperatorGrouping grouping, Context& context,
                                           std::optional<Input> counters = std::nullopt);
// Of a report about a file that was written before: kinds of work.
Result<> add_details(report::OperatorReport& report, Context& context);
// By operator, with kinds of work, counters and what limits each. `source`: what the report is about.
Result<report::OperatorReport> report_of(const report::OperatorManifest& manifest, std::string_view source,
                                         const OperatorCounters& counters, Context& context);
// A recording as the kernels of a manifest are.
Result<report::OperatorProfile> read_recording(Input input, Context& context);
// Errors name the source of the counters.
Result<OperatorCounters> read_counters(Input input, const report::OperatorManifest& manifest, const report::LayerPartition& layers,
                                       Context& context);

// One side of a comparison: the kernel times of a recording, or of a profile of operators, in each iteration. Errors as
// analyse_operators().
Result<report::OperatorCapture> read_capture(Input input, const knowledge::OperatorCounters& counters, Context& context);
// Errors as read_capture() and report::compare_captures().
Result<report::CaptureComparison> compare_captures(Input before, Input after, bool allow_different_batch, Context& context);

// One operator of a recording with its inputs. Errors as operator_replay_of(), or the source cannot be read or is no recording.
Result<report::OperatorReplay> analyse_replay(Input input, const report::ReplayRequest& request, Context& context);

// "op", "module", "kernel"; nothing for another word.
std::optional<report::OperatorGrouping> operator_grouping(std::string_view word);

}  // namespace frx::analyse
