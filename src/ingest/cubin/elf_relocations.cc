// The symbols, and which of them a place of a section refers to.
#include <gelf.h>
#include <libelf.h>

#include <algorithm>
#include <string>

#include "ingest/cubin/byte_reader.h"
#include "ingest/cubin/elf_file.h"

namespace frx::ingest::cubin {
namespace {

struct Entry {
  std::uint64_t position = 0, symbol = 0;
  std::optional<std::int64_t> addend;
};

// Entry `i` of a table of either kind; nullopt after the last.
std::optional<Entry> entry_at(Elf_Data* data, bool with_addend, int i) {
  if (with_addend) {
    GElf_Rela entry{};
    if (!gelf_getrela(data, i, &entry)) return std::nullopt;
    return Entry{entry.r_offset, GELF_R_SYM(entry.r_info), entry.r_addend};
  }
  GElf_Rel entry{};
  if (!gelf_getrel(data, i, &entry)) return std::nullopt;
  return Entry{entry.r_offset, GELF_R_SYM(entry.r_info), std::nullopt};
}

}  // namespace

// A relocatable cubin can have a table of either kind for one section.
Result<std::vector<Relocation>> ElfFile::relocations(std::string_view name) const {
  std::vector<Relocation> found;
  if (const ElfSection* const table = section_of(SHT_REL, ".rel" + std::string(name))) TRY(add_relocations(*table, found));
  if (const ElfSection* const table = section_of(SHT_RELA, ".rela" + std::string(name))) TRY(add_relocations(*table, found));
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.position < b.position; });
  return found;
}

Result<> ElfFile::add_relocations(const ElfSection& table, std::vector<Relocation>& found) const {
  // Tables of debug builds exist that refer to another section than the symbols; there is only one of those.
  const bool refers = table.link < sections_.size() && sections_[table.link].type == SHT_SYMTAB;
  const ElfSection* const symbols = refers ? &sections_[table.link] : section_of(SHT_SYMTAB, ".symtab");
  Elf_Data* const entries = elf_getdata(table.handle, nullptr);
  Elf_Data* const symbol_data = symbols ? elf_getdata(symbols->handle, nullptr) : nullptr;
  if (!entries || !symbol_data || symbols->link >= sections_.size()) {
    return fail(ErrorKind::malformed, "expected {} to hold relocations and to refer to symbols", table.name);
  }
  TRY_ASSIGN(const std::string_view names, bytes_of(sections_[symbols->link]));
  for (int i = 0; const std::optional<Entry> entry = entry_at(entries, table.type == SHT_RELA, i); ++i) {
    GElf_Sym symbol{};
    if (!gelf_getsym(symbol_data, static_cast<int>(entry->symbol), &symbol)) continue;
    found.push_back({entry->position, code_at(symbol.st_shndx, text_at(names, symbol.st_name)), symbol.st_value, entry->addend});
  }
  return {};
}

Result<std::vector<ElfSymbol>> ElfFile::symbols() const {
  const ElfSection* const table = section_of(SHT_SYMTAB, ".symtab");
  if (!table) return std::vector<ElfSymbol>();
  Elf_Data* const entries = elf_getdata(table->handle, nullptr);
  if (!entries || table->link >= sections_.size()) {
    return fail(ErrorKind::malformed, "expected .symtab to hold symbols and to refer to their names");
  }
  TRY_ASSIGN(const std::string_view names, bytes_of(sections_[table->link]));
  std::vector<ElfSymbol> found;
  GElf_Sym one{};
  std::size_t left = 4 * bytes_.size();  // as for the names of sections
  for (int i = 0; gelf_getsym(entries, i, &one); ++i) {
    found.push_back({static_cast<std::uint32_t>(i), text_at(names, one.st_name), one.st_shndx,
                     static_cast<std::uint8_t>(GELF_ST_TYPE(one.st_info)), one.st_other, one.st_value, one.st_size});
    if (found.back().name.size() > left) return fail(ErrorKind::malformed, "the names of the symbols overlap");
    left -= found.back().name.size();
  }
  return found;
}

// A function is identified by the name of its section: a symbol may also name code that was put into the function, `$kernel$callee`, and
// offsets count from the begin of the section all the same.
Code ElfFile::code_at(std::size_t section, std::string_view symbol) const {
  const std::optional<Code> code = section < sections_.size() ? code_of(sections_[section]) : std::nullopt;
  return code.value_or(Code{symbol, 0});
}

}  // namespace frx::ingest::cubin
