#include "report/layout/trial_gates.h"

#include <algorithm>
#include <set>

#include "base/text.h"

namespace frx::report {
namespace {

using knowledge::LayoutPolicy;
using knowledge::TrialRules;

bool has_any(std::string_view lower, const std::vector<std::string_view>& words) {
  return std::ranges::any_of(words, [&](std::string_view word) { return lower.find(word) != lower.npos; });
}

// The process of each rank of every run of one side that says anything of itself.
std::vector<const TrialSide*> processes_of(const TrialEvidence& evidence, std::optional<bool> of_candidate, bool with_profiled = true) {
  std::vector<const TrialSide*> all;
  for (const TrialRun& run : evidence.runs) {
    if ((of_candidate && run.is_candidate != *of_candidate) || (run.is_profiled && !with_profiled)) continue;
    for (const TrialSide& side : run.ranks) all.push_back(&side);
  }
  return all;
}

// The traces of the profiled run of one side, one a rank.
std::vector<const TrialTrace*> traces_of(const TrialEvidence& evidence, bool of_candidate) {
  std::vector<const TrialTrace*> all;
  for (const TrialRun& run : evidence.runs) {
    if (run.is_candidate != of_candidate || !run.is_profiled) continue;
    for (const std::optional<TrialTrace>& trace : run.traces) {
      if (trace) all.push_back(&*trace);
    }
  }
  return all;
}

// Kernels of one side, of all ranks together, per window.
struct SideKernels {
  std::map<std::string, double> launches;
  double ns = 0, relayouts = 0, fallbacks = 0, tensor_core = 0, fp32 = 0, all = 0;
};

SideKernels kernels_of(const std::vector<const TrialTrace*>& traces, const TrialRules& rules, const knowledge::KernelClasses& classes) {
  SideKernels sum;
  const std::optional<std::size_t> tensor_core = classes.with_name("tensor_core_matrix"), fp32 = classes.with_name("fp32_matrix");
  for (const TrialTrace* trace : traces) {
    sum.ns += trace->kernel_ns;
    for (const auto& [name, count] : trace->kernels) {
      const std::string lower = to_lower(name);
      const std::uint64_t kinds = classes.of(name);
      sum.launches[name] += count;
      sum.all += count;
      if (has_any(lower, rules.relayout)) sum.relayouts += count;
      if (has_any(lower, rules.fallbacks)) sum.fallbacks += count;
      if (tensor_core && (kinds >> *tensor_core & 1) != 0) sum.tensor_core += count;
      if (fp32 && (kinds >> *fp32 & 1) != 0) sum.fp32 += count;
    }
  }
  return sum;
}

std::vector<std::string> unexpected_in(const SideKernels& before, const SideKernels& after) {
  std::vector<std::string> found;
  if (after.relayouts > before.relayouts)
    found.push_back(fmt::format("{:g} copies between layouts a window, before {:g}", after.relayouts, before.relayouts));
  if (after.fallbacks > before.fallbacks)
    found.push_back(fmt::format("{:g} fallback kernels a window, before {:g}", after.fallbacks, before.fallbacks));
  if (after.tensor_core < before.tensor_core && after.fp32 + after.fallbacks > before.fp32 + before.fallbacks)
    found.push_back(fmt::format("{:g} products on tensor cores a window, before {:g}", after.tensor_core, before.tensor_core));
  return found;
}

// "removed: NAME, 2 a window", "added: ...", by name.
std::vector<std::string> changed_kernels(const SideKernels& before, const SideKernels& after) {
  std::vector<std::string> lines;
  const auto add = [&](std::string_view word, const SideKernels& one, const SideKernels& other) {
    for (const auto& [name, count] : one.launches) {
      const auto at = other.launches.find(name);
      const double there = at == other.launches.end() ? 0 : at->second;
      if (count > there) lines.push_back(fmt::format("{}: {}, {:g} a window", word, printable(name), count - there));
    }
  };
  add("removed", before, after);
  add("added", after, before);
  return lines;
}

bool on_gpu(const TrialEvidence& evidence) {
  return std::ranges::any_of(processes_of(evidence, {}), [](const TrialSide* side) { return side->device_kind == "cuda"; });
}

}  // namespace

Gate kernel_gate(const TrialEvidence& evidence, const TrialRules& rules, const knowledge::KernelClasses& classes) {
  Gate gate{"kernel_identity", "Kernel identity"};
  const SideKernels before = kernels_of(traces_of(evidence, false), rules, classes);
  const SideKernels after = kernels_of(traces_of(evidence, true), rules, classes);
  if (before.all == 0 && after.all == 0 && !on_gpu(evidence)) {
    gate.outcome = GateOutcome::not_applicable;
    gate.why = "no GPU kernels: the model runs on the CPU";
    return gate;
  }
  if (before.all == 0 || after.all == 0) {
    gate.outcome = GateOutcome::not_assessed;
    gate.why = "no GPU kernels were recorded in the profiled run of " + std::string(before.all == 0 ? "the baseline" : "the candidate");
    return gate;
  }
  gate.numbers = {{"kernels a window without the change", before.all, {}, ""},
                  {"kernels a window with the change", after.all, {}, ""},
                  {"copies between layouts a window", after.relayouts, before.relayouts, ""},
                  {"fallback kernels a window", after.fallbacks, before.fallbacks, ""},
                  {"kernel time a window without the change", before.ns, {}, "ns"},
                  {"kernel time a window with the change", after.ns, {}, "ns"}};
  gate.details = changed_kernels(before, after);
  const std::vector<std::string> unexpected = unexpected_in(before, after);
  gate.outcome = unexpected.empty() ? GateOutcome::passed : after.ns > before.ns ? GateOutcome::failed : GateOutcome::manual;
  gate.why = unexpected.empty() ? "the kernels that changed are those that a change of layout replaces"
                                : "unexpected kernels: " + join_with_and(unexpected);
  if (gate.outcome == GateOutcome::manual) gate.why += "; they take less time, so that a person has to look at them";
  return gate;
}

namespace {

struct CounterPair {
  std::string_view name;
  std::optional<std::int64_t> before, after;
};

std::optional<std::int64_t> most(const std::vector<const TrialSide*>& sides, std::optional<std::int64_t> CompileCounters::*counter) {
  std::optional<std::int64_t> result;
  for (const TrialSide* side : sides) {
    const std::optional<std::int64_t> value = side->compile.*counter;
    if (value) result = std::max(result.value_or(*value), *value);
  }
  return result;
}

std::vector<CounterPair> counters_of(const TrialEvidence& evidence) {
  const auto before = processes_of(evidence, false, false), after = processes_of(evidence, true, false);
  const auto pair = [&](std::string_view name, std::optional<std::int64_t> CompileCounters::*counter) {
    return CounterPair{name, most(before, counter), most(after, counter)};
  };
  return {pair("unique graphs", &CompileCounters::unique_graphs), pair("graph breaks", &CompileCounters::graph_breaks),
          pair("recompilations", &CompileCounters::recompiles), pair("skipped CUDA graphs", &CompileCounters::cudagraph_skips)};
}

std::set<std::string> compile_modes(const TrialEvidence& evidence, bool of_candidate) {
  std::set<std::string> modes;
  for (const TrialSide* side : processes_of(evidence, of_candidate)) modes.insert(side->compile.mode);
  return modes;
}

std::optional<double> as_number(std::optional<std::int64_t> value) {
  return value ? std::optional(static_cast<double>(*value)) : std::nullopt;
}

}  // namespace

Gate compile_gate(const TrialEvidence& evidence) {
  Gate gate{"compile_stability", "Compile stability"};
  const std::set<std::string> before = compile_modes(evidence, false), after = compile_modes(evidence, true);
  const auto as_list = [](const std::set<std::string>& modes) {
    return join_with_and(std::vector<std::string>(modes.begin(), modes.end()));
  };
  if (before != after) {
    gate.outcome = GateOutcome::failed;
    gate.why = fmt::format("the candidate runs in another compile mode: {} instead of {}", as_list(after), as_list(before));
    return gate;
  }
  bool any = false, half = false;
  std::vector<std::string> more;
  for (const CounterPair& one : counters_of(evidence)) {
    gate.numbers.push_back({std::string(one.name), as_number(one.after), as_number(one.before), ""});
    any |= one.before && one.after;
    half |= one.before.has_value() != one.after.has_value();
    if (one.before && one.after && *one.after > *one.before)
      more.push_back(fmt::format("{} {}, before {}", *one.after, one.name, *one.before));
  }
  if (!more.empty()) {
    gate.outcome = GateOutcome::failed;
    gate.why = join_with_and(more);
  } else if (half || (!any && before != std::set<std::string>{"eager"})) {
    gate.outcome = GateOutcome::not_assessed;
    gate.why = half ? "only one side has counters of its compiler" : "there are no counters of a compiler: call trial.counters(...)";
  } else {
    gate.outcome = any ? GateOutcome::passed : GateOutcome::not_applicable;
    gate.why = any ? "the compiler did no more than for the baseline" : "nothing is compiled";
  }
  if (!any && !half) gate.numbers.clear();
  return gate;
}

bool is_distributed(const TrialEvidence& evidence) {
  const bool by_process = std::ranges::any_of(processes_of(evidence, {}), [](const TrialSide* side) {
    return side->distributed.initialised || !side->distributed.wrappers.empty();
  });
  return by_process || std::ranges::any_of(evidence.runs, [](const TrialRun& run) {
           return run.ranks.size() > 1 ||
                  std::ranges::any_of(run.traces, [](const auto& trace) { return trace && trace->has_collectives; });
         });
}

namespace {

// Wrappers and groups that only --allow-distributed lets pass; "" when there are none.
std::string unusual_distribution(const TrialEvidence& evidence, const TrialRules& rules) {
  for (const TrialSide* side : processes_of(evidence, {})) {
    for (const std::string& wrapper : side->distributed.wrappers) {
      if (std::ranges::find(rules.wrappers, wrapper) == rules.wrappers.end()) return printable(wrapper) + " takes part";
    }
    if (side->distributed.groups.value_or(0) > static_cast<std::int64_t>(rules.groups))
      return fmt::format("there are {} groups of processes", *side->distributed.groups);
    // Buckets of DistributedDataParallel are contiguous whatever the layout; of other collectives it is not known.
    if (side->distributed.wrappers.empty() && side->distributed.world_size.value_or(1) > 1)
      return "the program calls collectives by itself, and whether their tensors stay contiguous is not known";
  }
  return {};
}

// Why the ranks of the candidate do not all apply the same plan; "" when they do.
std::string plan_trouble(const TrialEvidence& evidence) {
  for (const TrialRun& run : evidence.runs) {
    for (const TrialSide& side : run.ranks) {
      if (side.plan_sha256 != run.ranks.front().plan_sha256)
        return fmt::format("rank {} applied another plan than rank {}", side.rank, run.ranks.front().rank);
    }
  }
  return {};
}

std::string missing_ranks(const TrialEvidence& evidence) {
  for (const TrialRun& run : evidence.runs) {
    for (const TrialSide& side : run.ranks) {
      const auto size = static_cast<std::size_t>(std::max<std::int64_t>(side.distributed.world_size.value_or(1), 1));
      if (run.ranks.size() != size) return fmt::format("{} of {} ranks reported", run.ranks.size(), size);
    }
  }
  return {};
}

struct Sequences {
  std::size_t recorded = 0;  // in all ranks together
  std::string trouble;       // "" when all are the same
};

Sequences sequences_of(const TrialEvidence& evidence) {
  Sequences found;
  const TrialTrace* first = nullptr;
  for (const bool of_candidate : {false, true}) {
    for (const TrialTrace* trace : traces_of(evidence, of_candidate)) {
      found.recorded += trace->collectives.size();
      if (!first) first = trace;
      if (trace->collectives != first->collectives)
        found.trouble = of_candidate ? "the candidate calls other collectives, or in another order"
                                     : "the ranks of the baseline do not call the same collectives";
    }
  }
  return found;
}

struct GateFinding {
  GateOutcome outcome;
  std::string why;
};

GateFinding judge_distribution(const TrialEvidence& evidence, const TrialRules& rules, const LayoutPolicy& policy) {
  for (const TrialRun& run : evidence.runs) {
    if (run.is_candidate && !run.messages.empty()) return {GateOutcome::failed, "the candidate prints: " + run.messages.front()};
  }
  if (const std::string trouble = plan_trouble(evidence); !trouble.empty()) return {GateOutcome::failed, trouble};
  const std::string unusual = unusual_distribution(evidence, rules);
  if (!unusual.empty() && !policy.allow_distributed)
    return {GateOutcome::skipped, unusual + "; --allow-distributed judges it nevertheless"};
  if (const std::string missing = missing_ranks(evidence); !missing.empty()) return {GateOutcome::not_assessed, missing};
  const Sequences sequences = sequences_of(evidence);
  if (!sequences.trouble.empty()) return {GateOutcome::failed, sequences.trouble};
  const bool several = std::ranges::any_of(evidence.runs, [](const TrialRun& run) { return run.ranks.size() > 1; });
  if (sequences.recorded == 0 && several)
    return {GateOutcome::not_assessed, "no collectives with their sizes were recorded in the profiled runs"};
  return {GateOutcome::passed, "all ranks apply the same plan and call the same collectives"};
}

}  // namespace

Gate distributed_gate(const TrialEvidence& evidence, const TrialRules& rules, const LayoutPolicy& policy) {
  Gate gate{"distributed", "Distributed guards"};
  if (!is_distributed(evidence)) {
    gate.outcome = GateOutcome::not_applicable;
    gate.why = "one process, and no collectives";
    return gate;
  }
  GateFinding finding = judge_distribution(evidence, rules, policy);
  gate.outcome = finding.outcome;
  gate.why = std::move(finding.why);
  gate.numbers.push_back({"collectives that were recorded", static_cast<double>(sequences_of(evidence).recorded), {}, ""});
  if (policy.allow_distributed) gate.details.emplace_back("not assessed: whether tensors that enter collectives stay contiguous");
  return gate;
}

std::optional<std::vector<std::string>> foreign_namespaces(const TrialEvidence& evidence, const TrialRules& rules) {
  bool any = false;
  std::set<std::string> foreign;
  const auto add = [&](const std::vector<std::string>& names) {
    any = true;
    for (const std::string& name : names) {
      if (std::ranges::find(rules.framework, name) == rules.framework.end()) foreign.insert(name);
    }
  };
  for (const TrialSide* side : processes_of(evidence, {})) {
    if (side->namespaces) add(*side->namespaces);
  }
  for (const bool of_candidate : {false, true}) {
    for (const TrialTrace* trace : traces_of(evidence, of_candidate)) add(trace->namespaces);
  }
  if (!any) return std::nullopt;
  return std::vector<std::string>(foreign.begin(), foreign.end());
}

Gate custom_ops_gate(const TrialEvidence& evidence, const TrialRules& rules, const LayoutPolicy& policy) {
  Gate gate{"custom_ops", "Custom operators"};
  const std::optional<std::vector<std::string>> foreign = foreign_namespaces(evidence, rules);
  if (!foreign) {
    gate.outcome = GateOutcome::not_assessed;
    gate.why = "no operators were recorded: a profiled run has too few windows, or the program makes no windows";
    return gate;
  }
  gate.numbers.push_back({"namespaces outside of PyTorch", static_cast<double>(foreign->size()),
                          policy.allow_custom_ops ? std::nullopt : std::optional(0.0), ""});
  gate.details.emplace_back("not assessed: extensions that are called without an operator of PyTorch");
  if (foreign->empty()) {
    gate.outcome = GateOutcome::passed;
    gate.why = "all operators are those of PyTorch";
    return gate;
  }
  gate.outcome = policy.allow_custom_ops ? GateOutcome::passed : GateOutcome::skipped;
  gate.why = "operators of " + join_with_and(*foreign) +
             (policy.allow_custom_ops ? " are allowed by the policy" : " may expect the layout that they get now");
  return gate;
}

}  // namespace frx::report
