// Device code: containers of images (src/ingest/fatbin/container.cc), ELF files that hold one, and archives of those.
#include <lz4.h>
#include <zstd.h>

#include <vector>

#include "fuzz/mutate/bytes.h"
#include "fuzz/mutate/changes.h"

namespace frx::fuzz {
namespace {

constexpr std::string_view container_magic = "\x50\xED\x55\xBA", archive_magic = "!<arch>\n", elf_magic = "\177ELF";
constexpr std::size_t container_header = 16, image_header = 64, member_header = 60;
constexpr std::size_t stored_size_at = 8, packed_size_at = 16, flags_at = 40, unpacked_size_at = 56;  // in the header of an image

// What comes one after the other: images with their headers, members with theirs.
using Parts = std::vector<std::string>;

void change_parts(Parts& parts, Changes& changes, void (*change_one)(std::string&, Changes&)) {
  const auto at = parts.begin() + static_cast<std::ptrdiff_t>(changes.below(parts.size()));
  const std::string part = *at;
  switch (changes.below(6)) {
    case 0: parts.insert(at, changes.times(part.size()), part); break;
    case 1: parts.erase(at); break;
    case 2: std::swap(*at, parts[changes.below(parts.size())]); break;
    default: change_one(*at, changes);
  }
}

// The length of the header of the image at `at`, which says it itself.
std::size_t header_of(const std::string& bytes, std::size_t at = 0) {
  return std::max<std::uint64_t>(number_at(bytes, at + 4, 4), image_header);
}

Parts images_of(const std::string& bytes) {
  Parts images;
  for (std::size_t at = container_header; at + image_header <= bytes.size();) {
    const std::uint64_t header = header_of(bytes, at), size = header + number_at(bytes, at + stored_size_at, 8);
    if (size < header || size > bytes.size() - at) break;
    images.push_back(bytes.substr(at, size));
    at += size;
  }
  return images;
}

// Images are mostly packed, by LZ4 or zstd: what is in them is changed, and packed again.
enum class Packing { none, lz4, zstd };
constexpr std::uint64_t lz4_flag = 0x2000, zstd_flag = 0x8000;

Packing packing_of(const std::string& image) {
  const std::uint64_t flags = number_at(image, flags_at, 8);
  return (flags & zstd_flag) != 0 ? Packing::zstd : (flags & lz4_flag) != 0 ? Packing::lz4 : Packing::none;
}

// "" where it cannot be unpacked.
std::string unpacked(const std::string& image) {
  constexpr std::uint64_t most = 1 << 20;
  std::string content(std::min(number_at(image, unpacked_size_at, 8), most), '\0');
  const std::string packed = piece(image, header_of(image), number_at(image, packed_size_at, 4));
  if (packing_of(image) == Packing::zstd)
    return ZSTD_isError(ZSTD_decompress(content.data(), content.size(), packed.data(), packed.size())) != 0 ? "" : content;
  const int size = LZ4_decompress_safe(packed.data(), content.data(), static_cast<int>(packed.size()), static_cast<int>(content.size()));
  return size < 0 ? "" : content.substr(0, static_cast<std::size_t>(size));
}

std::string packed(const std::string& content, Packing packing) {
  if (packing == Packing::zstd) {
    std::string bytes(ZSTD_compressBound(content.size()), '\0');
    bytes.resize(ZSTD_compress(bytes.data(), bytes.size(), content.data(), content.size(), 1));
    return bytes;
  }
  std::string bytes(static_cast<std::size_t>(LZ4_compressBound(static_cast<int>(content.size()))), '\0');
  bytes.resize(static_cast<std::size_t>(
      LZ4_compress_default(content.data(), bytes.data(), static_cast<int>(content.size()), static_cast<int>(bytes.size()))));
  return bytes;
}

void change_content(std::string& content, Changes& changes) {
  if (content.starts_with(elf_magic)) return mutate_elf(content, changes);
  if (content.find(".version") != std::string::npos) return mutate_ptx(content, changes);
  changes.change(content);
}

void change_image(std::string& image, Changes& changes) {
  // Kind, size of the header, stored size, packed size, architecture, flags, unpacked size.
  constexpr struct { std::size_t at, width; } fields[] = {{0, 2}, {4, 4}, {8, 8}, {16, 4}, {28, 4}, {40, 8}, {56, 8}};
  if (changes.one_in(4)) {
    const auto& field = fields[changes.below(std::size(fields))];
    return set_number(image, field.at, field.width, changes.one_in(4) ? number_at(image, field.at, field.width) * 2 : changes.number());
  }
  const Packing packing = packing_of(image);
  std::string content = packing == Packing::none ? piece(image, header_of(image), image.size()) : unpacked(image);
  if (content.empty()) return changes.change(image);
  change_content(content, changes);
  std::string stored = packing == Packing::none ? content : packed(content, packing);
  if (packing != Packing::none) {
    set_number(image, packed_size_at, 4, stored.size());
    set_number(image, unpacked_size_at, 8, content.size());
  }
  set_number(image, stored_size_at, 8, stored.size());
  image = image.substr(0, header_of(image)) + stored;
}

std::string joined(const std::string& head, const Parts& parts) {
  std::string bytes = head;
  for (const std::string& part : parts) bytes += part;
  return bytes;
}

void change_container(std::string& bytes, Changes& changes) {
  Parts images = images_of(bytes);
  if (images.empty()) return changes.change(bytes);
  change_parts(images, changes, change_image);
  bytes = joined(bytes.substr(0, container_header), images);
  set_number(bytes, 8, 8, bytes.size() - container_header);
}

std::uint64_t decimal_at(const std::string& bytes, std::size_t at) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < 10 && bytes[at + i] >= '0' && bytes[at + i] <= '9'; ++i)
    value = value * 10 + static_cast<std::uint64_t>(bytes[at + i] - '0');
  return value;
}

Parts members_of(const std::string& bytes) {
  Parts members;
  for (std::size_t at = archive_magic.size(); at + member_header <= bytes.size();) {
    const std::uint64_t size = member_header + (decimal_at(bytes, at + 48) + 1) / 2 * 2;
    members.push_back(bytes.substr(at, size));
    at += members.back().size();
  }
  return members;
}

void change_member(std::string& member, Changes& changes) {
  if (changes.one_in(3)) {
    std::string head = member.substr(0, member_header);
    changes.change(head);
    head.resize(member_header, ' ');
    member.replace(0, member_header, head);
    return;
  }
  std::string content = member.substr(member_header);
  mutate_fatbin(content, changes);
  std::string size = std::to_string(content.size());
  size.resize(10, ' ');
  member = member.substr(0, member_header).replace(48, 10, size) + content + (content.size() % 2 != 0 ? "\n" : "");
}

}  // namespace

void mutate_fatbin(std::string& bytes, Changes& changes) {
  if (bytes.starts_with(elf_magic)) return mutate_elf(bytes, changes);
  if (bytes.starts_with(container_magic)) return change_container(bytes, changes);
  Parts members = bytes.starts_with(archive_magic) ? members_of(bytes) : Parts();
  if (members.empty()) return changes.change(bytes);
  change_parts(members, changes, change_member);
  bytes = joined(std::string(archive_magic), members);
}

}  // namespace frx::fuzz
