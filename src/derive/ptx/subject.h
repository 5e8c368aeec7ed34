// The facts of a PTX kernel under the names that the rules in data/code_rules/ptx use.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "derive/ptx/kernel_facts.h"
#include "model/code_subject.h"

namespace frx::derive::ptx {

// What the compiler reports about a kernel, in `ptxas -v` or a cubin.
struct Compiled {
  std::optional<std::uint32_t> registers;          // per thread
  std::optional<std::uint64_t> stack_bytes;        // per thread
  std::optional<std::uint64_t> spill_store_bytes;  // per thread, as ptxas counts them
  std::optional<std::uint64_t> spill_load_bytes;
  std::string source;  // "ptxas 13.0 for sm_90"
};

// How many registers a thread needs: the compiler's number, else the estimate; absent when neither
// is known.
std::optional<std::uint32_t> registers_of(const KernelFacts& facts, const Compiled* compiled);

// More values must be kept than the budget holds: some will probably be spilled.
bool probably_spills(const KernelFacts& facts, const Compiled* compiled);

// The facts, each with the place where it shows:
//   instructions, global_loads, global_stores, shared_accesses, fp64_instructions, fp64_memory_operations,
//   sfu_instructions, tensor_instructions, atomics, conditional_branches, divergent_branches, loops  numbers
//   global_memory_ratio, conditional_branch_density, divergent_branch_density                        0 to 1
//   virtual_registers, live_registers and registers (absent when unknown), registers_source, register_budget
//   (absent without one)
//   local_bytes, local_accesses, spill_bytes (absent unless a compiler reports it), spills_unknown, probably_spills
//   uncoalesced_accesses, thread_blocked_accesses, bank_conflict_accesses: in every plausible block    numbers
//   uncoalesced_sentence, thread_blocked_sentence, bank_conflict_sentence: of the worst one            texts
::frx::model::CodeSubject subject_of(const ::frx::model::ptx::Module& module, const KernelFacts& facts, const Compiled* compiled);

}  // namespace frx::derive::ptx
