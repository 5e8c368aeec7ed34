// Accesses in the source that the trace does not have.
#pragma once

#include <cstdint>
#include <set>
#include <utility>

#include "derive/cuda/facts.h"

namespace frx::derive::cuda {

class UnseenAccesses {
 public:
  explicit UnseenAccesses(const KernelView& view) : view_(view) {}

  // Is there `p[i]` or `*p` below a node where p is a pointer that nothing is known of, to shared memory perhaps?
  bool any_in(std::uint32_t source, std::uint32_t root) const;

  // In a loop, or in a function that the kernel calls.
  bool any_in(const Loop& loop) const;

 private:
  const KernelView& view_;
  mutable std::set<std::pair<std::uint32_t, std::uint32_t>> seen_;  // files and nodes of accesses; filled when it is first asked
};

}  // namespace frx::derive::cuda
