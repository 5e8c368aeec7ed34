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
#include "derive/trace/modules.h"
#include "derive/trace/operator_calls.h"
#include "model/session.h"
#include "model/timeline.h"

namespace frx::knowledge {
class MetricCatalogue;
}

namespace frx::report {

// A recording with its kernels attributed to operators.
struct OperatorProfile {
  model::Timeline timeline;
  derive::trace::OperatorCalls calls;
  derive::trace::ModuleRanges modules;
  std::string model_name = "model", compile_mode = "not recorded";
};

OperatorProfile operator_profile_of(model::Timeline timeline);

// Of the time of an operator, that of its kernels with counters; where it is less, a part would pass for the whole, and none is shown.
inline constexpr double least_covered_pct = 80;

struct KernelShare {
  std::uint64_t kernels = 0;
  std::int64_t gpu_ns = 0;
};

// How fast the matrix products and convolutions of an operator ran, from the shapes of their inputs. Shares are of what the data sheet
// promises, which no kernel reaches.
struct OperatorRates {
  double flops = 0;                    // of all calls whose shapes are known
  std::int64_t gpu_ns = 0;             // of these calls
  std::optional<double> bytes;         // each input and output moved once; absent: a type was not recorded
  std::string_view precision;          // of the peak: "bf16_tensor"; "": none applies, or several
  std::optional<double> peak_share;    // absent: the GPU, the type or what it ran on is not known
  std::optional<bool> memory_limited;  // most of the time is of calls whose bytes take the memory longer than their operations the peak
  double tflops() const { return gpu_ns > 0 ? flops / static_cast<double>(gpu_ns) / 1000 : 0; }
};

// What limits the kernels of an operator by their counters, as a profile of them alone is diagnosed, and what to change first.
struct OperatorDiagnosis {
  struct Evidence {
    std::string id, label, unit;  // "dram_throughput_pct", "DRAM throughput", "%"
    double value = 0;
    std::string source;  // "counters.csv, launch 2 (longest of 3 launches)"
  };
  struct Advice {
    std::string id, title, why, first_action, label;  // label: of the bottleneck it is for
    std::optional<double> at_most_pct;                // speed-up of the operator that a perfect fix would give
  };

  std::string label, display;        // the one that leads: "memory_bandwidth_bound"; or inconclusive, insufficient_ncu_data
  std::string confidence;            // high, medium, low
  std::optional<double> score;       // 0 to 1; absent where no label holds
  std::string kernel;                // whose values the evidence has, where the operator has several
  std::vector<Evidence> evidence;    // of that label
  std::vector<std::string> others;   // labels that hold as well, ranked
  std::vector<std::string> missing;  // where no label holds: counters that would decide, the first few
  std::optional<Advice> advice;      // best first
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
  std::optional<OperatorRates> rates;
  std::shared_ptr<const model::Session> launches;  // those with counters; null where too few have some (least_covered_pct)
  std::optional<OperatorDiagnosis> diagnosis;      // of these launches; of the largest operators (report/operators/operator_diagnosis.h)
  std::string line;  // of the program, that called it for most of its time: "model.py(42): forward"; "": not recorded
};

// Kernels of one kind of work (data/operators/categories.yaml).
struct CategoryShare {
  std::string id, title;
  KernelShare share;
};

// A module in the tree of modules, at each place where it was called from.
struct ModuleNode {
  std::string name;
  std::size_t depth = 0;  // parents stand before their children
  std::uint64_t calls = 0;
  KernelShare self, inclusive;  // launched within it or for the gradients of what was, but not within a module of it; with those
  KernelShare backward;         // of `inclusive`: for gradients
};

// What makes the numbers of a report mean something else.
struct OperatorFlag {
  std::string_view id;  // "high_unattributed"
  bool is_severe = false;
  double value = 0;  // what was found, and the limit above which it is told; both of the unit that the text names
  double limit = 0;
  std::string text;
};

// Kernels of one name, launched by operators of one name.
struct OperatorPart {
  std::string operation, kernel;  // operation "": none is known
  KernelShare share;
};

struct OperatorReport {
  std::string source, gpu, schema;  // schema: of a profile.json, "" for a recording
  std::uint64_t kernels = 0;
  std::int64_t kernel_ns = 0;
  KernelShare unattributed, before_window;
  std::optional<std::uint64_t> iterations;  // of the measured window
  std::vector<OperatorSum> operators;       // by time
  std::vector<OperatorPart> parts;          // of what is no recording: everything that is not before the window
  // By time, all but what is before the window; empty where they were not asked for (report/operators/operator_details.h).
  std::vector<CategoryShare> categories;
  std::vector<ModuleNode> modules;  // as a tree, siblings by time; by_module only, and where modules were recorded
  KernelShare in_no_module;         // the rest of it
  std::vector<OperatorFlag> flags;
  std::vector<std::string> notes;

  std::int64_t attributed_ns() const { return kernel_ns - unattributed.gpu_ns - before_window.gpu_ns; }
};

enum class OperatorGrouping : std::uint8_t { by_operator, by_module, by_kernel };

OperatorReport operator_report_of(const OperatorProfile& profile, OperatorGrouping grouping);
// What a kernel (its index in profile.calls.kernels) counts for: its operator, the innermost module around its launch, or itself.
std::string_view operator_group_of(const OperatorProfile& profile, std::size_t kernel, OperatorGrouping grouping);
// The text of a profile.json of schema 1.x. With `metrics` (which may be null) the operators have their measured launches, where the file
// states units. Malformed, naming file and member, when it is something else.
Result<OperatorReport> read_operator_profile(std::string_view name, std::string_view json, OperatorGrouping grouping,
                                             const knowledge::MetricCatalogue* metrics = nullptr);
// Does a file that begins like this hold such a profile?
bool may_be_operator_profile(std::string_view head);

}  // namespace frx::report
