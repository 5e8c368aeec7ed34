// What the layout of tensors costs, of a trace.
#pragma once

#include <memory>

#include "analyse/context.h"
#include "analyse/inputs.h"
#include "report/layout/layout_analyst.h"

namespace frx::analyse {

// Errors: the source is no trace or cannot be read; as report::analyse_layout().
Result<std::shared_ptr<report::LayoutReport>> analyse_layout(Input input, const report::LayoutRequest& request, Context& context);

}  // namespace frx::analyse
