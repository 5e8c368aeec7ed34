// Which modules of a recorded model do the same work, so that measuring one of them is enough.
#pragma once

#include <string>

#include "derive/trace/equal_layers.h"
#include "report/operators/operator_profile.h"

namespace frx::report {

struct LayersReport {
  OperatorProfile profile;  // what the names of the division stand in
  derive::trace::LayerDivision division;
  std::int64_t kernel_ns = 0;  // of all kernels that count
};

LayersReport layers_of(OperatorProfile profile);

}  // namespace frx::report
