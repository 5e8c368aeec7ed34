#include "ingest/cubin/elf_file.h"

#include <gelf.h>
#include <libelf.h>

#include <algorithm>

#include "ingest/cubin/byte_reader.h"

namespace frx::ingest::cubin {
namespace {

constexpr GElf_Half cuda_machine = 190;

}  // namespace

void ElfFile::Close::operator()(Elf* elf) const { elf_end(elf); }

Result<ElfFile> ElfFile::open_any(std::string_view bytes) {
  elf_version(EV_CURRENT);
  ElfFile file;
  file.bytes_ = bytes;
  // libelf requires writable memory, and does not write when nothing is changed.
  file.elf_.reset(elf_memory(const_cast<char*>(bytes.data()), bytes.size()));
  GElf_Ehdr header{};
  if (!file.elf_ || elf_kind(file.elf_.get()) != ELF_K_ELF || !gelf_getehdr(file.elf_.get(), &header)) {
    return fail(ErrorKind::malformed, "expected a cubin, found no ELF file");
  }
  if (header.e_ident[EI_DATA] != ELFDATA2LSB) return fail(ErrorKind::malformed, "expected a little-endian ELF file, found another");
  const std::uint64_t table = std::uint64_t{header.e_shnum} * header.e_shentsize;
  if (header.e_shoff > bytes.size() || table > bytes.size() - header.e_shoff) {
    return fail(ErrorKind::malformed, "the ELF file ends early: its section table begins at byte {} of {}", header.e_shoff, bytes.size());
  }
  if (header.e_shnum > 0 && header.e_shoff < header.e_ehsize) {
    return fail(ErrorKind::malformed, "the ELF file is damaged: its section table begins at byte {}, inside its header", header.e_shoff);
  }
  file.header_ = {header.e_type, header.e_machine, header.e_version, header.e_flags, header.e_ident[EI_ABIVERSION]};
  file.list_sections();
  file.name_sections();
  return file;
}

Result<ElfFile> ElfFile::open(std::string_view bytes) {
  TRY_ASSIGN(ElfFile file, open_any(bytes));
  if (file.header_.machine != cuda_machine) {
    return fail(ErrorKind::malformed, "expected a cubin (little-endian ELF for machine {}), found machine {}", cuda_machine,
                file.header_.machine);
  }
  return file;
}

void ElfFile::list_sections() {
  sections_.emplace_back();
  for (Elf_Scn* handle = nullptr; (handle = elf_nextscn(elf_.get(), handle));) {
    ElfSection& one = sections_.emplace_back();
    GElf_Shdr header{};
    if (!gelf_getshdr(handle, &header)) continue;
    one = {{}, header.sh_type, header.sh_link, header.sh_info, header.sh_flags, header.sh_offset, header.sh_size, handle};
  }
}

// Without names nothing is found in the file, which is not an error: it is a cubin without lines.
void ElfFile::name_sections() {
  std::size_t number = 0;
  if (elf_getshdrstrndx(elf_.get(), &number) != 0 || number >= sections_.size()) return;
  const Result<std::string_view> names = bytes_of(sections_[number]);
  if (!names) return;
  // Names may share their ends, but hostile ones could all be the same long text: stop when they cannot be real.
  std::size_t left = 4 * bytes_.size();
  for (ElfSection& one : sections_) {
    GElf_Shdr header{};
    if (one.handle && gelf_getshdr(one.handle, &header)) one.name = text_at(*names, header.sh_name);
    if (one.name.size() > left) break;
    left -= one.name.size();
  }
}

// Read without libelf, which may copy.
Result<std::string_view> ElfFile::bytes_of(const ElfSection& section) const {
  if (section.type == SHT_NOBITS) return std::string_view();
  if ((section.flags & SHF_COMPRESSED) != 0) {
    return fail(ErrorKind::malformed, "expected plain sections in a cubin, found {} compressed", section.name);
  }
  if (section.offset > bytes_.size() || section.size > bytes_.size() - section.offset) {
    return fail(ErrorKind::malformed, "expected section {} within the {} bytes of the cubin", section.name, bytes_.size());
  }
  return bytes_.substr(section.offset, section.size);
}

Result<std::string_view> ElfFile::section(std::string_view name) const {
  const auto found = std::find_if(sections_.begin(), sections_.end(), [&](const ElfSection& one) { return one.name == name; });
  if (found == sections_.end()) return std::string_view();
  return bytes_of(*found);
}

const ElfSection* ElfFile::section_of(std::uint32_t type, std::string_view name) const {
  const auto found =
      std::find_if(sections_.begin(), sections_.end(), [&](const ElfSection& one) { return one.type == type && one.name == name; });
  return found == sections_.end() ? nullptr : &*found;
}

std::optional<Code> ElfFile::code_of(const ElfSection& section) const {
  constexpr std::string_view prefix = ".text.";
  if (section.type != SHT_PROGBITS || !section.name.starts_with(prefix)) return std::nullopt;
  return Code{section.name.substr(prefix.size()), section.size};
}

bool ElfSection::is_code() const { return type == SHT_PROGBITS && (flags & SHF_EXECINSTR) != 0; }

bool ElfFile::loads_code() const {
  GElf_Ehdr header{};
  std::size_t count = 0;
  if (!gelf_getehdr(elf_.get(), &header)) return false;
  if (elf_getphdrnum(elf_.get(), &count) != 0) return false;
  for (std::size_t i = 0; i < count; ++i) {
    GElf_Phdr segment{};
    if (!gelf_getphdr(elf_.get(), static_cast<int>(i), &segment)) return false;
    const bool is_executed = segment.p_type == PT_LOAD && (segment.p_flags & PF_X) != 0 && segment.p_filesz > 0;
    if (is_executed && segment.p_offset != header.e_phoff) return true;  // the table of segments is in one, too
  }
  return false;
}

std::vector<Code> ElfFile::code() const {
  std::vector<Code> all;
  for (const ElfSection& one : sections_) {
    if (const std::optional<Code> code = code_of(one)) all.push_back(*code);
  }
  return all;
}

}  // namespace frx::ingest::cubin
