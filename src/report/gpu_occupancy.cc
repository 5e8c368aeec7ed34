#include "report/gpu_occupancy.h"

#include <algorithm>

#include "base/text.h"
#include "report/gpu_sheet.h"

namespace frx::report {

Result<GpuOccupancy> occupancy_on(const knowledge::GpuCatalogue& gpus, const std::string& name, const knowledge::LaunchShape& shape) {
  TRY_ASSIGN(const GpuLookup lookup, look_up_gpu(gpus, name));
  const knowledge::GpuMatch& match = lookup.match;
  GpuOccupancy result{.asked = name, .explanation = match.explanation, .limits = match.limits, .shape = shape};
  if (!match.candidates.empty()) {
    const model::ComputeCapability first = match.candidates.front()->cc;
    const bool is_one = std::ranges::all_of(match.candidates, [&](const knowledge::GpuProduct* one) { return one->cc == first; });
    if (!is_one) {
      return fail(ErrorKind::not_enough, "'{}' fits GPUs of several compute capabilities, which have other limits",
                  shorten(printable(name), 60))
          .hint("frx gpu show lists them; name one of them, or a compute capability such as sm_90");
    }
    result.limits = gpus.limits(first);
    result.explanation = fmt::format("'{}' fits {} products of compute capability {}, whose limits are the same",
                                     shorten(printable(name), 60), match.candidates.size(), knowledge::to_string(first));
  }
  if (!result.limits) return fail(ErrorKind::not_enough, "the limits of '{}' are not known", shorten(printable(name), 60));
  result.occupancy = knowledge::occupancy(shape, *result.limits);
  result.changes = knowledge::what_would_change(shape, *result.limits);
  return result;
}

}  // namespace frx::report
