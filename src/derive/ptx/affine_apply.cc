// The results of operations on registers, bit by bit as the hardware computes them.
#include <algorithm>

#include "derive/ptx/affine_atoms.h"

namespace frx::derive::ptx {
namespace {

__extension__ using Wide = __int128;
__extension__ using WideUnsigned = unsigned __int128;

std::uint64_t bits_of(std::int64_t value, int bits) { return static_cast<std::uint64_t>(zero_extended(value, bits)); }

// Division by zero gives all ones; the smallest number divided by -1 itself.
std::int64_t divided(bool is_signed, int bits, std::int64_t a, std::int64_t b) {
  if (b == 0) return -1;
  if (!is_signed) return static_cast<std::int64_t>(bits_of(a, bits) / bits_of(b, bits));
  return b == -1 ? wrapping_multiply(a, -1) : a / b;
}

std::int64_t remainder_of(bool is_signed, int bits, std::int64_t a, std::int64_t b) {
  if (b == 0) return a;
  if (!is_signed) return static_cast<std::int64_t>(bits_of(a, bits) % bits_of(b, bits));
  return b == -1 ? 0 : a % b;
}

// A shift by the width of the register or more leaves only the sign.
std::int64_t shifted(Op op, int bits, std::int64_t a, std::int64_t by) {
  const std::uint64_t count = static_cast<std::uint64_t>(zero_extended(by, 32));
  const auto width = static_cast<std::uint64_t>(bits);
  if (op == Op::shift_right_signed) return a >> std::min<std::uint64_t>(count, 63);
  if (count >= width) return 0;
  const std::uint64_t value = bits_of(a, bits);
  return static_cast<std::int64_t>(op == Op::shift_left ? value << count : value >> count);
}

std::int64_t upper_half(bool is_signed, int bits, std::int64_t a, std::int64_t b) {
  if (is_signed) return static_cast<std::int64_t>((static_cast<Wide>(a) * b) >> bits);
  return static_cast<std::int64_t>((static_cast<WideUnsigned>(bits_of(a, bits)) * bits_of(b, bits)) >> bits);
}

// lop3: bit i of the table is the result where a, b and c have the bits of i.
std::int64_t looked_up(std::int64_t table, std::int64_t a, std::int64_t b, std::int64_t c) {
  std::int64_t result = 0;
  for (int i = 0; i < 8; ++i) {
    if ((table >> i & 1) == 0) continue;
    result |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
  }
  return result;
}

std::int64_t result_of(Op op, int bits, std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t table) {
  const std::uint64_t ua = bits_of(a, bits), ub = bits_of(b, bits);
  switch (op) {
    case Op::bit_and: return a & b;
    case Op::bit_or: return a | b;
    case Op::bit_xor: return a ^ b;
    case Op::shift_left:
    case Op::shift_right_signed:
    case Op::shift_right_unsigned: return shifted(op, bits, a, b);
    case Op::divide_signed:
    case Op::divide_unsigned: return divided(op == Op::divide_signed, bits, a, b);
    case Op::remainder_signed:
    case Op::remainder_unsigned: return remainder_of(op == Op::remainder_signed, bits, a, b);
    case Op::min_signed: return std::min(a, b);
    case Op::max_signed: return std::max(a, b);
    case Op::min_unsigned: return ua < ub ? a : b;
    case Op::max_unsigned: return ua < ub ? b : a;
    case Op::multiply_high_signed:
    case Op::multiply_high_unsigned: return upper_half(op == Op::multiply_high_signed, bits, a, b);
    case Op::multiply: return wrapping_multiply(a, b);
    case Op::absolute: return a < 0 ? wrapping_multiply(a, -1) : a;
    case Op::equal: return ua == ub;
    case Op::not_equal: return ua != ub;
    case Op::less_signed: return a < b;
    case Op::less_unsigned: return ua < ub;
    case Op::less_equal_signed: return a <= b;
    case Op::less_equal_unsigned: return ua <= ub;
    case Op::lookup: return looked_up(table, a, b, c);
    default: return a;
  }
}

}  // namespace

std::int64_t applied(Op op, int bits, std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t table) {
  switch (op) {
    case Op::select: return sign_extended(a, 32) != 0 ? sign_extended(b, bits) : sign_extended(c, bits);
    case Op::sign_extend: return sign_extended(a, bits);
    case Op::zero_extend: return zero_extended(a, bits);
    case Op::pack: return zero_extended(a, 32) | static_cast<std::int64_t>(static_cast<std::uint64_t>(b) << 32);
    default: break;
  }
  const std::int64_t x = sign_extended(a, bits);
  const bool is_shift = op == Op::shift_left || op == Op::shift_right_signed || op == Op::shift_right_unsigned;
  const std::int64_t y = is_shift ? b : sign_extended(b, bits);
  return sign_extended(result_of(op, bits, x, y, sign_extended(c, bits), table), bits);
}

}  // namespace frx::derive::ptx
