// A layout trial: runs of a program with and without a change of memory layout, six gates in order, and what follows.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "derive/compare/two_samples.h"
#include "knowledge/kernel_classes.h"
#include "knowledge/trial_rules.h"
#include "model/gpu_interval.h"
#include "report/layout/layout_plan.h"
#include "report/layout/trial_side.h"
#include "report/layout/trial_tensors.h"

namespace frx::report {

// What the profiled windows of one process recorded.
struct TrialTrace {
  std::map<std::string, double> kernels;  // by canonical name: launches per profiled window
  double kernel_ns = 0;                   // of all of them, per profiled window
  std::vector<std::string> collectives;   // in their order: "allreduce Float 1024 -> 1024 of group 0"
  bool has_collectives = false;           // also where their arguments were not recorded
  std::vector<std::string> namespaces;    // of operators: "aten"
};

// One process, or all the processes that one command started, one a rank.
struct TrialRun {
  bool is_candidate = false, is_profiled = false;
  std::string failure;  // "" when it ended well
  double seconds = 0;
  std::vector<TrialSide> ranks;                   // ascending by rank; empty: it wrote nothing
  std::vector<std::optional<TrialTrace>> traces;  // by position in `ranks`
  std::vector<OutputDifference> differences;      // of its outputs against those of the first run of the baseline
  std::vector<std::string> messages;              // of rules.messages, that it printed
  std::vector<model::GpuInterval> gpus;           // clocks and temperatures while it ran; empty: there is no GPU that tells
};

struct TrialEvidence {
  std::vector<TrialRun> runs;  // in the order in which they ran
  std::size_t warmup = 0;      // windows at the begin of each run that do not count
  std::string plan_sha256;     // "" when two commands are compared
  std::vector<LayoutChange> changes;
};

enum class GateOutcome : std::uint8_t { passed, not_applicable, failed, undecided, manual, skipped, not_assessed, not_reached };
// "passed", "not_applicable"
std::string_view name_of(GateOutcome outcome);

struct GateNumber {
  std::string name;  // "share within tolerance"
  std::optional<double> value, limit;
  std::string unit;  // "", "%", "bytes", "ns"
};

struct Gate {
  std::string_view id, title;  // "throughput_memory", "Throughput and memory"
  GateOutcome outcome = GateOutcome::not_reached;
  std::string why = {};                   // a sentence without its full stop; "" of one that was not reached
  std::vector<GateNumber> numbers = {};   // what was compared with what
  std::vector<std::string> details = {};  // kernels that came and went, namespaces, guards that were not checked
};

enum class TrialDecision : std::uint8_t { promoted, rejected, inconclusive, skipped };
std::string_view name_of(TrialDecision decision);

struct LayoutTrial {
  std::string plan_file, plan_sha256;
  std::optional<LayoutPlan> plan;
  std::vector<std::string> baseline, candidate;  // argument vectors
  std::size_t blocks = 0, windows = 0;           // windows: that were asked for in each run
  std::uint64_t seed = 0;
  TrialEvidence evidence;
  std::vector<Gate> gates;  // the six, in order
  TrialDecision decision = TrialDecision::skipped;
  std::string decided_by;  // id of a gate, "run", "setup" or "policy"; "" of what was promoted
  std::string reason;      // a sentence without its full stop
  knowledge::LayoutRisk risk = knowledge::LayoutRisk::low;
  std::vector<std::string> notes;

  // "validated" or "not validated": nothing is ever applied.
  std::string_view status() const { return decision == TrialDecision::promoted ? "validated" : "not validated"; }
};

// Times of the windows that count, of runs that are not profiled, in their order; ns per item where every window says its items, else per
// window.
struct TrialTimes {
  bool per_item = false;
  std::vector<std::vector<double>> baseline, candidate;  // by run
};
TrialTimes times_of(const TrialEvidence& evidence);

// Judges the runs: fills in gates, decision, reason and risk. The first gate that is not passed decides, and those behind it are not
// reached.
void judge_layout_trial(LayoutTrial& trial, const knowledge::TrialRules& rules, const knowledge::LayoutPolicy& policy,
                        const knowledge::KernelClasses& classes);

// Before anything is run: why the policy forbids to try the plan; "" when it does not. Without a plan the kinds of change are not known.
std::string refused_by(const knowledge::LayoutPolicy& policy, const LayoutPlan* plan, const knowledge::TrialRules& rules);

}  // namespace frx::report
