// Integer expressions of a kernel, as they follow from thread and block numbers, parameters and loops.
//
//   int row = blockIdx.y * 16 + threadIdx.y;  a[row * n + k]
//   ->  add(mul(add(mul(block_y, 16), thread_y), parameter n), loop 3)
//
// Expressions are numbered, operands before the expressions that use them, and equal expressions are stored once. Two leaves stand
// for values that cannot be followed: `varying` differs between threads (a load from an address that differs), `opaque` is
// completely unknown.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace frx::derive::cuda {

using ExprId = std::uint32_t;

enum class Op : std::uint8_t {
  constant,
  thread_x,
  thread_y,
  thread_z,
  block_x,
  block_y,
  block_z,
  block_dim_x,
  block_dim_y,
  block_dim_z,
  grid_dim_x,
  grid_dim_y,
  grid_dim_z,
  uniform,     // the same for all threads, unknown: a parameter, a load all threads make from one address
  iteration,   // how many iterations of a loop have been completed, the same for all threads
  loop_value,  // a variable that a loop changes in no simple way
  varying,
  opaque,
  load,  // a: the index; b: number of the memory it is from
  add,
  sub,
  mul,
  div,
  mod,
  shl,
  shr,
  bit_and,
  bit_or,
  bit_xor,
  min,
  max,
  lt,
  le,
  eq,
  ne,
  logical_and,
  logical_or,
  neg,
  bit_not,
  logical_not,
  select,  // a ? b : c
};

// The kinds of values that an expression uses.
struct Uses {
  enum Bit : std::uint16_t {
    thread_x = 1,
    thread_y = 2,
    thread_z = 4,
    block = 8,
    block_dim = 16,
    uniform = 32,
    iteration = 64,
    varying = 128,
    opaque = 256,
    comparison = 512,  // of a value that differs between threads with one that does not
    clamped = 1024,    // a thread's number is reduced: %, &, min, a select
    loaded = 2048,     // a value was read from memory
    floating = 4096,   // a floating-point value is involved
  };
  static constexpr std::uint16_t thread = thread_x | thread_y | thread_z;
  static constexpr std::uint16_t index = thread | block | iteration;
};

struct Expr {
  Op op = Op::opaque;
  std::uint8_t sizes = 0;  // how many sizes that the launch gives are multiplied in it at most: 1 for y * width + x
  std::uint16_t uses = 0;
  std::uint32_t a = 0, b = 0, c = 0;
  std::int64_t value = 0;  // of a constant; the identity of a uniform, iteration or loop_value

  bool operator==(const Expr&) const = default;
};

class Expressions {
 public:
  Expressions();

  const Expr& operator[](ExprId id) const { return all_[id]; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(all_.size()); }
  // How many use a thread's number: only these differ between the threads of a block.
  std::uint32_t of_threads() const { return of_threads_; }

  ExprId constant(std::int64_t value);
  ExprId leaf(Op op, std::int64_t which = 0);
  ExprId fresh(Op op) { return leaf(op, ++fresh_); }
  ExprId unary(Op op, ExprId a);
  ExprId binary(Op op, ExprId a, ExprId b);
  ExprId select(ExprId condition, ExprId yes, ExprId no);
  ExprId load(ExprId index, std::uint32_t memory);
  ExprId fraction();  // an unknown floating-point number
  ExprId varying() const { return 0; }
  ExprId opaque() const { return 1; }
  // The same as opaque(), of what is read from a memory of that number that a thread has to itself.
  ExprId private_value(std::uint32_t memory) { return leaf(Op::opaque, std::int64_t{memory} + 1); }
  // The same of what is read from an unknown place in memory of the block or the device.
  ExprId data_value() { return leaf(Op::opaque, -1); }
  bool is_data_value(ExprId id) const { return all_[id].op == Op::opaque && all_[id].value == -1; }
  std::optional<std::uint32_t> private_memory(ExprId id) const {
    const Expr& e = all_[id];
    return e.op == Op::opaque && e.value > 0 ? std::optional(static_cast<std::uint32_t>(e.value - 1)) : std::nullopt;
  }
  // Nothing is known of it, but perhaps that it differs between threads.
  bool is_unknown(ExprId id) const { return all_[id].op == Op::varying || all_[id].op == Op::opaque; }

  // A loop turned out to compute a value that differs between threads, or that cannot be followed.
  void mark(ExprId loop_value, Uses::Bit as) { all_[loop_value].uses |= as; }
  // A leaf that the launch gives, unlike constants of unknown value. To be called before it is used.
  void mark_size(ExprId leaf) { all_[leaf].sizes = all_[leaf].op == Op::uniform ? 1 : 0; }

  std::optional<std::int64_t> constant_of(ExprId id) const;
  bool uses(ExprId id, std::uint16_t bits) const { return (all_[id].uses & bits) != 0; }
  // There are too many expressions: every new one is opaque.
  bool is_full() const { return all_.size() >= most; }

  static constexpr std::size_t most = 20000;

 private:
  ExprId put(const Expr& e);
  void make_room();
  std::optional<ExprId> simplified(Op op, ExprId a, ExprId b);

  std::vector<Expr> all_;
  std::vector<ExprId> places_;  // by hash, with linear probing
  std::int64_t fresh_ = 0;
  std::uint32_t of_threads_ = 0;
};

// Two's complement, division as in C; nothing for a division by zero.
// Each caller's loop over lanes is compiled for its operation; a compiler that meets many files at once would call it instead.
[[gnu::always_inline]] inline std::optional<std::int64_t> calculate(Op op, std::int64_t a, std::int64_t b) {
  const auto x = static_cast<std::uint64_t>(a), y = static_cast<std::uint64_t>(b);
  const auto wrapped = [](std::uint64_t value) { return static_cast<std::int64_t>(value); };
  const bool overflows = b == 0 || (b == -1 && a == std::numeric_limits<std::int64_t>::min());
  switch (op) {
    case Op::add: return wrapped(x + y);
    case Op::sub: return wrapped(x - y);
    case Op::mul: return wrapped(x * y);
    case Op::div: return overflows ? std::nullopt : std::optional(a / b);
    case Op::mod: return overflows ? std::nullopt : std::optional(a % b);
    case Op::shl: return b < 0 || b > 63 ? std::nullopt : std::optional(wrapped(x << y));
    case Op::shr: return b < 0 || b > 63 ? std::nullopt : std::optional(a >> b);
    case Op::bit_and: return a & b;
    case Op::bit_or: return a | b;
    case Op::bit_xor: return a ^ b;
    case Op::min: return std::min(a, b);
    case Op::max: return std::max(a, b);
    case Op::lt: return a < b;
    case Op::le: return a <= b;
    case Op::eq: return a == b;
    case Op::ne: return a != b;
    case Op::logical_and: return a != 0 && b != 0;
    case Op::logical_or: return a != 0 || b != 0;
    case Op::neg: return wrapped(0 - x);
    case Op::bit_not: return ~a;
    case Op::logical_not: return a == 0;
    default: return std::nullopt;
  }
}

}  // namespace frx::derive::cuda
