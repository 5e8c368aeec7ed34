// The content of one member of a zip archive, decompressed as it is read and verified against the directory.
#pragma once

#include <memory>
#include <vector>

#include "base/files.h"
#include "ingest/run_bundle/random_access.h"
#include "ingest/run_bundle/zip_archive.h"

namespace frx::ingest {

class ZipMemberSource final : public ByteSource {
 public:
  // `data`: offset of its compressed bytes; all of them exist.
  ZipMemberSource(std::shared_ptr<const RandomAccess> bytes, const ZipMember& member, std::uint64_t data);
  ~ZipMemberSource() override;

  Result<std::size_t> read(std::span<char> buffer) override;
  std::uint64_t size_hint() const override { return member_.bytes; }

 private:
  struct Inflater;

  Result<std::size_t> read_stored(std::span<char> buffer);
  Result<std::size_t> read_deflated(std::span<char> buffer);
  Result<> refill();
  Failure damaged(std::string_view what) const;

  std::shared_ptr<const RandomAccess> bytes_;
  ZipMember member_;
  std::uint64_t next_;  // offset of the next compressed byte
  std::uint64_t left_;  // compressed bytes that are not read yet
  std::uint64_t unpacked_ = 0;
  std::uint32_t crc_ = 0;
  std::vector<char> input_;
  std::unique_ptr<Inflater> inflater_;  // nullptr: stored
};

}  // namespace frx::ingest
