#include "derive/ptx/affine_transfer.h"

#include <algorithm>
#include <utility>

namespace frx::derive::ptx {

namespace model = ::frx::model::ptx;

Transfer::Transfer(const model::Module& module, const model::Function& function, const RegisterUses& uses, const Vocabulary& words,
                   const Divergence& divergence, const LoopNest& nest, Atoms& atoms)
    : now(uses.count(), none),
      module_(module),
      function_(function),
      uses_(uses),
      words_(words),
      divergence_(divergence),
      nest_(nest),
      atoms_(atoms),
      operations_(atoms, nest) {}

void Transfer::split(const model::Instruction& instruction) {
  operands_.clear();
  const std::span<const Operand> all = module_.operands_of(instruction);
  for (std::size_t at = 0; at < all.size(); at += 1 + all[at].parts) operands_.push_back(all.subspan(at, 1 + all[at].parts));
}

FormId Transfer::read(std::size_t number, int bits) { return number < operands_.size() ? read(operands_[number], bits) : none; }

FormId Transfer::read(std::span<const Operand> operand, int bits) {
  const Operand& top = operand[0];
  FormId form = none;
  switch (top.kind) {
    case Operand::reg: form = now[uses_.value_of(top.value)]; break;
    case Operand::special: form = special(top.value); break;
    case Operand::integer: form = operations_.constant(top.signed_value()); break;
    case Operand::wide:
      if ((top.flags & Operand::is_double) == 0) form = operations_.constant(static_cast<std::int64_t>(module_.constants[top.value]));
      break;
    case Operand::symbol: form = variable(top.value); break;
    case Operand::address: return (top.flags & Operand::is_value) != 0 ? address(operand) : none;
    default: return none;
  }
  if ((top.flags & Operand::minus) != 0) return none;
  if ((top.flags & Operand::negated) != 0) form = operations_.add(operations_.constant(1), form, 32, -1);
  return atoms_.forms.modulo(form, bits);
}

FormId Transfer::address(std::span<const Operand> operand) {
  const Operand& top = operand[0];
  if (top.kind != Operand::address || operand.size() != 2 || (top.flags & Operand::is_element) != 0) return none;
  return atoms_.forms.sum(read(operand.subspan(1), 64), operations_.constant(top.signed_value()));
}

FormId Transfer::predicate(const model::Instruction& instruction) {
  if (instruction.predicate == model::none) return operations_.constant(1);
  const FormId form = now[uses_.value_of(instruction.predicate)];
  return instruction.predicate_negated ? operations_.add(operations_.constant(1), form, 32, -1) : form;
}

void Transfer::apply(std::uint32_t instruction, std::uint32_t block) {
  const model::Instruction& it = module_.instructions[instruction];
  instruction_ = instruction;
  block_ = block;
  form_ = &module_.form_of(it);
  meaning_ = &words_.meaning(it.form);
  split(it);
  bits_ = meaning_->bits;
  is_signed_ = meaning_->is_signed;
  if (meaning_->loads_parameter) return load_parameters();
  const FormId form = meaning_->is_integer && form_->results == 1 && !operands_.empty() ? result() : none;
  if (form != none) return write(operands_[0], form);
  for (const RegisterUse& use : uses_.of(instruction)) {
    if (use.written) write_register(use.value, opaque(use.value));
  }
}

// Only whole registers are followed, not parts of one or the second of a pair.
void Transfer::write(std::span<const Operand> target, FormId form) {
  if (target[0].kind == Operand::reg) return write_register(uses_.value_of(target[0].value), form);
  for (const RegisterUse& use : uses_.of(instruction_)) {
    if (use.written) write_register(use.value, opaque(use.value));
  }
}

// A predicated instruction that does not execute keeps the old value; in a loop it may be from an earlier iteration.
void Transfer::write_register(std::uint32_t value, FormId form) {
  const model::Instruction& it = module_.instructions[instruction_];
  if (it.predicate != model::none) {
    const int bits = uses_.width(value) == 2 ? 64 : 32;
    if (now[value] != none) form = operations_.select(predicate(it), form, now[value], bits);
    if (now[value] == none && nest_.innermost(block_) != none) form = none;
  }
  now[value] = form != none ? form : opaque(value);
}

Nature Transfer::nature_of_operands() {
  Nature nature = Nature::lanes;
  for (const RegisterUse& use : uses_.of(instruction_)) {
    if (!use.written) nature = std::max(nature, atoms_.nature(now[use.value]));
  }
  return nature == Nature::lanes ? Nature::unknown : nature;
}

// A result that is not followed. Its operands decide whether it can ever be known.
FormId Transfer::opaque(std::uint32_t value) {
  Atom atom;
  atom.kind = Atom::opaque;
  atom.origin = instruction_;
  atom.offset = value;
  atom.loop = nest_.innermost(block_);
  if (!divergence_.differs[value]) {
    atom.nature = Nature::uniform;
  } else if (form_->reads_memory || form_->is_collective) {
    atom.nature = Nature::data;
  } else {
    atom.nature = form_->flow == model::Flow::call ? Nature::unknown : nature_of_operands();
  }
  return atoms_.forms.of(atoms_.add(atom));
}

FormId Transfer::result() {
  switch (meaning_->family) {
    case FormMeaning::copy: return copy();
    case FormMeaning::conversion: return converted();
    case FormMeaning::to_address: return to_address();
    case FormMeaning::arithmetic: return arithmetic();
    case FormMeaning::product: return product();
    case FormMeaning::bitwise: return bitwise();
    case FormMeaning::extraction: return extracted();
    case FormMeaning::comparison: return compared();
    case FormMeaning::selection: return selected();
    case FormMeaning::not_followed: break;
  }
  return none;
}

}  // namespace frx::derive::ptx
