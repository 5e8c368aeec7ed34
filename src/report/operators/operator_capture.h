// The operators of a capture with their GPU time in each iteration: one side of a comparison of captures
// (report/operators/capture_comparison.h).
//
// Only kernels that were launched in an iteration count; the others are apart. The rows, that of kernels in no operator among them, add up
// to the time of all iterations.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "knowledge/operator_counters.h"
#include "report/operators/operator_manifest.h"
#include "report/operators/operator_profile.h"

namespace frx::report {

// How iterations are known.
enum class IterationSource : std::uint8_t {
  window,  // ranges frx::measure#N, or their numbers in a profile
  steps,   // ranges that mark steps, in which at least nine tenths of the kernel time was launched
  none,    // nothing marks them: the whole capture counts as one
};

struct IterationTime {
  std::uint32_t iteration = 0;  // from 0, of those that have kernels
  std::int64_t gpu_ns = 0;
};

// All calls of one name with inputs of the same shapes.
struct CapturedOperator {
  std::string name;       // as derive/compare/operator_names.h has it; "": no operator is known
  std::string shapes;     // of its inputs, "[[8, 128], []]"; "": not recorded
  bool is_scope = false;  // a range of the program: no operator was recorded in it
  std::uint64_t kernels = 0;
  std::int64_t gpu_ns = 0;
  std::vector<IterationTime> times;     // ascending; iterations in which it launched nothing are left out
  std::vector<std::string> fused_with;  // operators that the same kernels compute, as the capture says
  // By knowledge::OperatorCounters::counters; empty, or absent, where too few of its kernels have them. Sums are of one iteration.
  std::vector<std::optional<double>> counters;
};

struct OperatorCapture {
  std::string source;
  std::string kind;  // "trace of the PyTorch profiler", "export of Nsight Systems", "profile of schema 1.1"
  CaptureFacts facts;
  IterationSource iterations_by = IterationSource::none;
  std::string how_to_mark;                  // what would mark them in a recording: "call prof.step() after each one"; "" of a profile
  std::vector<double> iteration_ns;         // kernel time of each iteration; one where nothing marks them
  std::vector<CapturedOperator> operators;  // in the order of their first kernel, or of the file
  std::uint64_t kernels = 0;
  KernelShare outside;     // launched in no iteration
  bool has_units = false;  // of counters: sums of bytes can be compared
  std::vector<OperatorFlag> flags;

  double iterations() const { return static_cast<double>(iteration_ns.empty() ? 1 : iteration_ns.size()); }
  double ns_per_iteration() const;
  bool has_shapes() const;
};

OperatorCapture operator_capture_of(const OperatorProfile& profile);
// The text of a profile.json of schema 1.x. Errors as read_operator_profile().
Result<OperatorCapture> read_operator_capture(std::string_view name, std::string_view json, const knowledge::OperatorCounters& counters);

// Collects kernels into rows; for the readers.
class CaptureBuilder {
 public:
  // The number of the row of this name and these shapes, which is new where there was none.
  std::uint32_t row(std::string_view name, std::string_view shapes, bool is_scope = false);
  // That of a kernel around which there is no operator, but perhaps a range of the program, which is no step. What a compiler made of
  // several operators counts as an operator itself.
  std::uint32_t row_of_kernel(std::string_view kernel, std::string_view scope = {});
  CapturedOperator& at(std::uint32_t row) { return operators_[row]; }
  // `iteration`: as the capture numbers them; nothing where it is in none.
  void add(std::uint32_t row, std::optional<std::int64_t> iteration, std::int64_t gpu_ns);
  // Of the time of all kernels, that in iterations; 0 to 1.
  double share_in_iterations() const;
  // The kernels so far as a capture with iterations where `by` says that they are known, else as one iteration. Rows that have no kernel in
  // an iteration are left out.
  void finish(OperatorCapture& capture, IterationSource by);

 private:
  struct Kernel {
    std::uint32_t row = 0;
    std::optional<std::int64_t> iteration;
    std::int64_t gpu_ns = 0;
  };

  std::vector<CapturedOperator> operators_;
  std::vector<Kernel> kernels_;
  std::map<std::pair<std::string, std::string>, std::uint32_t, std::less<>> rows_;
};

}  // namespace frx::report
