// Made-up traces of training runs whose cause is known, because the run can be repeated without it.
//
// A program is a list of steps of operations (host work, launches, waits, a loader, copies, collectives, allocations, loading of code). A
// machine of one thread and three streams carries it out and writes what a profiler would record. What an operation costs is how much
// sooner the same program ends without it: nothing of how frx attributes time is used.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace frx::testing {

struct SyntheticTrace {
  std::string cause;                         // "loader": one of trace_causes()
  std::string_view label;                    // of the cause; "": what costs most
  std::string json;                          // as the profiler of PyTorch writes it
  std::map<std::string_view, double> costs;  // by label: the share of the time that ends sooner without the operations it names
  std::map<std::string_view, double> most;   // the same, or what it saves once all other kinds are gone: two may hide each other
  std::vector<std::string_view> accepted;    // labels that may lead
  bool shows_loader = true;                  // else its waits look like work of the program
  bool is_decided = true;                    // the events that tell the cause were recorded
};

std::vector<std::string_view> trace_causes();

// A change that leaves the cause what it is.
struct TraceVariation {
  int more_steps = 0;            // the last step is repeated
  bool has_tiny_kernel = false;  // of 1 us, at the end of each step
  double cause_times = 1;        // each operation that the label of the cause names takes so many times as long; launches and waits do not
};

// The same for the same number. Causes take turns.
SyntheticTrace synthetic_trace(std::uint64_t number, const TraceVariation& variation = {});

}  // namespace frx::testing
