#include "ingest/fatbin/container.h"

#include "ingest/cubin/byte_reader.h"

namespace frx::ingest::fatbin {
namespace {

using cubin::ByteReader;

constexpr std::string_view container_magic = "\x50\xED\x55\xBA";
constexpr std::size_t container_header = 16, entry_header = 64;

// Flags of an entry.
constexpr std::uint64_t packed_lz4 = 0x2000, packed_zstd = 0x8000, one_architecture = 0x100000, one_family = 0x200000;

Failure damaged_container(std::size_t position, std::string_view what) {
  return fail(ErrorKind::malformed, "the fat binary is damaged at byte {}: {}", position, what);
}

struct Header {
  std::uint32_t size = 0, packed_size = 0;
  std::uint64_t stored_size = 0, flags = 0, unpacked_size = 0;
};

Header read_header(ByteReader& reader, Entry& entry) {
  Header header;
  entry.kind = reader.u16();
  reader.take(2);
  header.size = reader.u32();
  header.stored_size = reader.number(8);
  header.packed_size = reader.u32();
  reader.take(8);  // position of the options, version of PTX
  entry.sm = static_cast<int>(reader.u32() & 0xFFFF);
  reader.take(8);  // name of the source
  header.flags = reader.number(8);
  reader.take(8);
  header.unpacked_size = reader.number(8);
  return header;
}

// The entry at the begin of `bytes`, which are at `position` of the file, and how many of them it takes.
Result<std::size_t> read_entry(std::string_view bytes, std::size_t position, Entry& entry) {
  ByteReader reader(bytes);
  const Header header = read_header(reader, entry);
  if (!reader.ok() || header.size < entry_header || header.size > bytes.size()) return damaged_container(position, "no header of an image");
  if (header.stored_size > bytes.size() - header.size) return damaged_container(position, "the image is cut");
  entry.position = position;
  entry.stored = bytes.substr(header.size, header.stored_size);
  entry.size = header.stored_size;
  if ((header.flags & one_architecture) != 0) entry.suffix = 'a';
  if ((header.flags & one_family) != 0) entry.suffix = 'f';
  if ((header.flags & packed_lz4) != 0) entry.packing = Packing::lz4;
  if ((header.flags & packed_zstd) != 0) entry.packing = Packing::zstd;
  if (entry.packing != Packing::none) {
    if (header.packed_size > header.stored_size) return damaged_container(position, "the packed image is cut");
    entry.stored = entry.stored.substr(0, header.packed_size);
    entry.size = header.unpacked_size;
  }
  return header.size + static_cast<std::size_t>(header.stored_size);
}

// Reads the entries of the container at `position`; returns where it ends.
Result<std::size_t> read_container(std::string_view bytes, std::size_t position, std::vector<Entry>& entries) {
  ByteReader reader(bytes, position);
  const bool begins = reader.take(4) == container_magic;
  reader.take(2);
  const std::uint16_t header = reader.u16();
  const std::uint64_t size = reader.number(8);
  if (!begins || !reader.ok() || header < container_header) return damaged_container(position, "no container begins here");
  if (header > bytes.size() - position || size > bytes.size() - position - header)
    return damaged_container(position, "the container is cut");
  const std::size_t end = position + header + static_cast<std::size_t>(size);
  for (std::size_t at = position + header; at < end;) {
    Entry entry;
    TRY_ASSIGN(const std::size_t taken, read_entry(bytes.substr(at, end - at), at, entry));
    entries.push_back(entry);
    at += taken;
  }
  return end;
}

}  // namespace

bool begins_container(std::string_view head) { return head.starts_with(container_magic); }

Result<std::vector<Entry>> read_containers(std::string_view bytes) {
  std::vector<Entry> entries;
  for (std::size_t at = bytes.find_first_not_of('\0'); at < bytes.size(); at = bytes.find_first_not_of('\0', at)) {
    TRY_ASSIGN(at, read_container(bytes, at, entries));
  }
  return entries;
}

}  // namespace frx::ingest::fatbin
