// Operations on forms that preserve as much as can be known: sums stay sums, masks and shifts without effect disappear, and
// everything else becomes a function that is evaluated for each lane later.
//
// Sums and products of registers of 32 bits are exact modulo 2^32. Where such a register is extended to a wider one, its form is
// exact if its bounds show that it fits. Otherwise a form of thread numbers alone becomes a function of the wrapped register, and a
// form with unknown numbers is assumed not to wrap, as the index arithmetic of a program that stays within its arrays does not.
#pragma once

#include <cstdint>

#include "derive/ptx/affine_atoms.h"
#include "derive/ptx/affine_loops.h"

namespace frx::derive::ptx {

// `none` as an argument or a result means unknown. `bits` is the width of the registers.
class Operations {
 public:
  Operations(Atoms& atoms, const LoopNest& nest) : atoms_(atoms), nest_(nest) {}

  FormId constant(std::int64_t value) { return atoms_.forms.constant(value); }
  FormId add(FormId a, FormId b, int bits, std::int64_t times_b = 1);
  FormId multiply(FormId a, FormId b, int bits);
  FormId multiply_high(FormId a, FormId b, int bits, bool is_signed);
  FormId shift_left(FormId a, FormId by, int bits);
  FormId shift_right(FormId a, FormId by, int bits, bool is_signed);
  FormId bit_and(FormId a, FormId b, int bits);
  FormId bit_or(FormId a, FormId b, int bits);
  FormId bit_xor(FormId a, FormId b, int bits);
  FormId select(FormId condition, FormId yes, FormId no, int bits);
  // The same number as a register of more bits.
  FormId widened(FormId a, int bits, bool is_signed);
  FormId function(Op op, int bits, FormId a, FormId b = 0, FormId c = 0, std::int64_t table = 0);

 private:
  FormId low_bits(FormId a, int count, int bits);
  FormId divided(FormId a, int shift, int bits, bool is_signed);
  Bounds result_bounds(const Atom& atom) const;
  Bounds shifted_bounds(const Atom& atom, const Bounds& a, bool is_signed) const;
  std::uint32_t result_alignment(const Atom& atom) const;
  bool may_be_taken_not_to_wrap(FormId form) const;
  std::uint32_t innermost_loop(const Atom& atom) const;

  Atoms& atoms_;
  const LoopNest& nest_;
};

}  // namespace frx::derive::ptx
