// 64-bit ELF files: sections stay where their headers say while headers, tables and content are changed.
#include <elf.h>

#include <cstddef>
#include <vector>

#include "fuzz/mutate/bytes.h"
#include "fuzz/mutate/changes.h"

namespace frx::fuzz {
namespace {

struct Place {
  std::size_t at, width;
};

constexpr Place header_fields[] = {
    {offsetof(Elf64_Ehdr, e_type), 2},      {offsetof(Elf64_Ehdr, e_machine), 2},  {offsetof(Elf64_Ehdr, e_flags), 4},
    {offsetof(Elf64_Ehdr, e_shoff), 8},     {offsetof(Elf64_Ehdr, e_shnum), 2},    {offsetof(Elf64_Ehdr, e_shstrndx), 2},
    {offsetof(Elf64_Ehdr, e_shentsize), 2}, {offsetof(Elf64_Ehdr, e_phoff), 8},    {offsetof(Elf64_Ehdr, e_phnum), 2},
    {offsetof(Elf64_Ehdr, e_ident) + 4, 1}, {offsetof(Elf64_Ehdr, e_ident) + 7, 1}};
constexpr Place section_fields[] = {{offsetof(Elf64_Shdr, sh_name), 4},    {offsetof(Elf64_Shdr, sh_type), 4},
                                    {offsetof(Elf64_Shdr, sh_offset), 8},  {offsetof(Elf64_Shdr, sh_size), 8},
                                    {offsetof(Elf64_Shdr, sh_link), 4},    {offsetof(Elf64_Shdr, sh_info), 4},
                                    {offsetof(Elf64_Shdr, sh_entsize), 8}, {offsetof(Elf64_Shdr, sh_flags), 8}};
constexpr std::size_t section_header = sizeof(Elf64_Shdr);

class File {
 public:
  File(std::string& bytes, Changes& changes)
      : bytes_(bytes),
        changes_(changes),
        table_(number_at(bytes, offsetof(Elf64_Ehdr, e_shoff), 8)),
        sections_(number_at(bytes, offsetof(Elf64_Ehdr, e_shnum), 2)) {}

  bool is_usable() const { return sections_ > 0 && table_ < bytes_.size() && bytes_.size() - table_ >= sections_ * section_header; }

  void change() {
    switch (changes_.below(8)) {
      case 0: return set(0, header_fields[changes_.below(std::size(header_fields))]);
      case 1: return set(any(), section_fields[changes_.below(std::size(section_fields))]);
      case 2: return copy_header();
      case 3: return repeat_headers();
      case 4: return change_word();
      case 5: return repeat_content();
      default: return change_content();
    }
  }

 private:
  std::size_t any() const { return table_ + changes_.below(sections_) * section_header; }
  std::uint64_t offset(std::size_t header) const { return number_at(bytes_, header + offsetof(Elf64_Shdr, sh_offset), 8); }
  std::uint64_t size(std::size_t header) const { return number_at(bytes_, header + offsetof(Elf64_Shdr, sh_size), 8); }

  // To a number at which code breaks, one near the old one, or the same field of another section.
  void set(std::size_t at, Place field) {
    const std::uint64_t now = number_at(bytes_, at + field.at, field.width);
    const std::uint64_t values[] = {
        changes_.number(), now + 1, now - 1, now * 2, bytes_.size() - now, number_at(bytes_, any() + field.at, field.width)};
    set_number(bytes_, at + field.at, field.width, values[changes_.below(std::size(values))]);
  }
  void copy_header() { bytes_.replace(any(), section_header, bytes_.substr(any(), section_header)); }

  // The table of sections at the end of the file, with one of them once more, or very often.
  void repeat_headers() {
    const std::string one = bytes_.substr(any(), section_header);
    std::string table = bytes_.substr(table_, sections_ * section_header);
    const std::size_t times = changes_.times(section_header);
    for (std::size_t i = 0; i < times; ++i) table += one;
    set_number(bytes_, offsetof(Elf64_Ehdr, e_shoff), 8, bytes_.size());
    set_number(bytes_, offsetof(Elf64_Ehdr, e_shnum), 2, sections_ + times);
    bytes_ += table;
  }

  // A number inside of a section: of a symbol, a relocation, an attribute, an instruction.
  void change_word() {
    const std::size_t header = any(), width = std::size_t{1} << changes_.below(4);
    const std::size_t at = offset(header) + changes_.below(size(header)) / width * width;
    const std::uint64_t now = number_at(bytes_, at, width);
    const std::uint64_t values[] = {changes_.number(), now + 1, now - 1, now ^ std::uint64_t{1} << changes_.below(64),
                                    number_at(bytes_, offset(header) + changes_.below(size(header)), width)};
    set_number(bytes_, at, width, values[changes_.below(std::size(values))]);
  }

  void move_to_end(std::size_t header, const std::string& content) {
    set_number(bytes_, header + offsetof(Elf64_Shdr, sh_offset), 8, bytes_.size());
    set_number(bytes_, header + offsetof(Elf64_Shdr, sh_size), 8, content.size());
    bytes_ += content;
  }

  void repeat_content() {
    const std::size_t header = any();
    const std::string content = piece(bytes_, offset(header), size(header));
    const std::size_t entry = number_at(bytes_, header + offsetof(Elf64_Shdr, sh_entsize), 8);
    const std::string part = entry > 0 && entry < content.size() ? content.substr(content.size() - entry) : content;
    std::string all = content;
    const std::size_t times = changes_.times(part.size());
    for (std::size_t i = 0; i < times; ++i) all += part;
    move_to_end(header, all);
  }

  void change_content() {
    const std::size_t header = any();
    std::string content = piece(bytes_, offset(header), size(header));
    if (content.size() > changes_.most()) return;
    const bool is_device_code = content.starts_with("\x50\xED\x55\xBA");
    is_device_code ? mutate_fatbin(content, changes_) : changes_.change(content);
    move_to_end(header, content);
  }

  std::string& bytes_;
  Changes& changes_;
  std::size_t table_, sections_;
};

}  // namespace

void mutate_elf(std::string& bytes, Changes& changes) {
  for (std::size_t left = 1 + changes.below(3); left > 0; --left) {
    File file(bytes, changes);
    if (!bytes.starts_with("\x7f"
                           "ELF") ||
        !file.is_usable())
      return changes.change(bytes);
    file.change();
  }
}

}  // namespace frx::fuzz
