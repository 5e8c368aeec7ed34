// The records of the sections .nv.info and .nv.info.KERNEL of a cubin: what the driver must know to launch.
//
//   04 2f  08 00  28 00 00 00  20 00 00 00     format 4, attribute 0x2F, 8 bytes: symbol 0x28 uses 0x20 registers
//   03 1b  80 00                               format 3, attribute 0x1B: the value 0x80
//
// NVIDIA documents no attribute; the numbers below are what its tools print and what ptxas -v says of the same
// kernels (docs/validation/cubin.md).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace frx::ingest::cubin {

enum class Attribute : std::uint8_t {
  max_threads = 0x05,
  externs = 0x0F,  // symbols of functions that the driver provides
  required_threads = 0x10,
  frame_size = 0x11,      // of a symbol
  min_stack_size = 0x12,  // of a symbol, with what it calls
  parameter_bytes = 0x19,
  register_limit = 0x1B,
  register_count = 0x2F,  // of a symbol
  cuda_version = 0x37,
  cluster = 0x3D,
  max_cluster_size = 0x3F,
  barriers = 0x4C,
  annotations = 0x55,  // instructions that the register allocator added
};

struct AttributeRecord {
  Attribute attribute{};
  std::uint16_t value = 0;  // of the formats 1 to 3
  std::string_view bytes;   // of format 4

  // The `i`th number of format 4; 0 beyond its end, which `numbers` tells.
  std::uint32_t number(std::size_t i) const;
  std::size_t numbers() const { return bytes.size() / 4; }
};

// In the order of the section. Malformed: a format that does not exist, or a record that ends beyond the section.
Result<std::vector<AttributeRecord>> read_attributes(std::string_view section);

}  // namespace frx::ingest::cubin
