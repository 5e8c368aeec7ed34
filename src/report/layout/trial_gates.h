// The six gates of a layout trial, each by itself.
#pragma once

#include "report/layout/layout_trial.h"

namespace frx::report {

// 1. Outputs of the candidate are those of the baseline within tolerance, or within the noise of the baseline itself; losses, too.
Gate numerics_gate(const TrialEvidence& evidence, const knowledge::TrialRules& rules);
// 2. No kernel was added that copies between layouts or falls back, and no tensor-core kernel was lost.
Gate kernel_gate(const TrialEvidence& evidence, const knowledge::TrialRules& rules, const knowledge::KernelClasses& classes);
// 3. Throughput is higher by more than the noise, and memory is not.
Gate performance_gate(const TrialEvidence& evidence, const knowledge::TrialRules& rules, const knowledge::LayoutPolicy& policy);
// 4. No more graphs, graph breaks, recompilations or skipped CUDA graphs, in the compile mode of the baseline.
Gate compile_gate(const TrialEvidence& evidence);
// 5. All ranks do the same, and no wrapper that depends on layouts takes part.
Gate distributed_gate(const TrialEvidence& evidence, const knowledge::TrialRules& rules, const knowledge::LayoutPolicy& policy);
// 6. No operator outside of PyTorch takes part.
Gate custom_ops_gate(const TrialEvidence& evidence, const knowledge::TrialRules& rules, const knowledge::LayoutPolicy& policy);

// Operators of the profiled windows that are not of PyTorch, by namespace; nothing where none were recorded.
std::optional<std::vector<std::string>> foreign_namespaces(const TrialEvidence& evidence, const knowledge::TrialRules& rules);
// Whether several processes, or a wrapper for them, take part in any run.
bool is_distributed(const TrialEvidence& evidence);

}  // namespace frx::report
