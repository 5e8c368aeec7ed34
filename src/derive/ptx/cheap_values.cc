#include "derive/ptx/cheap_values.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "derive/ptx/flow_graph.h"

namespace frx::derive::ptx {
namespace {

namespace model = ::frx::model::ptx;

// An index is extended, multiplied and added to a pointer, and a constant is added to the sum.
constexpr std::uint8_t most_steps = 4;

// mov of a constant or a special register, or a load of a parameter of the kernel.
bool costs_nothing(const model::Module& module, const model::Function& function, const model::Instruction& instruction) {
  const model::Form& form = module.form_of(instruction);
  const std::span<const model::Operand> operands = module.operands_of(instruction);
  if (operands.size() < 2 || operands[0].kind != model::Operand::reg) return false;
  if (form.space == model::Space::parameter && function.kind == model::Function::entry && operands.size() == 3 &&
      operands[2].kind == model::Operand::symbol && form.opcode() == "ld")
    return true;
  return operands[1].kind != model::Operand::reg && operands[1].kind != model::Operand::vector && form.opcode() == "mov";
}

// Instructions that ptxas rather repeats than keep their results.
bool is_cheap(const model::Form& form) {
  static constexpr std::array<std::string_view, 10> opcodes{"add", "sub", "shl", "shr", "mul", "mad", "cvt", "cvta", "and", "or"};
  const bool is_integer = form.category == model::Category::integer || form.category == model::Category::conversion;
  return is_integer && form.results == 1 && std::ranges::find(opcodes, form.opcode()) != opcodes.end();
}

}  // namespace

CheapValues::CheapValues(const model::Module& module, const model::Function& function, const RegisterUses& uses)
    : uses_(uses), definitions_(uses.count(), 0), free_(uses.count(), true), root_(uses.count()), steps_(uses.count(), 0) {
  count_definitions(module, function);
  std::iota(root_.begin(), root_.end(), 0u);
  for (std::uint32_t i = function.instructions.begin; i < function.instructions.end; ++i) {
    const model::Instruction& instruction = module.instructions[i];
    if (instruction.predicate == model::none && is_cheap(module.form_of(instruction))) find_root(uses.of(i));
  }
}

void CheapValues::count_definitions(const model::Module& module, const model::Function& function) {
  for (std::uint32_t i = function.instructions.begin; i < function.instructions.end; ++i) {
    const bool nothing = costs_nothing(module, function, module.instructions[i]);
    for (const RegisterUse& use : uses_.of(i)) {
      if (!use.written) continue;
      if (definitions_[use.value] < 2) ++definitions_[use.value];
      free_[use.value] = free_[use.value] && nothing && definitions_[use.value] == 1;
    }
  }
}

// Classifies a result: computed from one root, from free values alone, or from more.
void CheapValues::find_root(std::span<const RegisterUse> uses) {
  std::uint32_t result = none, root = none;
  std::uint8_t steps = 0;
  for (const RegisterUse& use : uses) {
    if (definitions_[use.value] != 1 || uses_.is_predicate(use.value)) return;
    if (use.written) {
      result = use.value;
      continue;
    }
    steps = std::max(steps, steps_[use.value]);
    if (free_[use.value]) continue;
    if (root != none && root != root_[use.value]) return;
    root = root_[use.value];
  }
  if (result == none || steps >= most_steps || (root != none && uses_.width(root) > uses_.width(result))) return;
  steps_[result] = static_cast<std::uint8_t>(steps + 1);
  if (root == none) free_[result] = true;
  if (root != none) root_[result] = root;
}

}  // namespace frx::derive::ptx
