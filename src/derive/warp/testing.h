// Requests for the tests of this folder.
#pragma once

#include "derive/warp/request.h"

namespace frx::derive::warp::testing {

// Lane i asks for `bytes` at begin + i * stride.
inline Request lanes_apart(std::int64_t begin, std::int64_t stride, std::uint32_t bytes, LaneMask active = all_lanes) {
  Request request{{}, active, bytes};
  for (std::uint32_t lane = 0; lane < lane_count; ++lane) request.addresses[lane] = begin + lane * stride;
  return request;
}

}  // namespace frx::derive::warp::testing
