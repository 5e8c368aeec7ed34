// The symbols that addresses consist of, and the functions of forms that are not sums of products.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "derive/ptx/affine_form.h"
#include "model/ptx_module.h"

namespace frx::derive::ptx {

// How far a value is known before the program runs. A value computed from several has the greatest nature among them.
enum class Nature : std::uint8_t {
  uniform,  // the same for all lanes of a warp
  lanes,    // computed from the numbers of thread and lane: known for each lane
  data,     // read from memory or from another lane
  unknown,
};

// An operation on registers whose result is not a form. `bits` of an atom is the width of its operands.
enum class Op : std::uint8_t {
  nothing,
  bit_and,
  bit_or,
  bit_xor,
  shift_left,
  shift_right_signed,
  shift_right_unsigned,
  divide_signed,
  divide_unsigned,
  remainder_signed,
  remainder_unsigned,
  min_signed,
  min_unsigned,
  max_signed,
  max_unsigned,
  multiply_high_signed,
  multiply_high_unsigned,
  multiply,
  absolute,
  sign_extend,
  zero_extend,
  equal,
  not_equal,
  less_signed,
  less_unsigned,
  less_equal_signed,
  less_equal_unsigned,
  select,
  lookup,
  pack
};

struct Atom {
  enum Kind : std::uint8_t {
    thread,  // %tid; `axis`
    lane,    // %laneid
    block_size,
    block_index,
    grid_size,   // %ntid, %ctaid, %nctaid; `axis`
    special,     // another special register that is the same for all lanes; `name`: index into specials
    parameter,   // of the kernel: `name`, and `offset` in bytes
    variable,    // the address of a variable: `name`
    iterations,  // of the loop `origin`, completed so far
    advance,     // what a loop, or paths that join, add to the initial value
    phi,         // one of several values, depending on the path; see Phi
    opaque,      // the result of the instruction `origin`
    function,    // `op` of `arguments`
  };

  Kind kind = opaque;
  Op op = Op::nothing;
  Nature nature = Nature::unknown;
  std::uint8_t axis = 0;    // 0 to 2: x, y, z
  std::uint8_t bits = 0;    // of a function: of its operands. Of a parameter: as it is read
  bool is_pointer = false;  // the parameter is known to be an address
  bool doubles = false;     // usually a power of two: it is doubled or halved in each iteration
  bool is_bounded = false;  // lo and hi hold
  std::uint32_t name = none;
  std::uint32_t origin = none;  // the instruction, by its number in the module; of `iterations` the loop
  std::uint32_t loop = none;    // the innermost one in whose iterations it may differ
  std::uint32_t align = 1;      // a power of two that divides it
  std::int64_t lo = 0, hi = 0;
  std::int64_t offset = 0;  // of a parameter; of a lookup the table of 8 bits
  std::array<FormId, 3> arguments = {0, 0, 0};
};

// The values that a form may have.
struct Bounds {
  bool known = false;
  std::int64_t lo = 0, hi = 0;
  bool within(std::int64_t from, std::int64_t to) const { return known && lo >= from && hi <= to; }
};

class Atoms {
 public:
  Forms forms;

  const Atom& operator[](AtomId id) const { return all_[id]; }
  Atom& at(AtomId id) { return all_[id]; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(all_.size()); }

  AtomId add(const Atom& atom);
  // The one with the same kind, op, axis, bits, name, offset and arguments, or a new one.
  AtomId find_or_add(const Atom& atom);

  Nature nature(FormId form) const;
  Bounds bounds(FormId form) const;
  // A power of two, up to 2^20, that divides it.
  std::uint32_t alignment(FormId form) const;
  // Does a lane number occur, or anything else that may differ between lanes?
  bool is_uniform(FormId form) const { return nature(form) == Nature::uniform; }

 private:
  Nature nature_of(MonomialId monomial) const;
  Bounds bounds_of(const Term& term) const;

  std::vector<Atom> all_;
  IdTable by_content_;
};

// The result of an operation on registers of `bits` bits, as a number with sign. `table`: of a lookup.
std::int64_t applied(Op op, int bits, std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t table);

}  // namespace frx::derive::ptx
