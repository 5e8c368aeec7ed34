// How the result of an instruction is computed, as far as its spelling says. This is determined once for each form of a module, not
// for each instruction.
#pragma once

#include <cstdint>
#include <string_view>

#include "derive/ptx/affine_atoms.h"
#include "model/ptx_form.h"

namespace frx::derive::ptx {

// setp.lt.s32, for signed and unsigned registers; `a > b` is `b < a`.
struct Comparison {
  std::string_view name;
  Op with_sign, without;
  bool swapped;
};

struct FormMeaning {
  // Instructions that are evaluated alike.
  enum Family : std::uint8_t {
    not_followed,
    copy,
    conversion,
    to_address,
    arithmetic,
    product,
    bitwise,
    extraction,
    comparison,
    selection
  };
  enum Verb : std::uint8_t {
    other,
    add,
    sub,
    neg,
    abs,
    min,
    max,
    div,
    rem,
    mad,
    bit_and,
    bit_or,
    bit_xor,
    bit_not,
    shift_left,
    shift_right
  };

  Family family = not_followed;
  Verb verb = other;
  std::uint8_t types = 0;   // among the modifiers
  std::uint8_t bits = 0;    // of the last of them; a predicate counts as 32
  bool is_signed = false;   // the last of them
  bool is_integer = false;  // the last of them, predicates included, or it is a mov
  ::frx::model::ptx::Type first = ::frx::model::ptx::Type::none, last = ::frx::model::ptx::Type::none;
  bool sat = false, cc = false, wide = false, lo = false, hi = false;  // modifiers
  bool packed = false;                                                 // two halves in one register
  bool loads_parameter = false;
  bool is_access = false;                // see affine_needs.h
  const Comparison* compared = nullptr;  // of a setp that is followed
};

FormMeaning meaning_of(const ::frx::model::ptx::Form& form);

}  // namespace frx::derive::ptx
