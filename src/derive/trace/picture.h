// A trace as a browser draws it (model/timeline_picture.h).
#pragma once

#include <vector>

#include "derive/trace/steps.h"
#include "model/timeline.h"
#include "model/timeline_picture.h"

namespace frx::derive::trace {

// More events than this are thinned out: the shortest are left out.
inline constexpr std::size_t picture_events = 1'500'000;

// `steps`: those of the first process are drawn. O(n log n) in the number of events.
model::TimelinePicture picture_of(const model::Timeline& timeline, const std::vector<Steps>& steps,
                                  std::size_t most_events = picture_events);

}  // namespace frx::derive::trace
