// Times of steps whose program runs ahead of the GPU.
//
// A program launches kernels and goes on: without a call that waits, its steps end long before the GPU has done them. Ten steps of 5 ms in
// the program are then 200 ms of work on the GPU, and what training takes is those. The time of a step is from when it begins, or the
// GPU has done the steps before if that is later, to when it ends and the GPU has done its work:
//
//   program   |1|2|3|                            spans
//   GPU        1111122222333333
//             |  1  | 2  |  3  |                 times
#pragma once

#include "derive/trace/attribution.h"
#include "derive/trace/steps.h"
#include "model/timeline.h"

namespace frx::derive::trace {

// A recording without steps begins with the GPU where its first work had been launched long before it ran: the GPU had work from before.
//
// Steps that do not hold the work of the GPU, where no launch tells whose it is, are replaced by the whole recording.
//
// Sets the times of the steps and `runs_ahead` where they differ notably from the spans. O(n log k) in the pieces of GPU work and the
// steps.
void follow_gpu(const model::Timeline& timeline, const Attribution& attribution, Steps& steps);

}  // namespace frx::derive::trace
