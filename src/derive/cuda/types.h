// The sizes of CUDA types by name.
#pragma once

#include <cstdint>
#include <string_view>

namespace frx::derive::cuda {

struct TypeInfo {
  std::uint32_t bytes = 0;  // 0: unknown
  std::uint32_t parts = 1;  // 4 for float4
  bool is_half = false;     // 16 bit floating point, or parts of it
};

// `Row` of `const struct Row`.
std::string_view without_qualifiers(std::string_view name);

// "u32": a name that many projects give to a type, and some to another one than others.
bool is_type_by_convention(std::string_view name);

// Knows "float", "const unsigned int", "std::uint8_t", "__nv_bfloat162"; zero bytes for a type that is not built in.
TypeInfo type_named(std::string_view name);

}  // namespace frx::derive::cuda
