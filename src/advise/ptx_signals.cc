#include "advise/ptx_signals.h"

#include <algorithm>

namespace frx::advise {
namespace {

// The documented thresholds.
constexpr double high_registers = 48, very_high_registers = 64;

std::optional<double> number(const diagnose::PtxDiagnosis& diagnosis, std::string_view fact) {
  const model::CodeFact* found = diagnosis.run.find(fact);
  return found ? std::optional(std::get<double>(found->value)) : std::nullopt;
}

bool holds(const diagnose::PtxDiagnosis& diagnosis, std::string_view label) {
  return std::ranges::any_of(diagnosis.labels, [&](const diagnose::CodeLabelFinding& found) {
    return found.id == label && found.proof != knowledge::Proof::unproven;
  });
}

}  // namespace

SignalMap signals_of(const diagnose::PtxDiagnosis& diagnosis) {
  SignalMap signals;
  if (diagnosis.kernels.empty()) return signals;
  signals.set("ptx_has_register_spills", holds(diagnosis, "ptx_register_spills"));
  if (const auto registers = number(diagnosis, "max_registers")) {
    signals.set("ptx_max_register_count", *registers);
    signals.set("ptx_high_register_count", *registers >= high_registers);
    signals.set("ptx_very_high_register_count", *registers >= very_high_registers);
  }
  signals.set("ptx_global_memory_heavy", holds(diagnosis, "ptx_global_memory_heavy"));
  signals.set("ptx_max_global_memory_ratio", number(diagnosis, "max_global_memory_ratio"));
  const auto shares_nothing = [](const diagnose::PtxKernel& kernel) { return kernel.facts.shared_accesses() == 0; };
  signals.set("ptx_no_shared_memory", std::ranges::all_of(diagnosis.kernels, shares_nothing));
  const bool computes = number(diagnosis, "max_fp64_instructions").value_or(0) > 0;
  const bool moves = number(diagnosis, "max_fp64_memory_operations").value_or(0) > 0;
  signals.set("ptx_has_fp64", computes || moves);
  signals.set("ptx_has_fp64_arithmetic", computes);
  signals.set("ptx_has_fp64_data_movement", moves);
  signals.set("ptx_branch_divergence_risk", holds(diagnosis, "ptx_branch_divergence_risk"));
  signals.set("ptx_max_branch_density", number(diagnosis, "max_conditional_branch_density"));
  signals.set("ptx_uncoalesced_access", holds(diagnosis, "ptx_uncoalesced_access"));
  signals.set("ptx_shared_bank_conflicts", holds(diagnosis, "ptx_shared_bank_conflicts"));
  return signals;
}

}  // namespace frx::advise
