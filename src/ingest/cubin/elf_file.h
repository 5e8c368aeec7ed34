// The sections and the relocations of a cubin: an ELF file for machine 190, in which every function has a
// code section `.text.NAME` of its own.
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
  Code code;                           // of size 0 when the symbol is in no section of code
  std::uint64_t symbol_value = 0;      // offset in the code; an address of the GPU in a cubin that was loaded
  std::optional<std::int64_t> addend;  // nullopt: it stands at the place itself
};

class ElfFile {
 public:
  // `bytes` must outlive the file and all views it gives. Malformed: no ELF file, or none for a GPU.
  static Result<ElfFile> open(std::string_view bytes);

  // The bytes of the first section of this name; empty when there is none.
  Result<std::string_view> section(std::string_view name) const;
  // The functions, each from a section `.text.NAME`.
  std::vector<Code> code() const;
  // What `.rel.NAME` and `.rela.NAME` say of section `.NAME`, by position.
  Result<std::vector<Relocation>> relocations(std::string_view name) const;

 private:
  struct Close {
    void operator()(Elf* elf) const;
  };
  struct Section {
    std::string_view name;
    std::uint32_t type = 0, link = 0;
    std::uint64_t flags = 0, offset = 0, size = 0;
    Elf_Scn* handle = nullptr;
  };

  void list_sections();
  void name_sections();
  Result<std::string_view> bytes_of(const Section& section) const;
  const Section* section_of(std::uint32_t type, std::string_view name) const;
  std::optional<Code> code_of(const Section& section) const;
  Code code_at(std::size_t section, std::string_view symbol) const;
  Result<> add_relocations(const Section& table, std::vector<Relocation>& found) const;

  std::string_view bytes_;
  std::unique_ptr<Elf, Close> elf_;
  std::vector<Section> sections_;  // by their numbers; the first means "none"
};

}  // namespace frx::ingest::cubin
