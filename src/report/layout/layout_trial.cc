#include "report/layout/layout_trial.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "report/layout/trial_gates.h"

namespace frx::report {
namespace {

using knowledge::LayoutPolicy;
using knowledge::LayoutRisk;
using knowledge::TrialRules;

// In words, which side.
std::string_view side_of(const TrialRun& run) { return run.is_candidate ? "the candidate" : "the baseline"; }

void decide(LayoutTrial& trial, TrialDecision decision, std::string_view by, std::string reason) {
  trial.decision = decision;
  trial.decided_by = by;
  trial.reason = std::move(reason);
}

// A run that failed ends the trial: of a candidate that is the answer, of a baseline there is nothing to compare with.
bool any_run_failed(LayoutTrial& trial) {
  for (const TrialRun& run : trial.evidence.runs) {
    if (run.failure.empty()) continue;
    decide(trial, run.is_candidate ? TrialDecision::rejected : TrialDecision::skipped, "run",
           fmt::format("{} failed: {}", side_of(run), run.failure));
    return true;
  }
  return false;
}

std::string difference_of_setups(const TrialSide& one, const TrialSide& other) {
  if (one.torch != other.torch) return "versions of PyTorch";
  if (one.seed != other.seed) return "seeds";
  if (one.device_kind != other.device_kind || one.device_name != other.device_name) return "devices";
  if (!(one.precision == other.precision)) return "types of parameters, or settings of precision";
  if (one.distributed.world_size != other.distributed.world_size) return "numbers of processes";
  return {};
}

// Why the runs say nothing about the plan; "" when they do.
std::string trouble_of_setup(const TrialEvidence& evidence) {
  const TrialSide* first = nullptr;
  for (const TrialRun& run : evidence.runs) {
    if (run.ranks.empty())
      return fmt::format("{} takes no part in the trial: it has to make a fournex.layout.Trial(model), whose package is on PYTHONPATH",
                         side_of(run));
    const TrialSide& side = run.ranks.front();
    if (!first) first = &side;
    if (const std::string what = difference_of_setups(*first, side); !what.empty())
      return fmt::format("the runs have different {}, so that a difference would say nothing about the layout", what);
    if (!run.is_candidate && !side.plan_sha256.empty()) return "the baseline applied a plan";
    if (!run.is_candidate || evidence.plan_sha256.empty()) continue;
    if (side.plan_sha256 != evidence.plan_sha256)
      return "the candidate did not apply the plan: the program has to call fournex.layout.Trial(model) or fournex.layout.apply(model)";
    if (side.modules == 0) return "the plan matches no module of the model";
  }
  return {};
}

LayoutRisk risk_of(const std::vector<LayoutChange>& changes, const TrialRules& rules) {
  // Of two commands it is not known what the change is.
  LayoutRisk risk = changes.empty() ? LayoutRisk::high : LayoutRisk::low;
  for (const LayoutChange& change : changes)
    risk = std::max(risk, change.kind == LayoutChange::Kind::contiguous ? rules.contiguous : rules.memory_format);
  return risk;
}

// What takes part raises the risk of the change itself.
LayoutRisk risk_of(const TrialEvidence& evidence, const TrialRules& rules) {
  const std::optional<std::vector<std::string>> foreign = foreign_namespaces(evidence, rules);
  const bool compiled = std::ranges::any_of(evidence.runs, [](const TrialRun& run) {
    return std::ranges::any_of(run.ranks, [](const TrialSide& side) { return side.compile.mode != "eager"; });
  });
  if (compiled || is_distributed(evidence) || (foreign && !foreign->empty())) return LayoutRisk::high;
  return risk_of(evidence.changes, rules);
}

std::string too_risky(LayoutRisk risk, const LayoutPolicy& policy) {
  if (risk <= policy.largest_risk) return {};
  return fmt::format("the risk is {}, and the policy allows {} at most", knowledge::name_of(risk), knowledge::name_of(policy.largest_risk));
}

TrialDecision decision_of(GateOutcome outcome) {
  switch (outcome) {
    case GateOutcome::failed: return TrialDecision::rejected;
    case GateOutcome::undecided:
    case GateOutcome::manual: return TrialDecision::inconclusive;
    default: return TrialDecision::skipped;
  }
}

std::vector<Gate> gates_not_reached() {
  return {{"numerics", "Numerics"},
          {"kernel_identity", "Kernel identity"},
          {"throughput_memory", "Throughput and memory"},
          {"compile_stability", "Compile stability"},
          {"distributed", "Distributed guards"},
          {"custom_ops", "Custom operators"}};
}

// Judges one gate after the other, up to the first that does not let the change pass.
void judge_gates(LayoutTrial& trial, const TrialRules& rules, const LayoutPolicy& policy, const knowledge::KernelClasses& classes) {
  const TrialEvidence& evidence = trial.evidence;
  for (std::size_t i = 0; i < trial.gates.size(); ++i) {
    Gate& gate = trial.gates[i];
    switch (i) {
      case 0: gate = numerics_gate(evidence, rules); break;
      case 1: gate = kernel_gate(evidence, rules, classes); break;
      case 2: gate = performance_gate(evidence, rules, policy); break;
      case 3: gate = compile_gate(evidence); break;
      case 4: gate = distributed_gate(evidence, rules, policy); break;
      default: gate = custom_ops_gate(evidence, rules, policy); break;
    }
    if (gate.outcome != GateOutcome::passed && gate.outcome != GateOutcome::not_applicable)
      return decide(trial, decision_of(gate.outcome), gate.id, gate.why);
  }
  decide(trial, TrialDecision::promoted, "", "every gate that applies was passed");
}

}  // namespace

std::string_view name_of(GateOutcome outcome) {
  static constexpr std::array<std::string_view, 8> names = {"passed", "not_applicable", "failed",       "undecided",
                                                            "manual", "skipped",        "not_assessed", "not_reached"};
  return names[static_cast<std::size_t>(outcome)];
}

std::string_view name_of(TrialDecision decision) {
  static constexpr std::array<std::string_view, 4> names = {"promoted", "rejected", "inconclusive", "skipped"};
  return names[static_cast<std::size_t>(decision)];
}

std::string refused_by(const LayoutPolicy& policy, const LayoutPlan* plan, const TrialRules& rules) {
  if (!plan) return {};
  for (const LayoutChange& change : plan->changes) {
    if (std::ranges::find(policy.changes, name_of(change.kind)) == policy.changes.end())
      return fmt::format("the policy does not allow changes of the kind {}", name_of(change.kind));
  }
  return too_risky(risk_of(plan->changes, rules), policy);
}

void judge_layout_trial(LayoutTrial& trial, const TrialRules& rules, const LayoutPolicy& policy, const knowledge::KernelClasses& classes) {
  trial.gates = gates_not_reached();
  trial.risk = risk_of(trial.evidence.changes, rules);
  const std::string refusal = refused_by(policy, trial.plan ? &*trial.plan : nullptr, rules);
  if (!refusal.empty()) return decide(trial, TrialDecision::skipped, "policy", refusal);
  if (any_run_failed(trial)) return;
  if (const std::string trouble = trouble_of_setup(trial.evidence); !trouble.empty())
    return decide(trial, TrialDecision::skipped, "setup", trouble);
  trial.risk = risk_of(trial.evidence, rules);
  if (const std::string risky = too_risky(trial.risk, policy); !risky.empty())
    return decide(trial, TrialDecision::skipped, "policy", risky);
  judge_gates(trial, rules, policy, classes);
}

}  // namespace frx::report
