#include "derive/ptx/kernel_facts.h"

#include <algorithm>
#include <map>

#include "derive/ptx/divergence.h"
#include "derive/ptx/dominators.h"
#include "derive/ptx/flow_graph.h"
#include "derive/ptx/loops.h"

namespace frx::derive::ptx {
namespace {

using ::frx::model::TextPlace;
using ::frx::model::ptx::Category;
using ::frx::model::ptx::Flow;
using ::frx::model::ptx::Form;
using ::frx::model::ptx::Function;
using ::frx::model::ptx::Instruction;
using ::frx::model::ptx::Limits;
using ::frx::model::ptx::Module;
using ::frx::model::ptx::Operand;
using ::frx::model::ptx::RegisterBank;
using ::frx::model::ptx::Space;
using ::frx::model::ptx::Type;
using ::frx::model::ptx::Variable;

constexpr std::uint32_t most_registers_per_thread = 255;

void count_registers(const Module& module, const Function& function, KernelFacts& facts) {
  std::map<Type, std::uint64_t> by_type;
  for (const RegisterBank& bank : module.in(module.banks, function.banks)) {
    if (bank.type == Type::pred) continue;
    const std::uint64_t registers = std::uint64_t{bank.count} * bank.lanes;
    by_type[bank.type] += registers;
    facts.virtual_registers += registers * static_cast<std::uint64_t>(std::max(1, bits_of(bank.type) / 32));
  }
  facts.registers_by_type.assign(by_type.begin(), by_type.end());
}

void count_variable(const Variable& variable, KernelFacts& facts) {
  if (variable.space == Space::local) facts.local_bytes += variable.bytes;
  if (variable.space != Space::shared) return;
  facts.shared_bytes += variable.bytes;
  if (variable.is_array && variable.is_unsized) facts.dynamic_shared = true;
}

// Variables of the kernel, and shared variables of the module that it names.
void count_variables(const Module& module, const Function& function, KernelFacts& facts) {
  for (const Variable& variable : module.in(module.variables, function.variables)) count_variable(variable, facts);
  std::map<std::uint32_t, const Variable*> shared;
  for (const std::uint32_t global : module.globals) {
    if (module.variables[global].space == Space::shared) shared.emplace(module.variables[global].name, &module.variables[global]);
  }
  if (shared.empty()) return;
  for (const Operand& operand : module.in(module.operands, function.operands)) {
    if (operand.kind != Operand::symbol) continue;
    const auto named = shared.find(operand.value);
    if (named == shared.end()) continue;
    count_variable(*named->second, facts);
    shared.erase(named);
  }
}

void count_instruction(const Form& form, const Instruction& instruction, std::uint32_t index, KernelFacts& facts) {
  const auto category = static_cast<std::size_t>(form.category);
  if (facts.mix[category]++ == 0) facts.first[category] = index;
  const bool moves = form.reads_memory || form.writes_memory;
  const bool in_memory = form.space == Space::global || form.space == Space::local;
  if (moves && in_memory && form.type == Type::f64) ++facts.fp64_memory_operations;
  if (form.is_barrier) ++facts.barriers;
  if (form.is_asynchronous && moves) ++facts.asynchronous_copies;
  if (form.flow == Flow::call) ++facts.calls;
  if (form.flow != Flow::branch && form.flow != Flow::indirect_branch) return;
  ++facts.branches;
  if (instruction.predicate != ::frx::model::ptx::none) ++facts.conditional_branches;
}

std::uint64_t thread_count(const std::array<std::uint32_t, 3>& extent) {
  std::uint64_t threads = 1;
  for (const std::uint32_t size : extent) threads *= std::max<std::uint32_t>(1, size);
  return threads;
}

// The limit as ptxas derives it: what the register file leaves each thread when `min_blocks` of the largest size are resident, in
// steps of 8. When an SM has too few threads for so many blocks, ptxas warns and ignores .minnctapersm.
std::uint32_t budget_of(const Limits& limits, const SmRegisters& sm) {
  std::uint32_t budget = 0;
  const bool required = limits.required_threads[0] > 0, at_most = limits.max_threads[0] > 0;
  if (required || at_most) {
    const std::uint64_t threads = thread_count(required ? limits.required_threads : limits.max_threads);
    const std::uint64_t asked = threads * std::max<std::uint32_t>(1, limits.min_blocks);
    const std::uint64_t resident = asked <= sm.threads ? asked : threads;
    budget = static_cast<std::uint32_t>(std::min<std::uint64_t>(most_registers_per_thread, sm.registers / resident / 8 * 8));
  }
  if (limits.max_registers > 0) budget = budget == 0 ? limits.max_registers : std::min(budget, limits.max_registers);
  return budget >= most_registers_per_thread ? 0 : budget;
}

void study_flow(const Module& module, const Function& function, Vocabulary& words, KernelFacts& facts) {
  const FlowGraph graph = flow_graph(module, function);
  if (graph.blocks.empty()) return;
  const Dominators tree = dominators(graph);
  const Loops loops = find_loops(graph, tree);
  facts.loops = loops.all.size();
  for (const Loop& loop : loops.all) facts.loop_depth = std::max(facts.loop_depth, loop.depth);
  const RegisterUses uses(module, function);
  const Liveness live = liveness(module, function, graph, uses);
  facts.pressure = live.pressure;
  const Divergence divergence = ptx::divergence(module, function, graph, uses, live);
  facts.divergence_known = divergence.is_exact;
  for (const Branch& branch : divergence.branches) {
    const Flow flow = module.form_of(module.instructions[branch.instruction]).flow;
    if (!branch.may_diverge || flow == Flow::leave) continue;
    if (facts.divergent_branches++ == 0) facts.first_divergent_branch = branch.instruction;
  }
  words.enter(module, function);
  facts.accesses = summary_of(MemoryAnalysis(module, function, words, graph, tree, loops, uses, live, divergence));
}

double share(std::uint64_t part, std::uint64_t all) { return all == 0 ? 0 : static_cast<double>(part) / static_cast<double>(all); }

}  // namespace

std::uint64_t KernelFacts::global_accesses() const { return of(Category::global_load) + of(Category::global_store); }
std::uint64_t KernelFacts::shared_accesses() const { return of(Category::shared_load) + of(Category::shared_store); }
std::uint64_t KernelFacts::local_accesses() const { return of(Category::local_load) + of(Category::local_store); }
double KernelFacts::global_ratio() const { return share(global_accesses(), instructions); }
double KernelFacts::conditional_branch_density() const { return share(conditional_branches, instructions); }
double KernelFacts::divergent_branch_density() const { return share(divergent_branches, instructions); }

KernelFacts kernel_facts(const Module& module, const Function& function, const SmRegisters& sm) {
  Vocabulary words(module);
  return kernel_facts(module, function, words, sm);
}

KernelFacts kernel_facts(const Module& module, const Function& function, Vocabulary& words, const SmRegisters& sm) {
  KernelFacts facts;
  facts.function = &function;
  facts.name = module.names[function.name];
  facts.instructions = function.instructions.size();
  facts.first.fill(none);
  facts.register_budget = budget_of(function.limits, sm);
  count_registers(module, function, facts);
  count_variables(module, function, facts);
  for (std::uint32_t i = function.instructions.begin; i < function.instructions.end; ++i) {
    count_instruction(module.form_of(module.instructions[i]), module.instructions[i], i, facts);
  }
  study_flow(module, function, words, facts);
  return facts;
}

TextPlace place_of(const Module& module, std::uint32_t instruction) {
  TextPlace place;
  place.file = module.file;
  if (instruction >= module.instructions.size()) return place;
  const Instruction& at = module.instructions[instruction];
  place.line = at.line;
  if (at.place == ::frx::model::ptx::none) return place;
  const ::frx::model::ptx::Place& source = module.places[at.place];
  for (const Module::File& file : module.files) {
    if (file.number == source.file && source.line > 0) {
      place.source_file = file.path;
      place.source_line = source.line;
    }
  }
  return place;
}

}  // namespace frx::derive::ptx
