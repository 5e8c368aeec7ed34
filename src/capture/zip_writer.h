// Writes a zip archive that appears whole or not at all. Members are deflated as they are read, in bounded memory;
// those beyond 4 GiB get zip64 records.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/output_file.h"

namespace frx::capture {

class ZipWriter {
 public:
  static Result<ZipWriter> create(const std::string& path);

  // `name`: relative, with '/'. `modified`: seconds since 1970.
  Result<> add(const std::string& name, ByteSource& content, std::int64_t modified);
  // Nothing may be added afterwards.
  Result<> finish();

 private:
  struct Member {
    std::string name;
    std::uint64_t offset = 0, packed = 0, bytes = 0;
    std::uint32_t crc = 0;
    std::uint32_t when = 0;  // in the DOS format, UTC
    bool is_long = false;    // its local records are zip64
  };

  explicit ZipWriter(OutputFile file) : file_(std::move(file)) {}
  Result<> put(const std::string& bytes);
  Result<> pack(ByteSource& content, Member& member);

  OutputFile file_;
  std::uint64_t at_ = 0;
  std::vector<Member> members_;
};

}  // namespace frx::capture
