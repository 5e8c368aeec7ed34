// What is known of an instruction from its spelling alone: `ld.global.v2.f32`, whatever its operands are.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace frx::model::ptx {

// Fundamental types. `opaque` are textures, samplers and surfaces; `none` is not stated or not known.
enum class Type : std::uint8_t {
  none,
  b8,
  b16,
  b32,
  b64,
  b128,
  u8,
  u16,
  u32,
  u64,
  s8,
  s16,
  s32,
  s64,
  f16,
  f16x2,
  bf16,
  bf16x2,
  f32,
  f64,
  pred,
  opaque
};

enum class Space : std::uint8_t { none, global, shared, local, constant, parameter };

enum class Linkage : std::uint8_t { none, visible, external, weak, common };

// The documented categories of instructions; a barrier counts as `other` where only those may be named.
enum class Category : std::uint8_t {
  global_load,
  global_store,
  shared_load,
  shared_store,
  local_load,
  local_store,
  tensor,
  sfu,
  atomic,
  barrier,
  control_flow,
  conversion,
  comparison,
  fp64,
  fp16,
  fp32,
  integer,
  other
};

// Whether the lanes of a warp may hold different values.
enum class Variance : std::uint8_t { unknown, uniform, lane };

// Where control goes behind an instruction.
enum class Flow : std::uint8_t { next, branch, indirect_branch, call, leave };

struct Form {
  std::string text;               // "ld.global.v2.f32"
  std::uint32_t opcode_size = 0;  // of "ld"
  bool known = false;             // its opcode is one of the PTX ISA we know

  Category category = Category::other;
  Flow flow = Flow::next;
  Space space = Space::none;       // of a memory access; none: generic, or no access
  Type type = Type::none;          // the first one of its modifiers
  std::uint8_t lanes = 1;          // values of a thread moved together: 4 for `.v4`
  std::uint16_t access_bytes = 0;  // that one thread reads or writes in memory; 0: none, or not from the spelling
  std::int8_t size_operand = -1;   // number of the operand that holds the bytes of the access instead
  std::uint8_t results = 1;        // leading operands that are written; an address in brackets never is
  bool reads_memory = false, writes_memory = false;
  bool is_asynchronous = false;  // memory is accessed after the instruction: cp.async, bulk copies
  bool is_barrier = false;
  bool is_collective = false;           // the lanes of a warp do it together
  Variance result = Variance::unknown;  // unknown: as its operands are
  bool reads_result = false;            // the result is also an operand: accumulators in place

  std::string_view opcode() const { return std::string_view(text).substr(0, opcode_size); }
};

// "global_load"; the documented names, and "barrier".
std::string_view name_of(Category category);
// ".f32" is Type::f32; `none` for what is no type we know. Without the dot.
Type type_named(std::string_view name);

// Calls `use` with each word of "ld.global.v2.f32", the opcode included.
template <typename Use>
void for_each_part(std::string_view text, Use use) {
  for (std::size_t at = 0;;) {
    const std::size_t end = text.find('.', at);
    use(text.substr(at, end == text.npos ? text.npos : end - at));
    if (end == text.npos) return;
    at = end + 1;
  }
}

std::string_view name_of(Type type);
// Of one value, in bits; 0 for `none`, `pred` and `opaque`.
int bits_of(Type type);
Space space_named(std::string_view name);
std::string_view name_of(Space space);

}  // namespace frx::model::ptx
