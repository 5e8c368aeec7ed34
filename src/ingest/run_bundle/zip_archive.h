// A zip archive from an untrusted source: the list of its members, and each of them as a stream. Nothing is ever extracted to disk.
//
// [local header, data] ... [central directory: name, sizes, offset of each] [end record: offset of that directory]
//
// The directory decides. Refused, in one line: a directory that does not fit the file, members that overlap (the way to make 40 KB expand
// to petabytes), sizes that deflate cannot reach, names that lead out of the archive, names that occur twice, and more members or bytes
// than the limits allow. Zip64 is read; encryption and methods other than "stored" and "deflated" are refused when such a member is opened.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/files.h"
#include "ingest/run_bundle/random_access.h"
#include "ingest/unpack_limits.h"

namespace frx::ingest {

struct ZipLimits {
  std::uint64_t members = 100'000;
  std::uint64_t directory_bytes = std::uint64_t{64} << 20;
  std::uint64_t member_bytes = std::uint64_t{64} << 30;  // unpacked
  std::uint64_t total_bytes = std::uint64_t{256} << 30;  // unpacked, all members
  std::uint64_t ratio = largest_ratio;                   // for members beyond `ratio_from` bytes; a log of one line may reach 1000
  std::uint64_t ratio_from = std::uint64_t{16} << 20;
};

struct ZipMember {
  std::string path;         // relative, with '/', no '.' and '..' in it
  std::uint64_t bytes = 0;  // unpacked
  std::uint64_t packed = 0;
  std::uint64_t header = 0;  // offset of the local header
  std::uint32_t crc = 0;
  std::uint16_t method = 0;
  bool encrypted = false;
};

class ZipArchive {
 public:
  // Folders and links are left out of the list. Errors have no `where`.
  static Result<ZipArchive> open(std::shared_ptr<const RandomAccess> bytes, const ZipLimits& limits = {});

  const std::vector<ZipMember>& members() const { return members_; }
  // The content; reading it fails when it contradicts the directory (size, checksum).
  Result<std::unique_ptr<ByteSource>> open_member(const ZipMember& member) const;

 private:
  std::shared_ptr<const RandomAccess> bytes_;
  std::vector<ZipMember> members_;
};

// "raw/trace.jsonl" of ".\raw\trace.jsonl"; fails for a name that is empty, absolute or leads upwards.
Result<std::string> safe_member_path(std::string_view name);

}  // namespace frx::ingest
