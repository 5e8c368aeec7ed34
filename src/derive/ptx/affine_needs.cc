#include "derive/ptx/affine_needs.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "derive/ptx/affine_transfer.h"

namespace frx::derive::ptx {
namespace {

namespace model = ::frx::model::ptx;

// Collects the values that occur in the addresses of an access.
void add_addresses(const model::Module& module, const RegisterUses& uses, const model::Instruction& instruction, std::uint32_t number,
                   std::vector<std::uint32_t>& into) {
  const std::span<const model::Operand> operands = module.operands_of(instruction);
  for (std::size_t at = 0; at < operands.size(); at += 1 + operands[at].parts) {
    if (operands[at].kind != model::Operand::address || operands[at].parts == 0) continue;
    const model::Operand& base = operands[at + 1];
    if (base.kind != model::Operand::reg) continue;
    for (const RegisterUse& use : uses.of(number)) {
      if (!use.written && uses.declared(use.value) == base.value) into.push_back(use.value);
    }
  }
}

}  // namespace

// One thread makes a bulk copy, and the tiles of matrix instructions have no address per lane.
bool is_access(const model::Form& form) {
  static constexpr std::array<std::string_view, 7> opcodes = {"ld", "ldu", "st", "atom", "red", "ldmatrix", "stmatrix"};
  if (form.space == model::Space::parameter || !(form.reads_memory || form.writes_memory)) return false;
  if (std::find(opcodes.begin(), opcodes.end(), form.opcode()) != opcodes.end()) return !form.is_asynchronous && form.size_operand < 0;
  return form.text.starts_with("cp.async.c");
}

std::vector<bool> needed_for_addresses(const model::Module& module, const model::Function& function, const Vocabulary& words,
                                       const RegisterUses& uses) {
  std::vector<std::uint32_t> open;
  for (std::uint32_t i = function.instructions.begin; i < function.instructions.end; ++i) {
    const model::Instruction& instruction = module.instructions[i];
    const model::Form& form = module.form_of(instruction);
    const bool accesses = words.meaning(instruction.form).is_access;
    if (accesses) add_addresses(module, uses, instruction, i, open);
    for (const RegisterUse& use : uses.of(i)) {
      // The values that decide which lanes execute the access, and which paths control takes.
      if (!use.written && uses.declared(use.value) == instruction.predicate && (accesses || form.flow != model::Flow::next)) {
        open.push_back(use.value);
      }
    }
  }
  std::vector<bool> needed(uses.count(), false);
  while (!open.empty()) {
    const std::uint32_t value = open.back();
    open.pop_back();
    if (needed[value]) continue;
    needed[value] = true;
    for (const std::uint32_t writer : uses.writers(value)) {
      for (const RegisterUse& use : uses.of(writer)) {
        if (!use.written && !needed[use.value]) open.push_back(use.value);
      }
    }
  }
  return needed;
}

}  // namespace frx::derive::ptx
