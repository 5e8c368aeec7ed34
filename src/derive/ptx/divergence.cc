#include "derive/ptx/divergence.h"

#include <algorithm>

#include "derive/ptx/dominators.h"

namespace frx::derive::ptx {
namespace {

namespace model = ::frx::model::ptx;
using model::Flow;
using model::Variance;

// How many blocks and writers between branches and their join points may be visited, for each instruction.
constexpr std::size_t visits_per_instruction = 50;

class Spread {
 public:
  Spread(const model::Module& module, const model::Function& function, const FlowGraph& graph, const RegisterUses& uses,
         const Liveness& live)
      : module_(module),
        function_(function),
        graph_(graph),
        uses_(uses),
        live_(live),
        post_dominators_(post_dominators(graph)),
        readers_(uses.readers()) {}

  Divergence run();

 private:
  bool begins_difference(std::uint32_t instruction) const;
  bool is_own_parameter(std::uint32_t name) const;
  void visit(std::uint32_t instruction, std::uint32_t origin);
  void differs(std::uint32_t value, std::uint32_t origin);
  bool has_choice(const model::Instruction& instruction) const;
  void part_at(std::uint32_t instruction, std::uint32_t origin);
  bool traverse(std::uint32_t block, std::uint32_t join);
  bool meet(std::uint32_t block, std::uint32_t join, std::uint32_t origin);
  void mark_entangled(std::uint32_t origin);

  const model::Module& module_;
  const model::Function& function_;
  const FlowGraph& graph_;
  const RegisterUses& uses_;
  const Liveness& live_;
  Dominators post_dominators_;
  Lists readers_;                                 // by value: instructions
  std::vector<std::uint32_t> origin_;             // by value: none while it is the same for all lanes
  std::vector<std::uint32_t> divergence_origin_;  // by instruction: the origin of a divergent branch
  std::vector<std::uint32_t> between_;            // by block: the last branch that it lies between the paths of, + 1
  std::vector<std::uint32_t> open_, worklist_;
  std::size_t steps_left_ = 0;
  bool is_exact_ = true;
};

Divergence Spread::run() {
  origin_.assign(uses_.count(), none);
  divergence_origin_.assign(function_.instructions.size(), none);
  between_.assign(graph_.blocks.size(), 0);
  steps_left_ = visits_per_instruction * function_.instructions.size();
  // Registers that a function receives may differ.
  for (std::uint32_t value = 0; value < uses_.count(); ++value) {
    if (uses_.writers(value).empty() && function_.kind == model::Function::func) differs(value, function_.instructions.begin);
  }
  for (std::uint32_t i = function_.instructions.begin; i < function_.instructions.end; ++i) {
    if (begins_difference(i)) visit(i, i);
  }
  while (!open_.empty()) {
    const std::uint32_t value = open_.back();
    open_.pop_back();
    for (const std::uint32_t reader : readers_[value]) visit(reader, origin_[value]);
  }
  Divergence result;
  for (std::uint32_t i = function_.instructions.begin; i < function_.instructions.end; ++i) {
    const std::uint32_t origin = divergence_origin_[i - function_.instructions.begin];
    if (has_choice(module_.instructions[i])) result.branches.push_back({i, origin != none, origin});
  }
  for (const std::uint32_t origin : origin_) result.differs.push_back(origin != none);
  result.is_exact = is_exact_;
  return result;
}

// Is the result different between lanes whatever the registers hold?
bool Spread::begins_difference(std::uint32_t number) const {
  const model::Instruction& instruction = module_.instructions[number];
  const model::Form& form = module_.form_of(instruction);
  if (form.result == Variance::lane || !form.known) return true;
  const std::span<const model::Operand> operands = module_.operands_of(instruction);
  for (const model::Operand& operand : operands) {
    if (operand.kind == model::Operand::special && module_.specials[operand.value].variance != Variance::uniform) return true;
  }
  // A parameter of a called function, or the result of a call.
  if (form.space != model::Space::parameter || !form.reads_memory) return false;
  if (function_.kind == model::Function::func) return true;
  return operands.empty() || operands.back().kind != model::Operand::symbol || !is_own_parameter(operands.back().value);
}

bool Spread::is_own_parameter(std::uint32_t name) const {
  const auto own = module_.in(module_.variables, function_.parameters);
  return std::any_of(own.begin(), own.end(), [&](const model::Variable& one) { return one.name == name; });
}

bool Spread::has_choice(const model::Instruction& instruction) const {
  const Flow flow = module_.form_of(instruction).flow;
  if (flow == Flow::indirect_branch) return true;
  return instruction.predicate != model::none && (flow == Flow::branch || flow == Flow::leave);
}

// Marks the results of an instruction that reads or produces a differing value.
void Spread::visit(std::uint32_t number, std::uint32_t origin) {
  const model::Instruction& instruction = module_.instructions[number];
  const model::Form& form = module_.form_of(instruction);
  if (has_choice(instruction)) part_at(number, origin);
  if (form.result == Variance::uniform) return;
  for (const RegisterUse& use : uses_.of(number)) {
    if (use.written) differs(use.value, origin);
  }
}

void Spread::differs(std::uint32_t value, std::uint32_t origin) {
  if (origin_[value] != none) return;
  origin_[value] = origin;
  open_.push_back(value);
}

// A value that is written between the branch and the join of all its paths, and is live there, may come from either path, or from
// different iterations of a loop.
void Spread::part_at(std::uint32_t number, std::uint32_t origin) {
  std::uint32_t& known_origin = divergence_origin_[number - function_.instructions.begin];
  if (known_origin != none) return;
  known_origin = origin;
  const std::uint32_t block = graph_.block_of(number);
  const std::uint32_t join = post_dominators_.nearest(block);
  if (join == none || join >= graph_.blocks.size()) return;
  if (!live_.pressure.known || !traverse(block, join) || !meet(block, join, origin)) mark_entangled(origin);
}

bool Spread::meet(std::uint32_t block, std::uint32_t join, std::uint32_t origin) {
  for (const std::uint32_t value : live_.live_in[join]) {
    if (origin_[value] != none) continue;
    for (const std::uint32_t writer : uses_.writers(value)) {
      if (steps_left_ == 0) return false;
      --steps_left_;
      if (between_[graph_.block_of(writer)] != block + 1) continue;
      differs(value, origin);
      break;
    }
  }
  return true;
}

bool Spread::traverse(std::uint32_t block, std::uint32_t join) {
  const auto successors = graph_.successors[block];
  worklist_.assign(successors.begin(), successors.end());
  while (!worklist_.empty()) {
    const std::uint32_t at = worklist_.back();
    worklist_.pop_back();
    if (at == join || between_[at] == block + 1) continue;
    if (steps_left_ == 0) return false;
    --steps_left_;
    between_[at] = block + 1;
    for (const std::uint32_t next : graph_.successors[at]) worklist_.push_back(next);
  }
  return true;
}

void Spread::mark_entangled(std::uint32_t origin) {
  if (!is_exact_) return;
  is_exact_ = false;
  for (std::uint32_t value = 0; value < uses_.count(); ++value) {
    if (uses_.writers(value).size() > 1) differs(value, origin);
  }
}

}  // namespace

Divergence divergence(const model::Module& module, const model::Function& function, const FlowGraph& graph, const RegisterUses& uses,
                      const Liveness& live) {
  if (graph.blocks.empty()) return {};
  return Spread(module, function, graph, uses, live).run();
}

}  // namespace frx::derive::ptx
