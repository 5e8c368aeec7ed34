// The instructions whose results are followed, one function for each family.
#include <algorithm>
#include <utility>

#include "derive/ptx/affine_transfer.h"

namespace frx::derive::ptx {
namespace {

namespace model = ::frx::model::ptx;
using model::Type;

// Is it free of modifiers that change the operation?
bool is_plain(const FormMeaning& meaning) { return !meaning.sat && !meaning.cc; }

}  // namespace

// mov.u32 %r1, %tid.x; mov.b64 %rd1, {%r1, %r2}; floats are not followed.
FormId Transfer::copy() {
  if (operands_.size() != 2) return none;
  const Operand& source = operands_[1][0];
  if (source.kind != Operand::vector) return read(1, bits_ == 0 ? 64 : bits_);
  if (operands_[1].size() != 3 || bits_ != 64) return none;
  const FormId low = read(operands_[1].subspan(1, 1), 32), high = read(operands_[1].subspan(2, 1), 32);
  if (high == 0) return operations_.widened(low, 32, false);
  return operations_.function(Op::pack, 64, low, high);
}

// cvt.s64.s32 %rd1, %r1: the type of the result comes first.
FormId Transfer::converted() {
  if (meaning_->types != 2 || meaning_->sat) return none;
  const Type to = meaning_->first, from = meaning_->last;
  const auto is_sign = [](Type type) { return model::name_of(type).starts_with("s"); };
  const auto is_whole = [&](Type type) { return is_sign(type) || model::name_of(type).starts_with("u"); };
  if (!is_whole(to) || !is_whole(from)) return none;
  const int to_bits = model::bits_of(to), from_bits = model::bits_of(from);
  const FormId source = read(1, 64);
  if (to_bits < 32 && to_bits < from_bits) return operations_.widened(atoms_.forms.modulo(source, to_bits), to_bits, is_sign(to));
  if (to_bits <= from_bits) return atoms_.forms.modulo(source, std::max(to_bits, 32));
  return operations_.widened(atoms_.forms.modulo(source, from_bits), from_bits, is_sign(from));
}

// A value that becomes an address, or was one: the parameter alone with factor 1.
FormId Transfer::to_address() {
  const FormId source = read(1, 64);
  if (source == none) return none;
  for (const Term& term : atoms_.forms.terms(source)) {
    const std::span<const AtomId> factors = atoms_.forms.atoms(term.monomial);
    if (term.coefficient == 1 && factors.size() == 1 && atoms_[factors[0]].kind == Atom::parameter) {
      atoms_.at(factors[0]).is_pointer = true;
    }
  }
  return source;
}

FormId Transfer::arithmetic() {
  const FormId a = read(1, bits_);
  if (!is_plain(*meaning_) || meaning_->packed) return none;
  if (meaning_->verb == FormMeaning::neg) return operations_.add(0, a, bits_, -1);
  if (meaning_->verb == FormMeaning::abs) return operations_.function(Op::absolute, bits_, a);
  const FormId b = read(2, bits_);
  switch (meaning_->verb) {
    case FormMeaning::add: return operations_.add(a, b, bits_);
    case FormMeaning::sub: return operations_.add(a, b, bits_, -1);
    case FormMeaning::min: return operations_.function(is_signed_ ? Op::min_signed : Op::min_unsigned, bits_, a, b);
    case FormMeaning::max: return operations_.function(is_signed_ ? Op::max_signed : Op::max_unsigned, bits_, a, b);
    case FormMeaning::div: return operations_.function(is_signed_ ? Op::divide_signed : Op::divide_unsigned, bits_, a, b);
    default: return operations_.function(is_signed_ ? Op::remainder_signed : Op::remainder_unsigned, bits_, a, b);
  }
}

FormId Transfer::product() {
  const FormId a = read(1, bits_), b = read(2, bits_);
  const bool adds = meaning_->verb == FormMeaning::mad;
  if (!is_plain(*meaning_)) return none;
  if (meaning_->wide) {
    const FormId wide =
        operations_.multiply(operations_.widened(a, bits_, is_signed_), operations_.widened(b, bits_, is_signed_), 2 * bits_);
    return adds ? operations_.add(wide, read(3, 2 * bits_), 2 * bits_) : wide;
  }
  if (!meaning_->lo && !meaning_->hi) return none;
  const FormId part = meaning_->lo ? operations_.multiply(a, b, bits_) : operations_.multiply_high(a, b, bits_, is_signed_);
  return adds ? operations_.add(part, read(3, bits_), bits_) : part;
}

FormId Transfer::bitwise() {
  const FormMeaning::Verb verb = meaning_->verb;
  const FormId a = read(1, bits_);
  if (verb == FormMeaning::bit_not) {
    return operations_.add(operations_.constant(form_->type == Type::pred ? 1 : -1), a, bits_, -1);
  }
  if (verb == FormMeaning::shift_left) return operations_.shift_left(a, read(2, 32), bits_);
  if (verb == FormMeaning::shift_right) return operations_.shift_right(a, read(2, 32), bits_, is_signed_);
  const FormId b = read(2, bits_);
  if (verb == FormMeaning::bit_and) return operations_.bit_and(a, b, bits_);
  if (verb == FormMeaning::bit_or) return operations_.bit_or(a, b, bits_);
  if (verb == FormMeaning::bit_xor) return operations_.bit_xor(a, b, bits_);
  const auto table = atoms_.forms.as_constant(read(4, 32));
  if (operands_.size() != 5 || !table) return none;
  return operations_.function(Op::lookup, bits_, a, b, read(3, bits_), *table & 0xFF);
}

// bfe.u32 d, a, position, length
FormId Transfer::extracted() {
  const auto position = atoms_.forms.as_constant(read(2, 32)), length = atoms_.forms.as_constant(read(3, 32));
  if (!position || !length || *position < 0 || *length <= 0 || *position + *length > bits_) return none;
  const FormId a = read(1, bits_);
  if (!is_signed_) {
    const std::int64_t ones = static_cast<std::int64_t>(~std::uint64_t{0} >> (64 - *length));
    return operations_.bit_and(operations_.shift_right(a, operations_.constant(*position), bits_, false), operations_.constant(ones),
                               bits_);
  }
  const FormId top = operations_.shift_left(a, operations_.constant(bits_ - *position - *length), bits_);
  return operations_.function(Op::shift_right_signed, bits_, top, operations_.constant(bits_ - *length));
}

// setp.lt.s32 %p1, %r1, %r2
FormId Transfer::compared() {
  if (operands_.size() != 3 || meaning_->compared == nullptr) return none;
  const Comparison& rule = *meaning_->compared;
  FormId a = read(1, bits_), b = read(2, bits_);
  if (rule.swapped) std::swap(a, b);
  return operations_.function(is_signed_ ? rule.with_sign : rule.without, bits_, a, b);
}

// selp.b32 %r1, %r2, %r3, %p1
FormId Transfer::selected() {
  if (operands_.size() != 4) return none;
  return operations_.select(read(3, 32), read(1, bits_), read(2, bits_), bits_);
}

}  // namespace frx::derive::ptx
