#include "diagnose/ptx.h"

#include <algorithm>
#include <atomic>
#include <optional>

#include "base/parallel.h"
#include "base/text.h"
#include "detect/code_rules.h"

namespace frx::diagnose {
namespace {

using derive::ptx::KernelFacts;
using model::CodeFact;
using model::CodeSubject;
using Id = model::CodeFactId;
using model::Verdict;
using model::ptx::Function;
using model::ptx::Module;

// Below this many instructions further threads cost more than they save.
constexpr std::size_t worth_a_thread = 200'000;

std::vector<const Function*> kernels_in(const Module& module) {
  std::vector<const Function*> kernels;
  for (const Function& function : module.functions) {
    if (function.kind == Function::entry && function.has_body) kernels.push_back(&function);
  }
  return kernels;
}

struct Studied {
  std::vector<PtxKernel> kernels;
  std::vector<CodeSubject> subjects;  // of the kernels, for the rules
};

// Kernels differ in size, so each thread takes the next remaining one.
Studied studied(const Module& module, const std::vector<const Function*>& functions, const derive::ptx::SmRegisters& sm,
                const CompiledKernels& compiled) {
  Studied all{std::vector<PtxKernel>(functions.size()), std::vector<CodeSubject>(functions.size())};
  std::atomic<std::size_t> next{0};
  const auto work = [&](std::size_t) {
    derive::ptx::Vocabulary words(module);
    for (std::size_t i = next++; i < functions.size(); i = next++) {
      PtxKernel& kernel = all.kernels[i];
      kernel.facts = derive::ptx::kernel_facts(module, *functions[i], words, sm);
      const auto numbers = compiled.find(kernel.facts.name);
      if (numbers != compiled.end()) kernel.compiled = &numbers->second;
      kernel.probably_spills = derive::ptx::probably_spills(kernel.facts, kernel.compiled);
      all.subjects[i] = derive::ptx::subject_of(module, kernel.facts, kernel.compiled);
    }
  };
  const bool is_worth_more = module.instructions.size() >= worth_a_thread && functions.size() > 1;
  for_each_in_parallel(is_worth_more ? std::min(most_threads(), functions.size()) : 1, work);
  return all;
}

// Facts over all kernels: sums, largest values with the kernel they are from, and in how many kernels.
class FactsOfKernels {
 public:
  explicit FactsOfKernels(const std::vector<CodeSubject>& subjects) : subjects_(subjects) {}

  CodeSubject take() {
    run_.scope = CodeSubject::Scope::file;
    run_.set(Id::kernel_count, static_cast<double>(subjects_.size()));
    set_largest(Id::registers, Id::max_registers, Id::max_registers_kernel, {Id::registers_source});
    set_largest(Id::global_memory_ratio, Id::max_global_memory_ratio, Id::max_global_memory_ratio_kernel);
    set_largest(Id::shared_accesses, Id::max_shared_accesses);
    set_largest(Id::fp64_instructions, Id::max_fp64_instructions);
    set_largest(Id::fp64_memory_operations, Id::max_fp64_memory_operations, Id::max_fp64_memory_operations_kernel);
    set_largest(Id::local_bytes, Id::max_local_bytes, Id::max_local_bytes_kernel);
    set_largest(Id::local_accesses, Id::max_local_accesses);
    set_largest(Id::spill_bytes, Id::max_spill_bytes, Id::max_spill_bytes_kernel);
    set_largest(Id::conditional_branch_density, Id::max_conditional_branch_density);
    set_largest(Id::divergent_branch_density, Id::max_divergent_density, Id::max_divergent_density_kernel);
    set_largest(Id::uncoalesced_accesses, Id::max_uncoalesced_accesses, Id::max_uncoalesced_accesses_kernel, {Id::uncoalesced_sentence});
    set_largest(Id::bank_conflict_accesses, Id::max_bank_conflict_accesses, Id::max_bank_conflict_accesses_kernel,
                {Id::bank_conflict_sentence});
    set_any(Id::probably_spills, Id::any_probably_spills, Id::any_probably_spills_kernel);
    set_count(Id::spill_bytes, Id::kernels_with_spills);
    set_count(Id::fp64_instructions, Id::kernels_with_fp64);
    const auto unknown = [](const CodeSubject& s) { return s.number(Id::spills_unknown) != 0.0; };
    run_.set(Id::spills_unknown, std::ranges::any_of(subjects_, unknown));
    return std::move(run_);
  }

