// Barriers in loops that order nothing, or that one pass over all rounds of the loop would need only once.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "derive/cuda/facts.h"

namespace frx::derive::cuda {

// A loop, the barriers that it passes in each round, and what is wrong with them.
struct IdleBarriers {
  std::vector<NodeRef> sites;
  std::string_view reason;   // in words, behind "3 barriers in one round of a loop"
  bool is_needless = false;  // also where they are few
  bool is_tree = false;      // of a tree that each round of an outer loop goes through
};

// Barriers that another one follows, or that follow another one, with no memory accessed in between; not those within one loop.
std::vector<NodeRef> repeated_barriers(const KernelView& view);

// The worst loop of the kernel; no sites where there is none.
IdleBarriers idle_barriers(const KernelView& view);

}  // namespace frx::derive::cuda
