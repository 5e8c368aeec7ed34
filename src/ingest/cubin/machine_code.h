// What the encoding of the instructions says about a function: which of them read and write the stack of a thread.
//
// From Volta (7.0) on an instruction has 16 bytes: the low 12 bits are its opcode, bits 73 to 75 how wide an
// access to memory is. NVIDIA documents neither; both were checked against the output of ptxas -v (docs/validation/cubin.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "model/kernel_resources.h"

namespace frx::ingest::cubin {

inline constexpr int first_sm_of_wide_instructions = 70;

struct CodeFacts {
  model::LocalAccesses local;
  std::uint32_t indirect_calls = 0;  // through a register
};

CodeFacts facts_of(std::string_view code);

// Counts the instructions at these offsets only; an offset outside of the code or of another instruction adds nothing.
model::LocalAccesses local_accesses_at(std::string_view code, std::span<const std::uint32_t> offsets);

}  // namespace frx::ingest::cubin
