#include "ingest/cubin/machine_code.h"

namespace frx::ingest::cubin {
namespace {

constexpr std::size_t instruction_bytes = 16;

enum : std::uint32_t { load_local = 0x983, store_local = 0x387, call_absolute = 0x343, call_relative = 0x344 };

// A library has hundreds of millions of instructions, so only the necessary bytes are read.
struct Instruction {
  std::uint32_t opcode = 0;
  std::uint32_t width = 0;  // bytes per thread, of an access to memory

  explicit Instruction(const char* code) {
    constexpr std::uint32_t widths[] = {1, 1, 2, 2, 4, 8, 16, 0};  // u8, s8, u16, s16, 32, 64, 128 bits
    const auto byte = [&](std::size_t at) { return std::uint32_t{static_cast<unsigned char>(code[at])}; };
    opcode = byte(0) | (byte(1) & 0xF) << 8;
    width = widths[byte(9) >> 1 & 7];
  }
};

void count(const Instruction& one, model::LocalAccesses& into) {
  if (one.opcode == load_local) {
    ++into.loads;
    into.load_bytes += one.width;
  } else if (one.opcode == store_local) {
    ++into.stores;
    into.store_bytes += one.width;
  }
}

}  // namespace

CodeFacts facts_of(std::string_view code) {
  CodeFacts facts;
  for (std::size_t at = 0; at + instruction_bytes <= code.size(); at += instruction_bytes) {
    const Instruction one(code.data() + at);
    count(one, facts.local);
    if (one.opcode == call_absolute || one.opcode == call_relative) ++facts.indirect_calls;
  }
  return facts;
}

model::LocalAccesses local_accesses_at(std::string_view code, std::span<const std::uint32_t> offsets) {
  model::LocalAccesses found;
  for (const std::uint32_t at : offsets) {
    if (at < code.size() && code.size() - at >= instruction_bytes) count(Instruction(code.data() + at), found);
  }
  return found;
}

}  // namespace frx::ingest::cubin
