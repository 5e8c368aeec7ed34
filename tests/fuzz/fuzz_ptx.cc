// PTX text, and what is derived from its functions. Whatever the text is, all numbers of the module can be
// followed, and a file that was understood has only instructions with operands inside their functions.
#include "derive/ptx/divergence.h"
#include "derive/ptx/dominators.h"
#include "derive/ptx/flow_graph.h"
#include "derive/ptx/liveness.h"
#include "derive/ptx/loops.h"
#include "derive/ptx/memory_access.h"
#include "fuzz/input.h"
#include "ingest/ptx/categories.h"
#include "ingest/ptx/read_module.h"

namespace {

namespace code = frx::model::ptx;
using frx::fuzz::require;

const frx::ingest::ptx::InstructionSet& instruction_set() {
  static const auto set = frx::ingest::ptx::InstructionSet::load(frx::knowledge::Library::builtin()).value();
  return set;
}

void check_operand(const code::Module& module, const code::Function& function, const code::Operand& operand) {
  switch (operand.kind) {
    case code::Operand::reg: return require(operand.value < function.register_count);
    case code::Operand::special: return require(operand.value < module.specials.size());
    case code::Operand::wide: return require(operand.value < module.constants.size());
    case code::Operand::label: {
      require(operand.value >= function.labels.begin && operand.value < function.labels.end);
      const code::Label& label = module.labels[operand.value];
      require(label.instruction >= function.instructions.begin && label.instruction <= function.instructions.end);
      return require(label.targets == code::none || label.targets < module.target_lists.size());
    }
    case code::Operand::symbol:
    case code::Operand::selected: return require(operand.value < module.names.size());
    default: return;
  }
}

void check_instruction(const code::Module& module, const code::Function& function, const code::Instruction& it) {
  require(it.form < module.forms.size() && it.line > 0);
  require(it.predicate == code::none || it.predicate < function.register_count);
  require(it.place == code::none || it.place < module.places.size());
  const auto operands = module.operands_of(it);
  for (std::size_t i = 0; i < operands.size(); ++i) {
    require(i + operands[i].parts < operands.size());
    check_operand(module, function, operands[i]);
  }
}

void derive(const code::Module& module, const code::Function& function) {
  namespace derived = frx::derive::ptx;
  const derived::FlowGraph graph = derived::flow_graph(module, function);
  require(graph.blocks.empty() == (function.instructions.size() == 0));
  if (graph.blocks.empty()) return;
  const derived::Loops loops = derived::find_loops(graph, derived::dominators(graph));
  for (const derived::Loop& loop : loops.all) require(loop.depth >= 1 && loop.blocks >= 1 && loop.blocks <= graph.blocks.size());
  const derived::RegisterUses uses(module, function);
  const derived::Liveness live = derived::liveness(module, function, graph, uses);
  const derived::Divergence found = derived::divergence(module, function, graph, uses, live);
  for (const derived::Branch& branch : found.branches) require(branch.may_diverge == (branch.origin != derived::none));
  derived::LaunchFacts facts;
  facts.block = {32, 2, 1};
  for (const derived::MemoryAccess& access : derived::memory_accesses(module, function, facts)) {
    require(access.instruction >= function.instructions.begin && access.instruction < function.instructions.end);
    if (access.cost) require(access.cost->best <= access.cost->typical && access.cost->typical <= access.cost->worst);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const frx::fuzz::ExactInput input(data, size);
  frx::Result<code::Module> module = frx::ingest::ptx::read_module("input.ptx", input.text());
  if (!module) return 0;
  require(module->problems.size() <= module->skipped_statements);
  instruction_set().describe(*module);
  for (const code::Place& place : module->places) {
    require(place.called_from == code::none || &module->places[place.called_from] < &place);
  }
  for (const code::Function& function : module->functions) {
    for (const code::Instruction& instruction : module->code(function)) check_instruction(*module, function, instruction);
    derive(*module, function);
  }
  return 0;
}
