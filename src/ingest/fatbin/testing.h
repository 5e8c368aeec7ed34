// Fat binaries, and programs that contain them, written inside tests.
#pragma once

#include <zstd.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/cubin/testing.h"

namespace frx::ingest::fatbin::testing {

using cubin::testing::number;

struct EntrySketch {
  std::uint16_t kind = 2;
  std::uint32_t sm = 90;
  std::uint64_t flags = 0x11;
  std::string stored = {};
  std::uint32_t packed_size = 0;
  std::uint64_t unpacked_size = 0;

  std::string bytes() const {
    std::string padded = stored;
    while (padded.size() % 8 != 0) padded += '\0';
    return number(kind, 2) + number(0x101, 2) + number(64, 4) + number(padded.size(), 8) + number(packed_size, 4) + number(0, 4) +
           number(0, 4) + number(sm, 4) + number(0, 8) + number(flags, 8) + number(0, 8) + number(unpacked_size, 8) + padded;
  }
};

inline EntrySketch plain(std::uint16_t kind, std::uint32_t sm, std::string_view image) {
  return {.kind = kind, .sm = sm, .stored = std::string(image)};
}

inline EntrySketch with_zstd(std::uint16_t kind, std::uint32_t sm, std::string_view image) {
  std::string packed(ZSTD_compressBound(image.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), image.data(), image.size(), 3));
  const auto size = static_cast<std::uint32_t>(packed.size());
  return {.kind = kind, .sm = sm, .flags = 0x8011, .stored = packed, .packed_size = size, .unpacked_size = image.size()};
}

// Literals only: no copy of earlier bytes.
inline std::string lz4_literals(std::string_view image) {
  if (image.size() < 15) return static_cast<char>(image.size() << 4) + std::string(image);
  std::string block = "\xF0";
  std::size_t more = image.size() - 15;
  for (; more >= 255; more -= 255) block += '\xFF';
  return block + static_cast<char>(more) + std::string(image);
}

inline EntrySketch with_lz4(std::uint16_t kind, std::uint32_t sm, std::string_view image) {
  const std::string packed = lz4_literals(image);
  const auto size = static_cast<std::uint32_t>(packed.size());
  return {.kind = kind, .sm = sm, .flags = 0x2011, .stored = packed, .packed_size = size, .unpacked_size = image.size()};
}

inline std::string container(const std::vector<EntrySketch>& entries) {
  std::string body;
  for (const EntrySketch& entry : entries) body += entry.bytes();
  return "\x50\xED\x55\xBA" + number(1, 2) + number(16, 2) + number(body.size(), 8) + body;
}

// A program of an x86-64 with these sections.
inline std::string program(const std::vector<std::pair<std::string, std::string>>& sections) {
  cubin::testing::ElfWriter elf(62);
  elf.section(".text", 1, "\xC3", 0);
  for (const auto& [name, content] : sections) elf.section(name, 1, content, 0);
  return elf.bytes();
}

// A static library with these members, as GNU ar writes it: long names in a member of their own.
inline std::string archive(const std::vector<std::pair<std::string, std::string>>& members) {
  const auto padded = [](std::string text, std::size_t width) { return text + std::string(width - text.size(), ' '); };
  const auto member = [&](const std::string& name, const std::string& bytes) {
    return padded(name, 16) + padded("0", 12) + padded("0", 6) + padded("0", 6) + padded("644", 8) +
           padded(std::to_string(bytes.size()), 10) + "`\n" + bytes + (bytes.size() % 2 != 0 ? "\n" : "");
  };
  std::string long_names, body;
  for (const auto& [name, bytes] : members) {
    const bool is_long = name.size() > 15;
    body += member(is_long ? "/" + std::to_string(long_names.size()) : name + "/", bytes);
    if (is_long) long_names += name + "/\n";
  }
  const std::string index = member("/", std::string(4, '\0'));
  return "!<arch>\n" + index + (long_names.empty() ? "" : member("//", long_names)) + body;
}

}  // namespace frx::ingest::fatbin::testing
