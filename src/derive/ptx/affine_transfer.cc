#include "derive/ptx/affine_transfer.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"

namespace frx::derive::ptx {
namespace {

namespace model = ::frx::model::ptx;
using model::Type;

bool has_sign(Type type) { return type == Type::s8 || type == Type::s16 || type == Type::s32 || type == Type::s64; }
bool is_integer(Type type) {
  switch (type) {
    case Type::b8:
    case Type::b16:
    case Type::b32:
    case Type::b64: return true;
    case Type::u8:
    case Type::u16:
    case Type::u32:
    case Type::u64: return true;
    default: return has_sign(type);
  }
}

}  // namespace

Transfer::Transfer(const model::Module& module, const model::Function& function, const RegisterUses& uses,
                   const VariableNames& names, const Divergence& divergence, const LoopNest& nest, Atoms& atoms)
    : now(uses.count(), none),
      module_(module),
      function_(function),
      uses_(uses),
      names_(names),
      divergence_(divergence),
      nest_(nest),
      atoms_(atoms),
      operations_(atoms, nest) {}

bool Transfer::has(std::string_view modifier) const {
  const std::vector<std::string_view> parts = ::frx::split(form_->text, '.');
  return std::find(parts.begin(), parts.end(), modifier) != parts.end();
}

// The types among the modifiers: of `cvt.s64.s32` s64 and s32.
std::vector<std::string_view> Transfer::split_types() const {
  std::vector<std::string_view> parts = ::frx::split(form_->text, '.');
  std::erase_if(parts, [](std::string_view part) { return model::type_named(part) == Type::none; });
  return parts;
}

std::vector<std::span<const model::Operand>> Transfer::split(const model::Instruction& instruction) const {
  std::vector<std::span<const Operand>> result;
  const std::span<const Operand> all = module_.operands_of(instruction);
  for (std::size_t at = 0; at < all.size(); at += 1 + all[at].parts)
    result.push_back(all.subspan(at, 1 + all[at].parts));
  return result;
}

// Values are in the order of the numbers that the function gives its registers.
std::uint32_t Transfer::value_of(std::uint32_t declared) const {
  std::uint32_t low = 0, high = uses_.count();
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    (uses_.declared(middle) < declared ? low : high) = uses_.declared(middle) < declared ? middle + 1 : middle;
  }
  return low;
}

FormId Transfer::read(std::size_t number, int bits) {
  return number < operands_.size() ? read(operands_[number], bits) : none;
}

FormId Transfer::read(std::span<const Operand> operand, int bits) {
  const Operand& top = operand[0];
  FormId form = none;
  switch (top.kind) {
    case Operand::reg: form = now[value_of(top.value)]; break;
    case Operand::special: form = special(top.value); break;
    case Operand::integer: form = operations_.constant(top.signed_value()); break;
    case Operand::wide:
      if ((top.flags & Operand::is_double) == 0)
        form = operations_.constant(static_cast<std::int64_t>(module_.constants[top.value]));
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
  const FormId form = now[value_of(instruction.predicate)];
  return instruction.predicate_negated ? operations_.add(operations_.constant(1), form, 32, -1) : form;
}

void Transfer::apply(std::uint32_t instruction, std::uint32_t block) {
  const model::Instruction& it = module_.instructions[instruction];
  instruction_ = instruction;
  block_ = block;
  form_ = &module_.form_of(it);
  operands_ = split(it);
  const std::vector<std::string_view> types = split_types();
  const Type type = types.empty() ? Type::none : model::type_named(types.back());
  bits_ = type == Type::pred ? 32 : model::bits_of(type);
  is_signed_ = has_sign(type);
  const std::string_view opcode = form_->opcode();
  if (opcode == "ld" && form_->space == model::Space::parameter) return load_parameters();
  const bool is_known = is_integer(type) || type == Type::pred || opcode == "mov";
  const FormId form = is_known && form_->results == 1 && !operands_.empty() ? result() : none;
  if (form != none) return write(operands_[0], form);
  for (const RegisterUse& use : uses_.of(instruction)) {
    if (use.written) write_register(use.value, opaque(use.value));
  }
}

// Only registers alone; parts of one and the second of a pair are not followed.
void Transfer::write(std::span<const Operand> target, FormId form) {
  if (target[0].kind == Operand::reg) return write_register(value_of(target[0].value), form);
  for (const RegisterUse& use : uses_.of(instruction_)) {
    if (use.written) write_register(use.value, opaque(use.value));
  }
}

// An instruction that may not run leaves what was there; in a loop that may be from an earlier round.
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

// Something that is not followed. What it is made of says whether it may ever be known.
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
  using Rule = std::pair<std::string_view, FormId (Transfer::*)()>;
  static constexpr std::array<Rule, 23> rules = {{
      {"mov", &Transfer::copy},       {"cvt", &Transfer::converted},  {"cvta", &Transfer::to_address},
      {"add", &Transfer::arithmetic}, {"sub", &Transfer::arithmetic}, {"neg", &Transfer::arithmetic},
      {"abs", &Transfer::arithmetic}, {"min", &Transfer::arithmetic}, {"max", &Transfer::arithmetic},
      {"div", &Transfer::arithmetic}, {"rem", &Transfer::arithmetic}, {"mul", &Transfer::product},
      {"mad", &Transfer::product},    {"and", &Transfer::bitwise},    {"or", &Transfer::bitwise},
      {"xor", &Transfer::bitwise},    {"not", &Transfer::bitwise},    {"shl", &Transfer::bitwise},
      {"shr", &Transfer::bitwise},    {"lop3", &Transfer::bitwise},   {"bfe", &Transfer::extracted},
      {"setp", &Transfer::compared},  {"selp", &Transfer::compared},
  }};
  const std::string_view opcode = form_->opcode();
  const auto rule = std::find_if(rules.begin(), rules.end(), [&](const Rule& one) { return one.first == opcode; });
  return rule == rules.end() ? none : (this->*rule->second)();
}

}  // namespace frx::derive::ptx
