#include "diagnose/ptx.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <thread>

#include "base/text.h"
#include "detect/code_rules.h"

namespace frx::diagnose {
namespace {

using derive::ptx::KernelFacts;
using model::CodeFact;
using model::CodeSubject;
using model::ptx::Function;
using model::ptx::Module;

// Below this many instructions a second thread costs more than it saves.
constexpr std::size_t worth_a_thread = 200'000;

std::vector<const Function*> kernels_in(const Module& module) {
  std::vector<const Function*> kernels;
  for (const Function& function : module.functions) {
    if (function.kind == Function::entry && function.has_body) kernels.push_back(&function);
  }
  return kernels;
}

// Kernels differ in size, so each thread takes the next one that is left.
std::vector<PtxKernel> studied(const Module& module, const std::vector<const Function*>& functions, const derive::ptx::SmRegisters& sm) {
  std::vector<PtxKernel> kernels(functions.size());
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    derive::ptx::Vocabulary words(module);
    for (std::size_t i = next++; i < functions.size(); i = next++) kernels[i].facts = derive::ptx::kernel_facts(module, *functions[i], words, sm);
  };
  std::optional<std::jthread> helper;
  if (module.instructions.size() >= worth_a_thread && functions.size() > 1 && std::thread::hardware_concurrency() > 1) helper.emplace(work);
  work();
  return kernels;
}

// Facts over all kernels: sums, largest values with the kernel they are from, and in how many kernels.
class FactsOfKernels {
 public:
  explicit FactsOfKernels(const std::vector<CodeSubject>& subjects) : subjects_(subjects) {}

  CodeSubject take() {
    run_.set("kernel_count", static_cast<double>(subjects_.size()));
    for (const char* name : {"registers", "global_memory_ratio", "fp64_instructions", "fp64_memory_operations",
                             "local_bytes", "local_accesses", "spill_bytes", "conditional_branch_density", "uncoalesced_accesses", "bank_conflict_accesses"}) {
      set_largest(name, "max_" + std::string(name));
    }
    set_largest("divergent_branch_density", "max_divergent_density");
    set_from_largest("uncoalesced_accesses", "uncoalesced_sentence");
    set_from_largest("bank_conflict_accesses", "bank_conflict_sentence");
    set_from_largest("registers", "registers_source");
    set_any("probably_spills");
    set_count("spill_bytes", "kernels_with_spills");
    set_count("fp64_instructions", "kernels_with_fp64");
    set_sources();
    return std::move(run_);
  }

 private:
  static std::optional<double> number(const CodeSubject& subject, std::string_view name) {
    const CodeFact* fact = subject.find(name);
    const double* value = fact ? std::get_if<double>(&fact->value) : nullptr;
    return value ? std::optional(*value) : std::nullopt;
  }

  void set_largest(std::string_view name, const std::string& as) {
    std::optional<double> largest;
    for (const CodeSubject& subject : subjects_) {
      const std::optional<double> value = number(subject, name);
      if (!value || (largest && *value <= *largest)) continue;
      largest = value;
      run_.set(as, *value);
      run_.set(as + ".kernel", readable_symbol(subject.kernel));
    }
  }

  // `wanted` of the kernel in which `name` is largest.
  void set_from_largest(std::string_view name, const std::string& wanted) {
    const std::optional<double> largest = number(run_, "max_" + std::string(name));
    for (const CodeSubject& subject : subjects_) {
      if (!largest || number(subject, name) != largest) continue;
      if (const CodeFact* fact = subject.find(wanted)) run_.facts.put(wanted, *fact);
      return;
    }
  }

  void set_any(const std::string& name) {
    for (const CodeSubject& subject : subjects_) {
      const CodeFact* fact = subject.find(name);
      if (!fact || !std::get<bool>(fact->value)) continue;
      run_.set("any_" + name, true);
      run_.set("any_" + name + ".kernel", readable_symbol(subject.kernel));
      return;
    }
  }

  void set_count(std::string_view name, model::FactName as) {
    const auto count = std::ranges::count_if(subjects_, [&](const CodeSubject& s) { return number(s, name).value_or(0) > 0; });
    run_.set(as, static_cast<double>(count));
  }

  void set_sources() {
    const auto unknown = [](const CodeSubject& s) { return std::get<bool>(s.find("spills_unknown")->value); };
    run_.set("spills_unknown", std::ranges::any_of(subjects_, unknown));
  }

  const std::vector<CodeSubject>& subjects_;
  CodeSubject run_;
};

CodeLabelFinding finding_of(const knowledge::CodeLabel& label, const CodeSubject& run) {
  const CodeFact* by = label.by.empty() ? nullptr : run.find(label.by);
  const double* value = by ? std::get_if<double>(&by->value) : nullptr;
  return {label.id, label.display, label.score_at(value ? *value : 0), label.proof, detect::filled(label.evidence, run)};
}

// Of several entries of one label the first that holds counts.
std::vector<CodeLabelFinding> labels_of(const knowledge::CodeLabels& labels, const CodeSubject& run) {
  std::vector<CodeLabelFinding> found;
  for (const knowledge::CodeLabel& label : labels.all()) {
    const bool is_said = std::ranges::any_of(found, [&](const CodeLabelFinding& f) { return f.id == label.id; });
    if (!is_said && detect::meets(label.when, run)) found.push_back(finding_of(label, run));
  }
  std::ranges::stable_sort(found, std::greater{}, &CodeLabelFinding::score);
  return found;
}

}  // namespace

PtxDiagnosis diagnose_ptx(const Module& module, const PtxKnowledge& known, const CompiledKernels& compiled) {
  PtxDiagnosis diagnosis;
  diagnosis.module = &module;
  const std::vector<const Function*> functions = kernels_in(module);
  diagnosis.device_functions = static_cast<std::size_t>(
      std::ranges::count_if(module.functions, [](const Function& f) { return f.kind == Function::func && f.has_body; }));
  diagnosis.kernels = studied(module, functions, known.sm);
  std::vector<CodeSubject> subjects;
  for (PtxKernel& kernel : diagnosis.kernels) {
    const auto numbers = compiled.find(kernel.facts.name);
    if (numbers != compiled.end()) kernel.compiled = &numbers->second;
    kernel.probably_spills = derive::ptx::probably_spills(kernel.facts, kernel.compiled);
    subjects.push_back(derive::ptx::subject_of(module, kernel.facts, kernel.compiled));
  }
  diagnosis.findings = detect::examine(*known.rules, subjects, known.sm_version);
  diagnosis.run = FactsOfKernels(subjects).take();
  diagnosis.labels = labels_of(*known.labels, diagnosis.run);
  for (const CodeLabelFinding& label : diagnosis.labels) {
    if (label.proof != knowledge::Proof::unproven && diagnosis.primary.empty()) diagnosis.primary = label.id;
  }
  return diagnosis;
}

}  // namespace frx::diagnose
