// What changing strides do to torch.compile and to CUDA graphs: functions that are compiled again in steps that count, and steps that
// launch kernels one by one where others launch a graph.
#pragma once

#include "derive/layout/stride_stability.h"

namespace frx::derive::layout {

// Pattern "recompile", from the names of compiled regions and what the profiler recorded of compilation; "stride_guard" where a log names
// the tensor whose strides a check did not accept. A frame of which every step runs the same graphs is stable, however many they are.
// Facts:
//   compilations_per_step  compilations that fall into steady steps, of each; 0: none, or steps change between graphs that exist
//   recompiles             compilations, where a log is the only source all that it counts
//   steps_compared         steady steps in which the frame runs
//   entries                graphs of the frame that steady steps run
//   new_entries            of those, how many run for the first time after the first of these steps
//   alternating            1: steps change between graphs that exist, so that checks fail over without a compilation; else 0
//   in_steady_state        1: a steady step compiled; 0: none did, or it is not known
//   compile_us             CPU time of compilations in steady steps; absent: not recorded
//   limit_reached          1: torch.compile gave up on the function, which runs without it in every step; else 0
//   caused_by_strides      1: a check of strides failed, or strides at the region changed and sizes did not; 0: neither is known
// Words: frame ("0"), entries ("0/0, 0/1"), steps (that ran a graph for the first time), cause, and of a log tensor, index, expected,
// actual, check, function, file, line. Frames whose graphs differ because sizes do are left out. A candidate whose only source is a log may
// have no node: it has no place in the trace.
//
// Pattern "graph_capture". Facts: graph_launches_usual, graph_launches_changed, kernel_launches_usual, kernel_launches_changed (of one
// step), captures_per_step, steps_changed, steps_compared. Words: steps. Pattern "graph_skip", of a log, without a node. Facts: skips,
// layout_related. Words: reason, function, file, line.
//
// O(n log n) in events and messages.
void add_compile_instability(const LayoutTrace& trace, const model::DynamoLog* log, StrideStability& into);

// "3, 5 and 6": numbers of these steady steps, as the trace has them.
std::string words_of_steps(const LayoutTrace& trace, const std::vector<std::uint32_t>& steps);

}  // namespace frx::derive::layout
