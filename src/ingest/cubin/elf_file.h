// The sections, symbols and relocations of a cubin: an ELF file for machine 190, in which every function has a
// code section `.text.NAME` of its own; and the sections of the programs and libraries that carry cubins.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"

struct Elf;
struct Elf_Scn;

namespace frx::ingest::cubin {

// A section of code and the function it holds.
struct Code {
  std::string_view function;  // mangled
  std::uint64_t size = 0;     // bytes
};

// A place of a section that holds the address of code.
struct Relocation {
  std::uint64_t position = 0;          // of the place in its section, bytes
  Code code;                           // of size 0 when the symbol is in no code section
  std::uint64_t symbol_value = 0;      // offset in the code; a GPU address in a cubin that was loaded
  std::optional<std::int64_t> addend;  // nullopt: it is stored at the place itself
};

// Properties of the file as a whole.
struct ElfHeader {
  std::uint16_t type = 0;  // 1: relocatable, 2: executable, 3: shared library
  std::uint16_t machine = 0;
  std::uint32_t version = 0;  // in a cubin of ABI version 7 that of CUDA: 125 for 12.5
  std::uint32_t flags = 0;
  std::uint8_t abi_version = 0;
};

struct ElfSection {
  std::string_view name;
  std::uint32_t type = 0, link = 0, info = 0;
  std::uint64_t flags = 0, offset = 0, size = 0;
  Elf_Scn* handle = nullptr;

  bool is_code() const;  // bytes that are executed
};

struct ElfSymbol {
  std::uint32_t number = 0;  // in .symtab
  std::string_view name;
  std::uint16_t section = 0;  // number of the section, 0 or from 0xFF00 when in none
  std::uint8_t type = 0;      // 2: a function
  std::uint8_t other = 0;     // in a cubin bit 4 marks the entry of a kernel
  std::uint64_t value = 0, size = 0;
};

class ElfFile {
 public:
  // `bytes` must outlive the file and all views it gives. Malformed: no ELF file, or none for a GPU.
  static Result<ElfFile> open(std::string_view bytes);
  // The same for a file of any machine.
  static Result<ElfFile> open_any(std::string_view bytes);

  const ElfHeader& header() const { return header_; }
  // Sections by their numbers; the first means "none".
  const std::vector<ElfSection>& sections() const { return sections_; }
  // Malformed: the section reaches beyond the file, or is compressed. Empty when it has no bytes in the file.
  Result<std::string_view> bytes_of(const ElfSection& section) const;
  // The symbols of .symtab; none when there is no such table.
  Result<std::vector<ElfSymbol>> symbols() const;

  // The bytes of the first section of this name; empty when there is none.
  Result<std::string_view> section(std::string_view name) const;
  // Whether a segment is executed that has bytes in the file.
  bool loads_code() const;
  // The functions, each from a section `.text.NAME`.
  std::vector<Code> code() const;
  // The entries of `.rel.NAME` and `.rela.NAME` about section `.NAME`, by position.
  Result<std::vector<Relocation>> relocations(std::string_view name) const;

 private:
  struct Close {
    void operator()(Elf* elf) const;
  };
  void list_sections();
  void name_sections();
  const ElfSection* section_of(std::uint32_t type, std::string_view name) const;
  std::optional<Code> code_of(const ElfSection& section) const;
  Code code_at(std::size_t section, std::string_view symbol) const;
  Result<> add_relocations(const ElfSection& table, std::vector<Relocation>& found) const;

  std::string_view bytes_;
  std::unique_ptr<Elf, Close> elf_;
  ElfHeader header_;
  std::vector<ElfSection> sections_;
};

}  // namespace frx::ingest::cubin
