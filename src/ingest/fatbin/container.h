// The containers of a fat binary: one program for several GPUs, each as machine code, PTX, or both.
//
//   50 ed 55 ba  01 00  10 00  ....          magic, version, size of this header, bytes that follow it
//     02 00  01 01  40 00 00 00  ....        kind (1 PTX, 2 cubin, 8 intermediate code for the linker), version, size
//     of
//                                            this header, bytes that follow it, packed size, ..., architecture, flags,
//                                            size when unpacked; then the image, and the next entry
//
// NVIDIA documents the outer header (fatbinary.h), not the entries: their layout is that of fatbinary's output, checked by building the
// same images compressed and not compressed. A file or a section holds containers one after the other, with zeros between them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace frx::ingest::fatbin {

enum class Packing : std::uint8_t { none, lz4, zstd };

struct Entry {
  std::uint16_t kind = 0;
  int sm = 0;       // 90
  char suffix = 0;  // 'a' and 'f' as in sm_90a, or 0
  Packing packing = Packing::none;
  std::string_view stored;     // without the padding when packed
  std::uint64_t size = 0;      // bytes when unpacked
  std::uint64_t position = 0;  // of the entry in the bytes that were read
};

bool begins_container(std::string_view head);

// Entries of all containers. Views into `bytes`. Malformed: bytes that are no container, or a truncated one.
Result<std::vector<Entry>> read_containers(std::string_view bytes);

}  // namespace frx::ingest::fatbin
