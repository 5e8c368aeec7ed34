// CPU time by operator, for a recording without anything of a GPU.
//
// Each moment of a thread belongs to the operator that began last of those that are open, so the self times of a thread add up to the
// time in which any operator was open on it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/timeline.h"

namespace frx::derive::trace {

// All calls of one operator, on any thread.
struct SelfTime {
  std::string name;
  std::int64_t self_ns = 0;   // without the operators that it calls
  std::int64_t total_ns = 0;  // with them; a call within a call of the same operator counts once
  std::uint64_t calls = 0;
  std::uint32_t threads = 0;  // on which it was called
};

struct OperatorThread {
  std::string pid, tid;
  std::int64_t operators_ns = 0;  // in any operator
  std::uint64_t calls = 0;
};

struct CpuTimes {
  std::vector<SelfTime> operators;  // by self time; the first of them
  std::uint64_t operator_names = 0;
  std::vector<OperatorThread> threads;  // by time; those with operators
  std::int64_t operators_ns = 0;        // of all threads together, which is also the sum of all self times
  std::int64_t window_ns = 0;           // from the first event of the program to the last
  std::string gpu_evidence;             // what says that the program uses a GPU all the same; "": nothing does
};

// Are there operators, and no work of a GPU, no call of its runtime and no other accelerator?
bool is_recording_of_cpu(const model::Timeline& timeline);

// `rank`: of a file that a tool merged from several ranks, the one that is meant; -1: all events. O(n log n) in the operators.
CpuTimes self_times(const model::Timeline& timeline, std::int64_t rank);

}  // namespace frx::derive::trace
