// The answer of frx kernel binary, frx kernel python and frx trace: a program that was recorded, or a recording that was made before.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/recorded_times.h"
#include "report/recordings/recorded_times.h"

namespace frx::report {

// Runs of a process from its start to its end, where kernels could not be recorded.
struct WallTimes {
  std::vector<double> runs_ms;  // that count, in their order; not empty
  std::size_t warmup = 0;       // runs before them

  double median_ms() const;
  // Median of the distances from the median: how much the runs scatter, whatever one of them did.
  double mad_ms() const;
};

struct KernelRecording {
  enum class Kind { binary, python, trace };

  Kind kind = Kind::binary;
  std::string program;                 // the path as it was given; of a recording that was given, its file
  std::vector<std::string> command;    // empty: nothing was run
  std::string filter;                  // part of the names of kernels that are shown; "": all
  bool with_trace = false;             // shows copies and calls, too
  std::optional<RecordedTimes> times;  // absent: only `wall` was measured
  std::optional<WallTimes> wall;
  std::optional<int> exit_code;  // of the program, as a shell would report it; absent: nothing was run
  std::string gpu;               // as --gpu-model names it, where the recording does not; ""
  std::string report, database;  // files that were kept; ""
  std::vector<std::string> notes;

  // The rows that the filter leaves.
  std::vector<model::NameTimes> shown() const;
};

// The name of a kernel in so many cells: whole where it fits, else without return type and parameters and with as much of its template
// arguments as fit ("gemm<float, 128, ...>"), else cut between characters. Mangled names are demangled.
std::string fitted_kernel_name(const std::string& name, std::size_t cells);

}  // namespace frx::report
