// GPU time by operator: of a recording, whose kernels are attributed here, or of a profile that was made before (profile.json,
// docs/operators.md).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "derive/trace/operator_calls.h"
#include "model/timeline.h"

namespace frx::report {

// A recording with its kernels attributed to operators.
struct OperatorProfile {
  model::Timeline timeline;
  derive::trace::OperatorCalls calls;
  std::string model_name = "model", compile_mode = "not recorded";
};

OperatorProfile operator_profile_of(model::Timeline timeline);

// Of the time of an operator, that of its kernels with counters; where it is less, a part would pass for the whole, and none is shown.
inline constexpr double least_covered_pct = 80;

struct KernelShare {
  std::uint64_t kernels = 0;
  std::int64_t gpu_ns = 0;
};

// All calls of one name. Counters are means weighted by time over the kernels that have them, in percent; absent: no kernel has one.
struct OperatorSum {
  std::string name;
  std::uint64_t calls = 0, kernels = 0;
  std::int64_t gpu_ns = 0;
  std::string longest_kernel;
  std::int64_t longest_ns = 0;
  bool is_scope = false;  // a range of the program: no operator was recorded in it
  std::optional<double> occupancy_pct, sm_pct, dram_pct;
};

struct OperatorReport {
  std::string source, gpu, schema;  // schema: of a profile.json, "" for a recording
  std::uint64_t kernels = 0;
  std::int64_t kernel_ns = 0;
  KernelShare unattributed, before_window;
  std::optional<std::uint64_t> iterations;  // of the measured window
  std::vector<OperatorSum> operators;       // by time
  std::vector<std::string> notes;

  std::int64_t attributed_ns() const { return kernel_ns - unattributed.gpu_ns - before_window.gpu_ns; }
};

enum class OperatorGrouping : std::uint8_t { by_operator, by_module, by_kernel };

OperatorReport operator_report_of(const OperatorProfile& profile, OperatorGrouping grouping);
// What a kernel counts for: its operator, the innermost module around its launch, or itself.
std::string_view operator_group_of(const OperatorProfile& profile, const derive::trace::OperatorKernel& kernel, OperatorGrouping grouping);
// The text of a profile.json of schema 1.x. Malformed, naming file and member, when it is something else.
Result<OperatorReport> read_operator_profile(std::string_view name, std::string_view json, OperatorGrouping grouping);
// Does a file that begins like this hold such a profile?
bool may_be_operator_profile(std::string_view head);

}  // namespace frx::report
