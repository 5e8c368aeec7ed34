// What an access to global memory costs a kernel: how often it is made, by whom, and how many of its sectors serve nothing.
#pragma once

#include "derive/cuda/facts.h"

namespace frx::derive::cuda {

inline bool is_global(const KernelView& view, std::size_t i) {
  return view.trace.memories[view.trace.accesses[i].memory].space == Space::global;
}

// The share of all sectors that a warp touches in global memory for nothing.
double wasted_share(const KernelView& view);

// Does nothing but the number of the thread choose the place, in steps of a size that the caller may well give as 1, or that was read from
// memory?
bool is_lone_stride(const Expressions& e, const AccessPattern& pattern, ExprId address);

// Is it a loop over the grid, by steps of all its threads or blocks?
bool is_over_grid(const Expressions& e, const Loop& loop);

// Does a thread make an access again and again? A loop over the grid only spreads the same work over fewer threads or blocks.
bool is_repeated(const Trace& trace, const Access& access);

// Is there a condition between the body of the loop and the access?
bool is_conditional_in(const Trace& trace, const Access& access, const Loop& loop);

// Does what each thread has read decide whether it makes an access: behind `if (mask[i])`?
bool is_chosen_by_data(const Trace& trace, const Access& access);

// Does one thread alone make an access: behind `i == n - 1`?
bool is_of_one_thread(const Trace& trace, const Access& access);

}  // namespace frx::derive::cuda
