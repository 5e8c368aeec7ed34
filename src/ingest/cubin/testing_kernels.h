// Cubins with kernels and their resources, written inside tests.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "ingest/cubin/testing.h"

namespace frx::ingest::cubin::testing {

// An instruction of 16 bytes: the opcode and, of an access to memory, its width (4: 32 bits, 5: 64, 6: 128).
inline std::string instruction(std::uint32_t opcode, std::uint64_t width = 0) { return number(opcode | 0x7000, 8) + number(width << 9, 8); }
inline std::string load_local(std::uint64_t width = 4) { return instruction(0x983, width); }
inline std::string store_local(std::uint64_t width = 4) { return instruction(0x387, width); }
inline std::string no_operation() { return instruction(0x918); }

inline std::string words(std::initializer_list<std::uint64_t> values) {
  std::string bytes;
  for (const std::uint64_t value : values) bytes += number(value, 4);
  return bytes;
}

// Attributes of .nv.info: those with a value of 16 bits, and those of any size.
inline std::string short_attribute(std::uint8_t attribute, std::uint16_t value) { return "\x03" + number(attribute, 1) + number(value, 2); }
inline std::string attribute(std::uint8_t attribute, std::string_view bytes) {
  return "\x04" + number(attribute, 1) + number(bytes.size(), 2) + std::string(bytes);
}

struct KernelSketch {
  std::string name = "_Z4axpyfPf";
  std::string code = no_operation();
  std::string attributes = {};                                         // .nv.info.NAME
  std::vector<std::pair<std::uint8_t, std::uint32_t>> of_symbol = {};  // .nv.info: attribute, value
  std::uint64_t shared = 0, constant = 0;
  std::uint64_t section_flags = 6;
  std::uint32_t registers_in_header = 0;
  std::uint8_t other = 0x10;     // 0x10: the entry of a kernel
  bool behind_previous = false;  // in the section of the kernel before it
};

// As nvcc 13 writes it for an sm_90.
struct CubinSketch {
  std::vector<KernelSketch> kernels = {};
  std::uint8_t abi_version = 8;
  std::uint32_t flags = 0x6005A04, version = 1;
  std::uint16_t type = 2, machine = 190;
  std::string compat = {}, note = {};

  std::string bytes() const;
};

inline std::string CubinSketch::bytes() const {
  ElfWriter elf(machine);
  elf.abi_version = abi_version;
  elf.flags = flags;
  elf.version = version;
  elf.type = type;
  std::string names = text(""), symbols(24, '\0'), info;
  std::size_t code = 0, symbol = 1;
  for (const KernelSketch& kernel : kernels) {
    if (!kernel.behind_previous) {
      code = elf.section(".text." + kernel.name, 1, kernel.code, 0, kernel.section_flags, kernel.registers_in_header << 24);
    }
    symbols += number(names.size(), 4) + "\x12" + number(kernel.other, 1) + number(code, 2) + number(0, 8) + number(kernel.code.size(), 8);
    names += text(kernel.name);
    for (const auto& [which, value] : kernel.of_symbol) info += attribute(which, words({symbol, value}));
    if (!kernel.attributes.empty()) elf.section(".nv.info." + kernel.name, 0x70000000, kernel.attributes, 0);
    if (kernel.shared > 0) elf.empty_section(".nv.shared." + kernel.name, kernel.shared);
    if (kernel.constant > 0) elf.section(".nv.constant0." + kernel.name, 1, std::string(kernel.constant, '\0'), 0);
    ++symbol;
  }
  if (!info.empty()) elf.section(".nv.info", 0x70000000, info, 0);
  if (!compat.empty()) elf.section(".nv.compat", 0x70000086, compat, 0);
  if (!note.empty()) elf.section(".note.nv.tkinfo", 7, note, 0);
  const std::size_t name_table = elf.section(".strtab", 3, names, 0);
  elf.section(".symtab", 2, symbols, static_cast<std::uint32_t>(name_table));
  return elf.bytes();
}

}  // namespace frx::ingest::cubin::testing
