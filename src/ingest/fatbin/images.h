// Device code in a file of any kind: a cubin, a fat binary, or a program, library or object of the host with fat binaries in sections of
// its own. A static library holds several such files: archive.h.
//
//   .nv_fatbin       code that the host loads
//   __nv_relfatbin   parts that nvcc -dc left for the linker of device code; a linked program keeps them beside the
//   result
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "ingest/fatbin/container.h"

namespace frx::ingest::fatbin {

enum class FileKind : std::uint8_t { other, cubin, fatbin, host, archive };

// Decides by the first 20 bytes. `host` is any other ELF file, `archive` any archive; whether they contain device code is not determined.
FileKind file_kind(std::string_view head);

enum class ImageKind : std::uint8_t { ptx, cubin, linker_code, other };

struct Image {
  ImageKind kind = ImageKind::other;
  std::string architecture;  // "sm_90a", "compute_90a" of PTX, "lto_90"
  Packing packing = Packing::none;
  bool for_linker = false;     // relocatable code, to be linked
  std::string_view member;     // of an archive, or ""
  std::string_view stored;     // in the file; packed
  std::uint64_t size = 0;      // bytes when unpacked, as declared
  std::uint64_t position = 0;  // of its header in the file

  // "byte 4096 (cubin for sm_90a)", for messages; the name of the member comes first.
  std::string where() const;
};

// The images in the order of the file. Views into `file`. Malformed: no cubin, fat binary or program; no device code; damaged.
Result<std::vector<Image>> list_images(std::string_view file);

// The same, but a program without device code has no images.
Result<std::vector<Image>> find_images(std::string_view file);

// Decompresses an image. PTX ends before its zero padding. Malformed: damaged, of another size than declared, or larger than `most` bytes.
Result<std::string> unpack(const Image& image, std::uint64_t most);

}  // namespace frx::ingest::fatbin
