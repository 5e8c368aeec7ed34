#include "derive/ptx/affine_operations.h"

#include <algorithm>
#include <bit>

namespace frx::derive::ptx {
namespace {

// Unknown numbers, such as sizes, are assumed to fit even when they are multiplied by this.
constexpr std::int64_t most_factor = 1 << 24;

std::int64_t least(int bits) { return bits >= 64 ? INT64_MIN : -(std::int64_t{1} << (bits - 1)); }
std::int64_t most(int bits) { return bits >= 64 ? INT64_MAX : (std::int64_t{1} << (bits - 1)) - 1; }

// The number of ones of 0...01...1, or -1.
int low_mask(std::int64_t mask) {
  const auto value = static_cast<std::uint64_t>(mask);
  return value != 0 && (value & (value + 1)) == 0 ? std::popcount(value) : -1;
}

}  // namespace

FormId Operations::add(FormId a, FormId b, int bits, std::int64_t times_b) {
  return atoms_.forms.modulo(atoms_.forms.sum(a, b, times_b), bits);
}

FormId Operations::multiply(FormId a, FormId b, int bits) {
  const FormId product = atoms_.forms.modulo(atoms_.forms.product(a, b), bits);
  return product != none ? product : function(Op::multiply, bits, a, b);
}

FormId Operations::multiply_high(FormId a, FormId b, int bits, bool is_signed) {
  return function(is_signed ? Op::multiply_high_signed : Op::multiply_high_unsigned, bits, a, b);
}

FormId Operations::shift_left(FormId a, FormId by, int bits) {
  const auto count = atoms_.forms.as_constant(by);
  if (!count) return function(Op::shift_left, bits, a, by);
  const auto amount = static_cast<std::uint64_t>(zero_extended(*count, 32));
  if (amount >= static_cast<std::uint64_t>(bits)) return 0;
  return atoms_.forms.modulo(atoms_.forms.scaled(a, static_cast<std::int64_t>(std::uint64_t{1} << amount)), bits);
}

FormId Operations::shift_right(FormId a, FormId by, int bits, bool is_signed) {
  const auto count = atoms_.forms.as_constant(by);
  if (a != none && count && *count >= 0 && *count < bits) {
    const FormId exact = divided(a, static_cast<int>(*count), bits, is_signed);
    if (exact != none) return exact;
  }
  return function(is_signed ? Op::shift_right_signed : Op::shift_right_unsigned, bits, a, by);
}

// Terms that divide evenly are divided if the other terms are too small to matter: (64*x + y) >> 6 is x for y below 64.
FormId Operations::divided(FormId a, int shift, int bits, bool is_signed) {
  const Bounds all = atoms_.bounds(a);
  if (all.known ? !all.within(is_signed ? least(bits) : 0, most(bits)) : !may_be_taken_not_to_wrap(a)) return none;
  std::vector<Term> divisible, rest;
  for (const Term& term : atoms_.forms.terms(a)) {
    const std::int64_t mask = static_cast<std::int64_t>((std::uint64_t{1} << shift) - 1);
    if ((term.coefficient & mask) == 0) {
      divisible.push_back({term.monomial, term.coefficient >> shift});
    } else {
      rest.push_back(term);
    }
  }
  if (!atoms_.bounds(atoms_.forms.of(rest)).within(0, (std::int64_t{1} << std::min(shift, 62)) - 1)) return none;
  return atoms_.forms.of(divisible);
}

// Terms that are multiples of 2^count contribute nothing.
FormId Operations::low_bits(FormId a, int count, int bits) {
  const std::int64_t mask = count >= 63 ? INT64_MAX : (std::int64_t{1} << count) - 1;
  if (atoms_.bounds(a).within(0, mask)) return a;
  const FormId reduced = atoms_.forms.modulo(a, count);
  if (atoms_.bounds(reduced).within(0, mask)) return reduced;
  return function(Op::bit_and, bits, reduced, constant(mask));
}

FormId Operations::bit_and(FormId a, FormId b, int bits) {
  if (a == none || b == none) return none;
  if (atoms_.forms.as_constant(a)) std::swap(a, b);
  const auto mask = atoms_.forms.as_constant(b);
  if (!mask) return function(Op::bit_and, bits, std::min(a, b), std::max(a, b));
  const std::int64_t ones = sign_extended(*mask, bits);
  if (ones == 0) return 0;
  if (ones == -1) return a;
  if (const int count = low_mask(zero_extended(ones, bits)); count > 0 && count < bits) return low_bits(a, count, bits);
  // The mask clears only bits that are not set.
  if (low_mask(~ones) > 0 && std::int64_t{atoms_.alignment(a)} > ~ones) return a;
  return function(Op::bit_and, bits, a, constant(ones));
}

FormId Operations::bit_or(FormId a, FormId b, int bits) {
  if (a == none || b == none) return none;
  // Operands without a common bit are added.
  if (atoms_.bounds(b).within(0, std::int64_t{atoms_.alignment(a)} - 1)) return add(a, b, bits);
  if (atoms_.bounds(a).within(0, std::int64_t{atoms_.alignment(b)} - 1)) return add(a, b, bits);
  return function(Op::bit_or, bits, std::min(a, b), std::max(a, b));
}

FormId Operations::bit_xor(FormId a, FormId b, int bits) {
  if (a == none || b == none) return none;
  if (atoms_.forms.as_constant(a)) std::swap(a, b);
  const auto mask = atoms_.forms.as_constant(b);
  if (mask && sign_extended(*mask, bits) == -1) return add(constant(-1), a, bits, -1);
  return function(Op::bit_xor, bits, std::min(a, b), std::max(a, b));
}

FormId Operations::select(FormId condition, FormId yes, FormId no, int bits) {
  if (yes == no) return yes;
  if (const auto known = atoms_.forms.as_constant(condition)) return *known != 0 ? yes : no;
  return function(Op::select, bits, condition, yes, no);
}

bool Operations::may_be_taken_not_to_wrap(FormId form) const {
  for (const Term& term : atoms_.forms.terms(form)) {
    if (term.coefficient > most_factor || term.coefficient < -most_factor) return false;
  }
  return true;
}

FormId Operations::widened(FormId a, int bits, bool is_signed) {
  if (a == none || bits >= 64) return a;
  const Bounds bounds = atoms_.bounds(a);
  const std::int64_t ones = (std::int64_t{1} << bits) - 1;
  const bool fits = is_signed ? bounds.within(least(bits), most(bits)) : bounds.within(0, ones);
  if (fits || (!bounds.known && bits == 32 && may_be_taken_not_to_wrap(a))) return a;
  return function(is_signed ? Op::sign_extend : Op::zero_extend, bits, a);
}

FormId Operations::function(Op op, int bits, FormId a, FormId b, FormId c, std::int64_t table) {
  if (a == none || b == none || c == none) return none;
  Atom atom;
  atom.kind = Atom::function;
  atom.op = op;
  atom.bits = static_cast<std::uint8_t>(bits);
  atom.arguments = {a, b, c};
  atom.offset = table;
  const auto x = atoms_.forms.as_constant(a), y = atoms_.forms.as_constant(b), z = atoms_.forms.as_constant(c);
  if (x && y && z) return constant(applied(op, bits, *x, *y, *z, table));
  atom.nature = std::max({atoms_.nature(a), atoms_.nature(b), atoms_.nature(c)});
  if (atom.nature >= Nature::data) return none;
  const Bounds bounds = result_bounds(atom);
  atom.is_bounded = bounds.known;
  atom.lo = bounds.lo;
  atom.hi = bounds.hi;
  atom.align = result_alignment(atom);
  atom.loop = innermost_loop(atom);
  return atoms_.forms.of(atoms_.find_or_add(atom));
}

std::uint32_t Operations::innermost_loop(const Atom& atom) const {
  std::uint32_t loop = none;
  for (const FormId argument : atom.arguments) {
    for (const Term& term : atoms_.forms.terms(argument)) {
      for (const AtomId factor : atoms_.forms.atoms(term.monomial)) loop = nest_.inner_of(loop, atoms_[factor].loop);
    }
  }
  return loop;
}

std::uint32_t Operations::result_alignment(const Atom& atom) const {
  const std::uint32_t a = atoms_.alignment(atom.arguments[0]), b = atoms_.alignment(atom.arguments[1]);
  switch (atom.op) {
    case Op::bit_and: return std::max(a, b);
    case Op::bit_or:
    case Op::bit_xor:
    case Op::min_signed:
    case Op::max_signed:
    case Op::min_unsigned:
    case Op::max_unsigned: return std::min(a, b);
    case Op::select: return std::min(b, atoms_.alignment(atom.arguments[2]));
    case Op::multiply: return static_cast<std::uint32_t>(std::min<std::uint64_t>(std::uint64_t{a} * b, 1u << 20));
    case Op::sign_extend:
    case Op::zero_extend: return a;
    default: return 1;
  }
}

Bounds Operations::shifted_bounds(const Atom& atom, const Bounds& a, bool is_signed) const {
  const auto count = atoms_.forms.as_constant(atom.arguments[1]);
  if (!count || *count < 0 || *count >= atom.bits) return {};
  if (a.within(is_signed ? least(atom.bits) : 0, most(atom.bits))) return {true, a.lo >> *count, a.hi >> *count};
  if (is_signed || *count == 0) return {};
  return {true, 0, static_cast<std::int64_t>(~std::uint64_t{0} >> (64 - atom.bits) >> *count)};
}

Bounds Operations::result_bounds(const Atom& atom) const {
  const Bounds a = atoms_.bounds(atom.arguments[0]), b = atoms_.bounds(atom.arguments[1]);
  const bool natural = a.within(0, most(atom.bits)) && b.within(0, most(atom.bits));
  Bounds result;
  switch (atom.op) {
    case Op::bit_and:
      if (a.within(0, most(atom.bits))) result = {true, 0, a.hi};
      if (b.within(0, most(atom.bits)) && (!result.known || b.hi < result.hi)) result = {true, 0, b.hi};
      break;
    case Op::bit_or:
    case Op::bit_xor:
      if (natural) result = {true, 0, static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(std::max(a.hi, b.hi)) + 1) - 1)};
      break;
    case Op::shift_right_unsigned:
    case Op::shift_right_signed: result = shifted_bounds(atom, a, atom.op == Op::shift_right_signed); break;
    case Op::divide_signed:
    case Op::divide_unsigned:
      if (natural && b.lo > 0) result = {true, a.lo / b.hi, a.hi / b.lo};
      break;
    case Op::remainder_signed:
    case Op::remainder_unsigned:
      if (natural && b.lo > 0) result = {true, 0, std::min(a.hi, b.hi - 1)};
      break;
    case Op::min_signed:
    case Op::min_unsigned:
      if (natural) result = {true, std::min(a.lo, b.lo), std::min(a.hi, b.hi)};
      break;
    case Op::max_signed:
    case Op::max_unsigned:
      if (natural) result = {true, std::max(a.lo, b.lo), std::max(a.hi, b.hi)};
      break;
    case Op::select:
      if (const Bounds c = atoms_.bounds(atom.arguments[2]);
          b.within(least(atom.bits), most(atom.bits)) && c.within(least(atom.bits), most(atom.bits))) {
        result = {true, std::min(b.lo, c.lo), std::max(b.hi, c.hi)};
      }
      break;
    case Op::equal:
    case Op::not_equal:
    case Op::less_signed:
    case Op::less_unsigned:
    case Op::less_equal_signed:
    case Op::less_equal_unsigned: return {true, 0, 1};
    case Op::zero_extend: return atom.bits < 63 ? Bounds{true, 0, (std::int64_t{1} << atom.bits) - 1} : Bounds{};
    default: break;
  }
  return result.known || atom.bits > 32 ? result : Bounds{true, least(atom.bits), most(atom.bits)};
}

}  // namespace frx::derive::ptx
