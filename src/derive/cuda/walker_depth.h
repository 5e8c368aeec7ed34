// Limits on depth and length: code that is nested too deeply or is too long is not followed further.
#pragma once

#include "derive/cuda/walker.h"

namespace frx::derive::cuda {

class Walker::Deeper {
 public:
  explicit Deeper(Walker& walker) : walker_(walker) {
    ++walker_.depth_;
    ++walker_.steps_;
  }
  ~Deeper() { --walker_.depth_; }
  Deeper(const Deeper&) = delete;
  Deeper& operator=(const Deeper&) = delete;

  explicit operator bool() const {
    if (walker_.depth_ <= deepest && walker_.steps_ <= walker_.most_steps_ && walker_.trace_.accesses.size() <= most_accesses) return true;
    walker_.trace_.is_complete = false;
    return false;
  }

  // With the expressions that need most stack for a step, 256 of them need less than 200 KB of it.
  static constexpr std::uint32_t deepest = 256;
  static constexpr std::size_t most_accesses = 20'000;

 private:
  Walker& walker_;
};

}  // namespace frx::derive::cuda
