// Do tensors lie in memory the same way in every step? What torch.compile compiled and CUDA graphs captured relies on it.
//
// An operator of one place of the program is compared with itself over the steady steps (step_alignment.h), input by input. Equal sizes and
// types with other strides are a finding; other sizes are changing shapes, which is another question, and are only counted. Strides of
// dimensions of one element have no say. Operators through which the same tensor flows on are part of the finding of the first one.
#pragma once

#include <vector>

#include "derive/layout/candidate.h"
#include "derive/layout/layout_trace.h"
#include "model/dynamo_log.h"

namespace frx::derive::layout {

inline constexpr std::string_view stride_instability_id = "stride_instability";

struct StrideStability {
  std::vector<Candidate> candidates;
  std::uint64_t compared = 0;             // operators of the usual step with recorded inputs
  std::uint64_t changing_shapes = 0;      // of those, whose sizes differ between steps
  std::vector<std::string> not_assessed;  // what could not be asked, and what would tell, in sentences
};

// Pattern "eager_strides". Facts of a candidate:
//   changes_per_step                of the steps that were compared, the share with other strides than the usual ones
//   steps_changed, steps_compared   how many steady steps have other strides than the usual ones, of how many
//   variants                        how many different strides there are, the usual ones among them
//   input                           which input of the operator, from 0
//   followers                       other operators (of a step) that take the same tensor, or what was made of it
//   at_compiled_region              1: the tensor is handed to a region that torch.compile made; else 0
//   has_compiled                    1: the trace has such regions; else 0
//   pin_bytes                       of memory traffic for copying the tensor once
//   extra_us_per_changed_step       of GPU time that the operators take more in those steps than in the usual ones; where work is recorded
// Words: sizes, type, expected and actual (the usual strides and the others), usual_layout, changed_layout, operator, steps ("3 and 5"),
// producer, usual_producer, inserted (operators that only the changed step calls before it), pin (the call that fixes the layout).
//
// O(n log n) in the operators of the steady steps.
StrideStability eager_stride_instability(const LayoutTrace& trace);

// All patterns: the one above, "recompile", "stride_guard", "graph_capture" and "graph_skip" (compile_stability.h). `log`: what
// torch.compile wrote about itself; null where there is none.
StrideStability stride_instability(const LayoutTrace& trace, const model::DynamoLog* log = nullptr);

}  // namespace frx::derive::layout
