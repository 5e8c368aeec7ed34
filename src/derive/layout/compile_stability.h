// What changing strides do to torch.compile and to CUDA graphs: functions that are compiled again in steps that count, and steps that launch
// kernels one by one where others launch a graph.
#pragma once

#include "derive/layout/stride_stability.h"

namespace frx::derive::layout {

// Pattern "recompile", from the names of compiled regions, what the profiler recorded of compilation, and the log. A frame of which every
// step runs the same graphs is stable, however many they are. Facts:
//   steps_compared      steady steps in which the frame runs
//   entries             graphs of the frame that steady steps run
//   new_entries         of those, how many run for the first time after the first of these steps
//   recompiles          compilations that fall into steady steps: new graphs that were not there before (`alternating` aside), or what the
//                       log counts
//   alternating         1: steps change between graphs that exist, so that checks fail over without a compilation; else 0
//   in_steady_state     1: a steady step compiled; else 0
//   per_step            recompiles of a steady step after the first
//   compile_us          CPU time of compilations in steady steps; absent: not recorded
//   limit_reached       1: torch.compile gave up on the function; else 0
//   caused_by_strides   1: a check of strides failed, or strides at the region changed and sizes did not; 0: neither is known
// Words: frame ("0"), entries ("0/0, 0/1"), steps (that ran a graph for the first time), cause, and of a log tensor, index, expected, actual,
// function, file, line. Frames whose graphs differ because sizes do are left out.
//
// Pattern "graph_capture". Facts: graph_launches_usual, graph_launches_changed, kernel_launches_usual, kernel_launches_changed (of one step),
// captures_per_step, steps_changed, steps_compared, in_steady_state; of a log skips and layout_related. Words: steps, reason, function, file,
// line.
//
// O(n log n) in events and messages.
void add_compile_instability(const LayoutTrace& trace, const model::DynamoLog* log, StrideStability& into);

// "3, 5 and 6": numbers of these steady steps, as the trace has them.
std::string words_of_steps(const LayoutTrace& trace, const std::vector<std::uint32_t>& steps);

}  // namespace frx::derive::layout
