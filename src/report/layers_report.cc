#include "report/layers_report.h"

namespace frx::report {

LayersReport layers_of(OperatorProfile profile) {
  LayersReport report{std::move(profile), {}, 0};
  report.division = derive::trace::equal_layers(report.profile.timeline, report.profile.calls);
  for (const derive::trace::OperatorKernel& kernel : report.profile.calls.kernels) {
    if (kernel.method != derive::trace::OperatorMethod::before) report.kernel_ns += report.profile.timeline.duration[kernel.event];
  }
  return report;
}

}  // namespace frx::report
