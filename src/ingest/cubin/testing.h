// Cubins written inside tests: line programs opcode by opcode, and an ELF file around them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/pack.h"

namespace frx::ingest::cubin::testing {

inline std::string number(std::uint64_t value, std::size_t width) {
  std::string bytes;
  put_fixed(bytes, value, static_cast<int>(width));
  return bytes;
}

inline std::string uleb(std::uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
  return bytes += static_cast<char>(value);
}

inline std::string sleb(std::int64_t value) {
  std::string bytes;
  for (; value < -64 || value > 63; value >>= 7) bytes += static_cast<char>(value | 0x80);
  return bytes += static_cast<char>(value & 0x7F);
}

inline std::string text(std::string_view value) { return std::string(value) + '\0'; }

// The opcodes of a line program. Each returns the program, so that they can be written in a row.
class Opcodes {
 public:
  Opcodes& raw(std::string_view bytes) { return bytes_ += bytes, *this; }
  Opcodes& extended(std::uint8_t opcode, std::string_view operands) {
    return raw(number(0, 1)).raw(uleb(operands.size() + 1)).raw(number(opcode, 1)).raw(operands);
  }
  Opcodes& begin(std::uint64_t address = 0) { return extended(2, number(address, 8)); }
  Opcodes& row() { return raw("\x01"); }
  Opcodes& advance(std::uint64_t bytes) { return raw("\x02").raw(uleb(bytes)); }
  Opcodes& line(std::int64_t further) { return raw("\x03").raw(sleb(further)); }
  Opcodes& file(std::uint64_t of) { return raw("\x04").raw(uleb(of)); }
  Opcodes& inlined(std::uint64_t caller) { return extended(0x90, uleb(caller) + uleb(0)); }
  Opcodes& end() { return extended(1, ""); }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

// Folders /src and inc; files 1: /src/kernel.cu, 2: inc/tool.h, 3: main.cu of an unknown folder.
inline std::string old_tables() {
  return text("/src") + text("inc") + text("") + text("kernel.cu") + uleb(1) + uleb(0) + uleb(0) + text("tool.h") + uleb(2) + uleb(300) +
         uleb(0) + text("main.cu") + uleb(0) + uleb(0) + uleb(0) + text("");
}

// One line program with its header. nvcc's numbers: lines -5 to 8 and opcodes 1 to 9; from version 3 on 10 to 12 as well and an undefined
// 13 of one operand. `padding` is inserted between the tables and the program.
inline std::string line_unit(int version, std::string_view tables, std::string_view opcodes, std::string_view padding = "") {
  using namespace std::string_view_literals;
  const bool recent = version >= 3;
  std::string rules = number(1, 1);
  if (version >= 4) rules += number(1, 1);
  rules += "\x01\xFB\x0E"sv;
  rules += recent ? "\x0E\0\x01\x01\x01\x01\0\0\0\x01\0\0\x01\x01"sv : "\x0A\0\x01\x01\x01\x01\0\0\0\x01"sv;
  rules += std::string(tables) + std::string(padding);
  std::string body = number(static_cast<std::uint64_t>(version), 2);
  if (version >= 5) body += "\x08\0"sv;
  body += number(rules.size(), 4) + rules + std::string(opcodes);
  return number(body.size(), 4) + body;
}

// A cubin of some functions, each in a section of its own.
struct Sketch {
  struct Function {
    std::string name;
    std::uint64_t size = 0;   // bytes of code
    std::uint64_t value = 0;  // of its symbol
  };
  struct Fixup {
    std::size_t position = 0;  // in .debug_line
    std::size_t function = 0;  // number of one above
    std::int64_t addend = 0;
  };

  std::vector<Function> functions;
  std::string line, debug_text, line_text;
  std::vector<Fixup> fixups;
  bool addends = false;           // .rela instead of .rel
  bool refers_to_symbols = true;  // false: sh_link of the relocations is wrong, as in debug builds
  std::uint16_t machine = 190;

  // A relocation at each begin of a sequence, for one function after the other.
  void relocate_in_order() {
    constexpr std::string_view set_address("\0\x09\x02", 3);
    for (std::size_t at = line.find(set_address); at != line.npos; at = line.find(set_address, at + 1)) {
      fixups.push_back({at + set_address.size(), fixups.size(), 0});
    }
  }

  std::string bytes() const;
};

// Sections are laid out one after the other after the header, and their headers after them.
class ElfWriter {
 public:
  explicit ElfWriter(std::uint16_t machine) : machine_(machine) { section("", 0, "", 0); }