 private:
  // The first of the largest values, its kernel, and further facts of that kernel.
  void set_largest(Id of, Id as, std::optional<Id> in_kernel = {}, std::initializer_list<Id> with_it = {}) {
    const CodeSubject* largest = nullptr;
    for (const CodeSubject& subject : subjects_) {
      if (subject.number(of) && (!largest || *subject.number(of) > *largest->number(of))) largest = &subject;
    }
    if (!largest) return;
    run_.set(as, *largest->number(of));
    if (in_kernel) run_.set(*in_kernel, readable_symbol(largest->kernel));
    for (const Id id : with_it) {
      if (const CodeFact* fact = largest->find(id)) run_.facts.put(id, *fact);
    }
  }

  void set_any(Id of, Id as, Id in_kernel) {
    const auto holds = [&](const CodeSubject& s) { return s.number(of).value_or(0) != 0; };
    const auto at = std::ranges::find_if(subjects_, holds);
    if (std::ranges::any_of(subjects_, [&](const CodeSubject& s) { return s.find(of) != nullptr; })) run_.set(as, at != subjects_.end());
    if (at != subjects_.end()) run_.set(in_kernel, readable_symbol(at->kernel));
  }

  void set_count(Id of, Id as) {
    const auto count = std::ranges::count_if(subjects_, [&](const CodeSubject& s) { return s.number(of).value_or(0) > 0; });
    run_.set(as, static_cast<double>(count));
  }

  const std::vector<CodeSubject>& subjects_;
  CodeSubject run_;
};

model::Finding finding_of(const knowledge::CodeLabel& label, const CodeSubject& run) {
  const std::optional<bool> holds = label.when.truth(knowledge::lookup_in(run));
  model::Finding finding;
  finding.type = &label;
  finding.verdict = !holds ? Verdict::cannot_tell : *holds ? Verdict::fires : Verdict::clear;
  finding.proof = label.proof;
  if (!finding.fires()) return finding;
  finding.score = std::clamp(label.score.number(knowledge::lookup_in(run)).value_or(0), 0.0, 1.0);
  finding.message = detect::filled(label.evidence, run);
  return finding;
}

// Of several entries of one label the first that holds counts; where none holds, an inconclusive one makes the label inconclusive.
void judge_labels(const knowledge::CodeLabels& labels, PtxDiagnosis& diagnosis) {
  for (const knowledge::CodeLabel& label : labels.all()) {
    if (find_finding(diagnosis.labels, label.id)) continue;
    model::Finding finding = finding_of(label, diagnosis.run);
    (finding.fires() ? diagnosis.labels : diagnosis.others).push_back(std::move(finding));
  }
  std::erase_if(diagnosis.others, [&](const model::Finding& finding) { return find_finding(diagnosis.labels, finding.id()); });
  std::ranges::stable_sort(diagnosis.others, {}, &model::Finding::is_clear);
  std::ranges::stable_sort(diagnosis.labels, std::greater{}, &model::Finding::score);
}

}  // namespace

PtxDiagnosis diagnose_ptx(const Module& module, const PtxKnowledge& known, const CompiledKernels& compiled) {
  PtxDiagnosis diagnosis;
  diagnosis.module = &module;
  const std::vector<const Function*> functions = kernels_in(module);
  diagnosis.device_functions = static_cast<std::size_t>(
      std::ranges::count_if(module.functions, [](const Function& f) { return f.kind == Function::func && f.has_body; }));
  Studied all = studied(module, functions, known.sm, compiled);
  diagnosis.kernels = std::move(all.kernels);
  detect::RuleTally tally(*known.rules);
  diagnosis.findings = detect::examine(*known.rules, all.subjects, known.sm_version, &tally);
  diagnosis.asked = tally.counts();
  diagnosis.run = FactsOfKernels(all.subjects).take();
  judge_labels(*known.labels, diagnosis);
  for (const model::Finding& label : diagnosis.labels) {
    if (label.proof != model::Proof::unproven && diagnosis.primary.empty()) diagnosis.primary = label.id();
  }
  return diagnosis;
}

}  // namespace frx::diagnose
