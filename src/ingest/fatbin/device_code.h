// All device code of a cubin, a fat binary, a program, a library, an object or a static library of objects.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "model/device_code.h"

namespace frx::ingest::fatbin {

struct ReadLimits {
  std::uint64_t image_bytes = std::uint64_t{512} << 20;  // one image, unpacked; only one is held at a time
  std::uint64_t ptx_bytes = std::uint64_t{256} << 20;    // the PTX that is kept
  // The limit for all decompressed bytes: a multiple of the size of the file (fat binaries of nvcc expand at most tenfold), and a minimum
  // for small files.
  std::uint64_t times_file = 64;
  std::uint64_t bytes_beyond = std::uint64_t{256} << 20;
};

// `name` stands before messages. Images and members of archives that cannot be read become notes when others can. Malformed: no device
// code, or none that can be read.
Result<model::DeviceCode> read_device_code(std::string name, std::string_view file, const ReadLimits& limits = {});

}  // namespace frx::ingest::fatbin
