// Sizes of CUDA's types, by their names.
#pragma once

#include <cstdint>
#include <string_view>

namespace frx::derive::cuda {

struct TypeInfo {
  std::uint32_t bytes = 0;  // 0: unknown
  std::uint32_t parts = 1;  // 4 for float4
  bool is_half = false;     // 16 bit floating point, or parts of it
};

// Of "float", "const unsigned int", "std::uint8_t", "__nv_bfloat162"; for what is not built in, zero bytes.
TypeInfo type_named(std::string_view name);

}  // namespace frx::derive::cuda