  // The fields of the header of the file; the sections may be written before or after.
  std::uint16_t type = 2;
  std::uint8_t abi_version = 7;
  std::uint32_t version = 1, flags = 0;

  std::size_t section(const std::string& name, std::uint32_t section_type, std::string_view content, std::uint32_t link,
                      std::uint64_t section_flags = 0, std::uint32_t info = 0) {
    begin_section(name, section_type, content.size(), link, section_flags, info);
    body_ += content;
    return count_++;
  }
  // A section without bytes in the file: shared memory.
  std::size_t empty_section(const std::string& name, std::uint64_t size) {
    begin_section(name, 8, size, 0, 0, 0);
    return count_++;
  }

  std::string bytes() {
    const std::string names = names_ + text(".shstrtab");
    const std::size_t last = section(".shstrtab", 3, names, 0);
    const std::string start(
        "\x7F"
        "ELF\x02\x01\x01\x33",
        8);
    return start + number(abi_version, 8) + number(type, 2) + number(machine_, 2) + number(version, 4) + number(0, 8) + number(0, 8) +
           number(64 + body_.size(), 8) + number(flags, 4) + number(64, 2) + number(56, 2) + number(0, 2) + number(64, 2) +
           number(count_, 2) + number(last, 2) + body_ + headers_;
  }

 private:
  void begin_section(const std::string& name, std::uint32_t section_type, std::uint64_t size, std::uint32_t link,
                     std::uint64_t section_flags, std::uint32_t info) {
    headers_ += number(names_.size(), 4) + number(section_type, 4) + number(section_flags, 8) + number(0, 8) +
                number(64 + body_.size(), 8) + number(size, 8) + number(link, 4) + number(info, 4) + number(1, 8) + number(0, 8);
    names_ += text(name);
  }

  std::uint16_t machine_;
  std::string names_, body_, headers_;
  std::size_t count_ = 0;
};

inline std::string Sketch::bytes() const {
  ElfWriter elf(machine);
  std::string names = text(""), symbols(24, '\0'), relocations;
  for (const Function& function : functions) {
    const std::size_t code = elf.section(".text." + function.name, 1, std::string(function.size, '\0'), 0);
    symbols += number(names.size(), 4) + "\x12\x10" + number(code, 2) + number(function.value, 8) + number(function.size, 8);
    names += text(function.name);
  }
  for (const Fixup& fixup : fixups) {
    relocations += number(fixup.position, 8) + number((fixup.function + 1) << 32 | 2, 8);
    if (addends) relocations += number(static_cast<std::uint64_t>(fixup.addend), 8);
  }
  const std::size_t name_table = elf.section(".strtab", 3, names, 0);
  const std::size_t symbol_table = elf.section(".symtab", 2, symbols, static_cast<std::uint32_t>(name_table));
  elf.section(".debug_line", 1, line, 0);
  if (!debug_text.empty()) elf.section(".debug_str", 1, debug_text, 0);
  if (!line_text.empty()) elf.section(".debug_line_str", 1, line_text, 0);
  const auto link = static_cast<std::uint32_t>(refers_to_symbols ? symbol_table : symbol_table + 1);
  if (!fixups.empty()) elf.section(addends ? ".rela.debug_line" : ".rel.debug_line", addends ? 4 : 9, relocations, link);
  return elf.bytes();
}

// Two kernels: `alpha` with code inlined from tool.h into its line 12, and `beta`.
inline Sketch two_kernels() {
  Opcodes program;
  program.begin().line(9).row();                                             // alpha 00 kernel.cu:10
  program.advance(16).line(2).row();                                         //       10 kernel.cu:12
  program.file(2).inlined(2).line(-5).row();                                 //       10 tool.h:7, called there
  program.advance(16).inlined(3).line(-4).row();                             //       20 tool.h:3, called by that
  program.file(1).inlined(0).advance(16).line(10).row();                     //       30 kernel.cu:13
  program.advance(16).end();                                                 //       40
  program.begin().line(19).row().raw("\xF0").raw("\xF6").advance(32).end();  // beta  00 :20, 10 :21, 20 :28, 40
  Sketch sketch;
  sketch.functions = {{"alpha", 0x40}, {"beta", 0x40}};
  sketch.line = line_unit(2, old_tables(), program.bytes(), std::string_view("\0\0\0\0", 4));
  sketch.relocate_in_order();
  return sketch;
}

}  // namespace frx::ingest::cubin::testing
