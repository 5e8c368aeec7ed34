// What the layout of tensors costs, of a trace.
#pragma once

#include <memory>
#include <optional>

#include "analyse/context.h"
#include "analyse/inputs.h"
#include "report/layout/layout_analyst.h"

namespace frx::analyse {

// What stands beside the trace.
struct LayoutSources {
  std::optional<Input> counters = {};   // a profile of Nsight Compute of the same program: measured bytes replace modelled ones
  std::optional<Input> log = {};        // what torch.compile wrote about itself
  std::optional<Input> execution = {};  // an execution trace that was recorded together with the trace
};

// Errors: the source is no trace or cannot be read; the counters are no profile with every launch by itself, or none of their launches is
// of the trace; as report::analyse_layout().
Result<std::shared_ptr<report::LayoutReport>> analyse_layout(Input input, report::LayoutRequest request, LayoutSources beside,
                                                             Context& context);

}  // namespace frx::analyse
