// What the layout of tensors costs a program, by site: findings with measured bytes and time, ranked fixes, and what was not assessed.
//
// All numbers are means of a steady step. Bytes are a model's unless counters were joined; a share of traffic is withheld where traffic is
// known for too little of the GPU time.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "derive/layout/candidate.h"
#include "derive/layout/channels_last.h"
#include "derive/layout/conversion_graph.h"
#include "derive/layout/memory_bound.h"
#include "derive/layout/sites.h"
#include "knowledge/gpu_match.h"
#include "knowledge/layout_detectors.h"

namespace frx::report {

enum class LayoutSeverity : std::uint8_t { low, medium, high };
// "LOW", "MEDIUM", "HIGH", as the first lines of a report count them.
std::string_view name_of(LayoutSeverity severity);

// A range of percent of the whole; nothing where it is not known.
struct LayoutShare {
  double low = 0, best = 0;
};

// An operator that shows a finding, so that a reader can find it in a viewer of traces.
struct LayoutEvidence {
  std::string name;
  double start_us = 0;  // as in the trace
  std::int64_t step = 0;
  std::optional<std::uint32_t> external_id;
};

struct LayoutFinding {
  std::string id;  // "contiguous_churn.loop@model.py(42): forward"
  std::string detector, pattern, title, fix, code, phrase, kind;
  std::string memory_format;  // of the kind "memory_format": "channels_last", "channels_last_3d"
  LayoutSeverity severity = LayoutSeverity::low;
  derive::layout::Site site;
  double freq_per_step = 0;
  std::optional<double> bytes_per_step;
  double time_us_per_step = 0;
  std::optional<double> time_share_pct, bytes_share_pct;
  std::optional<LayoutShare> saved_bytes_pct, saved_time_pct;  // of all traffic, of the busy time of the GPU
  std::optional<double> saved_cpu_us;                          // of views, which cost no GPU time
  // Of that time, the share that a step waits for, 0 to 1, and by how much a step gets shorter; absent where launches or steps were not
  // recorded, or several GPUs work for one process.
  std::optional<double> critical_share;
  std::optional<LayoutShare> saved_step_pct;
  std::optional<double> further_pct;  // what the fix saves when those ranked before it were made, of the busy time
  int effort = 1;
  std::string risk;  // LOW, MED, HIGH
  double confidence = 0, score = 0;
  bool is_quick_win = false;
  std::vector<std::string> caveats, compatibility;  // compatibility: "compile", "collectives", "custom_ops", "view_calls", "cuda_graphs"
  std::vector<LayoutEvidence> evidence;             // the first few
  std::int64_t first_step = 0;                      // in which it was seen
  std::vector<std::string> kernels;                 // that it is about, in one spelling, the longest time first; empty: none was recorded

  // The larger one of the best shares, in percent; 0 where none is known.
  double best_saving_pct() const;
};

struct LayoutTotals {
  std::uint64_t operators = 0, passes = 0, steps = 0;
  double contiguous_calls = 0;                // aten::contiguous that did something, per step
  double copies = 0;                          // of layout, of all origins, per step
  std::optional<double> layout_bytes, bytes;  // per step; the second of all work whose traffic is known
  bool knows_copies = true;                   // false: no operators were recorded, and `copies` has what names of kernels tell
  bool layout_bytes_partial = false;          // the first leaves out copies whose bytes are not known
  double layout_time_us = 0, busy_us = 0;     // busy: the union of GPU work, summed over GPUs; of a recording of the CPU, the steps
  double step_us = 0;
  std::optional<double> bw_overhead_pct, time_overhead_pct, coverage_pct, idle_pct;
};

// A detector whose question the trace does not answer, or answers in part.
struct NotAssessed {
  std::string detector, reason, remedy;
};

// Where to convert between NCHW and channels-last once, so that least is converted; beside what the trace shows.
struct GlobalView {
  struct Conversion {
    std::string producer, consumer, sizes, to;
    double bytes = 0;
  };
  derive::layout::GlobalLayout costs;   // its nodes are those of the trace, which is gone
  std::vector<Conversion> conversions;  // of the best plan, the first few by bytes
};

struct LayoutReport {
  std::string source, model, gpu, runtime;
  std::string sha256;  // of the file as given; "": a stream, or a file of more than 128 MiB
  derive::layout::EvidenceLevel level = derive::layout::EvidenceLevel::kernels;
  bool has_shapes = false, has_strides = false, has_stacks = false, has_values = false, is_cpu_only = false;
  std::string steps_named;  // "ProfilerStep#N"; "": the whole recording is one step
  std::int64_t first_step = 0, last_step = 0;
  bool left_out_warm_up = false;
  LayoutTotals totals;
  std::vector<LayoutFinding> findings;  // best fix first
  std::vector<NotAssessed> not_assessed;
  std::vector<std::string> checked;  // titles of the detectors that were assessed
  std::vector<std::string> notes;
  derive::layout::ConvolutionCounts convolutions;
  std::array<derive::layout::BoundCount, derive::layout::bound_classes> kernel_classes = {};  // by derive::layout::BoundClass
  bool classes_assessed = false;
  GlobalView global;
  std::string measured_by;  // the file whose counters replace modelled bytes; "": none

  std::size_t count(LayoutSeverity severity) const;
  std::size_t quick_wins() const;
};

}  // namespace frx::report
