// Files in and out.
//
// Reading is streaming: a ByteSource hands out chunks, so a 1 GB file needs one buffer. Writing goes
// to a temporary name in the same folder and is renamed, so that a reader never sees half a file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/output_file.h"
#include "base/result.h"

namespace frx {

// Bytes that come in order and are read once.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // Fills the front of `buffer`; fewer bytes than asked for only at the end, 0 at the end.
  virtual Result<std::size_t> read(std::span<char> buffer) = 0;
  // Total size when known, else 0; for progress only.
  virtual std::uint64_t size_hint() const { return 0; }
};

// Opens a regular file or a pipe; a directory is refused with a hint.
Result<std::unique_ptr<ByteSource>> open_file(const std::string& path);

// Standard input, which can be read once.
std::unique_ptr<ByteSource> open_standard_input();

// `bytes` must outlive the source.
std::unique_ptr<ByteSource> open_bytes(std::string_view bytes);

// All of it, `name` for messages; refuses more than `limit` bytes.
Result<std::string> read_all(ByteSource& source, const std::string& name, std::uint64_t limit);

// The whole file; refuses more than `limit` bytes.
Result<std::string> read_file(const std::string& path, std::uint64_t limit = std::uint64_t{256} << 20);

// An OutputFile (base/output_file.h) in one piece. Creates missing parent folders.
Result<> write_file(const std::string& path, std::string_view bytes, Access access = Access::by_umask);

}  // namespace frx
