// The finished answer about an Nsight Compute profile, as plain values.
//
// A renderer needs nothing else: no catalogue, no session, no lookup. Every number has its source (source_text), which --why shows. Names
// and words are views into the catalogues, which outlive the report; a report of a million readings stays small.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "advise/advice.h"
#include "derive/tensor_use.h"
#include "diagnose/diagnosis.h"
#include "knowledge/knowledge.h"
#include "model/finding.h"
#include "report/hot_lines.h"

namespace frx::report {

using knowledge::MetricTables;
// Made when it is first asked for, and never destroyed: as a variable, each file that includes this would have code that runs before
// main(), a page of the program apart from that of the next.
inline const MetricTables& no_tables() {
  static const MetricTables* const none = new MetricTables;
  return *none;
}

using Value = model::NamedReading;

// A file and a place in it: a line, or the number of a launch where there are no lines.
struct SourceFile {
  std::string_view name;
  model::Places places = model::Places::lines;
};

// "report.csv:12 (longest of 3 launches)", "report.ncu-rep, launch 2", "computed: a / b", "the device: data sheet".
std::string source_text(const Value& value, const SourceFile& file);

// The reasons why warps did not continue, and the share of their time.
struct Stall {
  std::string reason;  // "long_scoreboard"
  double pct = 0;
  std::string_view kind;  // of the wait: memory, sync, compute, or "" where it is none of these
};

struct LaunchShape {
  std::string grid, block;  // "(64, 64, 1)" or ""
  std::uint64_t launches = 0;
  std::optional<double> duration_us;              // of all of them
  std::optional<double> shortest_us, longest_us;  // of one
  std::string primary;
  bool mixed = false;
};

struct Kernel {
  std::string name;        // made printable
  std::string short_name;  // without template arguments and parameters
  std::uint64_t launches = 0, timed_launches = 0;
  std::optional<double> duration_us;
  std::optional<double> runtime_share_pct;
  std::string primary;  // label, inconclusive or insufficient_ncu_data
  std::string primary_display;
  std::vector<model::Finding> findings;  // that hold, ranked
  std::vector<model::Finding> others;    // clear, or inconclusive for want of counters
  std::vector<Value> values;
  std::vector<LaunchShape> shapes;  // heaviest first
  derive::Roofline roofline;
  derive::OccupancyAnalysis occupancy;
  derive::TensorUse tensor;
  std::optional<double> opportunity_score;  // absent: the distance of the kernel from its roof is unknown
  std::string opportunity;                  // high, medium, low, none
  std::vector<Stall> stalls;                // largest first
  std::string dominant_stall;               // "" when no stall was measured
  HotCode hot;
  std::vector<std::string> ranges;  // NVTX ranges it was launched in: "training: step / forward"
  bool has_data = false;

  const Value* value(std::string_view id) const;
};

struct FamilyGap {
  std::string preset;
  std::vector<std::string> missing;  // metric ids
};

struct Validation {
  bool valid = true;
  std::string preset;
  std::vector<std::string> present;
  std::vector<FamilyGap> missing_by_preset;
  std::vector<std::string> warnings;
  std::vector<std::string> errors;
};

struct ProfilerRule {
  std::string kernel, section, name, type, text;
  std::optional<double> estimated_speedup_pct;
  bool is_local_estimate = false;  // of what the rule looks at; else of the kernel
  std::uint64_t line = 0;
};

struct NcuReport {
  const MetricTables* tables = &no_tables();  // which metrics are shown, and their limits
  std::string source;                         // file or command
  std::string format;
  std::string tool = "Nsight Compute";
  std::uint64_t launches = 0;
  std::uint64_t timed_launches = 0;
  std::uint64_t lines = 0;
  model::Places places = model::Places::lines;
  SourceFile file() const { return {source, places}; }
  std::uint64_t absent_values = 0;
  std::optional<double> duration_us;
  std::string gpu;  // for people
  std::string gpu_name, gpu_id, compute_capability, sm_version;
  std::string gpu_note;  // how it was matched, conflicts
  std::string thresholds_source, thresholds_hash;
  knowledge::Thresholds thresholds;        // with the user's own
  std::vector<std::string> debug_kernels;  // compiled for a debugger; short names
  std::string primary, primary_display;
  std::string confidence;  // high, medium, low
  std::string confidence_reason;
  std::vector<model::Finding> findings;  // that hold, ranked
  std::vector<model::Finding> others;    // of the longest kernel
  std::vector<Value> values;             // over the run, time-weighted
  std::vector<Kernel> kernels;           // longest first
  std::size_t kernels_with_data = 0;
  std::size_t kernels_with_stalls = 0;
  std::vector<Stall> stalls;
  std::string dominant_stall;
  derive::Roofline roofline;
  advise::Advice advice;
  Validation validation;
  std::vector<std::string> notes;
  std::vector<ProfilerRule> profiler_rules;
  std::vector<std::string> unknown_metrics;
  std::string collect_command;  // collects the missing evidence, or ""
  std::string next_command;     // how to measure the next version

  const Value* value(std::string_view id) const;
  // Whether a label leads; otherwise nothing explains the time, or too little was measured.
  bool is_decided() const { return primary != "inconclusive" && primary != "insufficient_ncu_data"; }
  // The longest kernel in which a finding about all of them holds: the one whose values it has. nullptr where there is none.
  const Kernel* kernel_of(const model::Finding& finding) const;
};

// Share of warp time, 0 to 1, in stalls of a kind; absent without stalls.
std::optional<double> stall_fraction(const std::vector<Stall>& stalls, std::string_view kind);

// Takes the findings out of `run`.
NcuReport assemble(diagnose::RunDiagnosis& run, advise::Advice advice, const knowledge::Knowledge& knowledge);

// "(64, 64, 1)"; "" where it is not known.
std::string shape_text(const std::optional<model::Dim3>& shape);
// "void ns::gemm<float, 4>(int, float*)" -> "ns::gemm".
std::string short_kernel_name(std::string_view name);
// The key of a kernel in all layers: "gemm" for "void ns::gemm<float>(int)" and for "_ZN2ns4gemmIfEEvi".
std::string kernel_called(std::string_view name);

}  // namespace frx::report
