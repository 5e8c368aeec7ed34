// From a trace to what its layouts cost.
#pragma once

#include <memory>

#include "derive/layout/layout_trace.h"
#include "knowledge/knowledge.h"
#include "model/dynamo_log.h"
#include "model/execution_trace.h"
#include "report/layout/layout_report.h"

namespace frx::report {

struct LayoutRequest {
  std::string model;             // what the user calls the program; "": the name of the file
  std::string gpu_model;         // --gpu-model; "": as the trace says
  bool gpu_is_fallback = false;  // as the trace says, where it does
  std::optional<derive::layout::StepSelection> steps;
  std::string sites_in;                 // only files with this in their path name sites; "": all of the program
  double least_saving_pct = 0;          // findings that save less are left out; those without a number are not
  std::optional<model::DynamoLog> log;  // what torch.compile wrote about itself
  std::vector<double> measured_bytes;   // by kernel of the timeline, by start: DRAM traffic; NaN: not measured; empty: nothing was
  std::string measured_by;              // the file of these counters
  std::optional<model::ExecutionTrace> execution;  // tells which inputs are one tensor
};

// `timeline`: read with the arguments of every operator. Errors: the GPU or the steps that were asked for are not known; the trace has
// neither operators nor kernels whose names tell something (ErrorKind::not_enough).
Result<std::shared_ptr<LayoutReport>> analyse_layout(model::Timeline timeline, const LayoutRequest& request,
                                                     const knowledge::Knowledge& known, const knowledge::LayoutKnowledge& detectors);

// {name} replaced by the words and numbers of a candidate; "?" for what it does not have.
std::string layout_words(std::string_view words, const derive::layout::Candidate& candidate);

}  // namespace frx::report
