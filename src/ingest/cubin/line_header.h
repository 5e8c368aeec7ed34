// The header of one line program: the encoding of its opcodes, and the files it refers to. DWARF 2 to 5.
//
//   unit_length 4 (or FFFFFFFF and 8), version 2, [5: address_size 1, segment_selector_size 1],
//   header_length 4 (or 8), minimum_instruction_length 1, [4, 5: operations 1], default_is_stmt 1,
//   line_base 1, line_range 1, opcode_base 1, operand counts (opcode_base - 1), folders, files
//
// Up to version 4 folders and files are texts, numbered from 1; in version 5 they are records whose
// fields are listed first, numbered from 0. The program begins where header_length says: nvcc leaves four
// bytes of its own between the files and it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace frx::ingest::cubin {

// The sections a line program may refer to.
struct DebugSections {
  std::string_view line;       // .debug_line
  std::string_view line_text;  // .debug_line_str
  std::string_view text;       // .debug_str
};

struct LineHeader {
  struct File {
    std::string_view name;
    std::uint64_t folder = 0;
  };

  std::uint16_t version = 0;
  std::uint8_t min_instruction_length = 1;  // bytes
  std::int8_t line_base = 0;
  std::uint8_t line_range = 1;            // not 0
  std::uint8_t opcode_base = 1;           // not 0
  std::string_view operand_counts;        // of opcode 1 and so on
  std::vector<std::string_view> folders;  // [0] is the folder of the compilation, "" when unknown
  std::vector<File> files;                // by number, so that files[0] is unused up to version 4
  std::size_t program = 0, end = 0;       // positions in .debug_line

  // Folder and name of a file; "" when no file has this number.
  std::string path(std::uint64_t number) const;
};

// The header at `position` of .debug_line.
Result<LineHeader> read_line_header(const DebugSections& sections, std::size_t position);

}  // namespace frx::ingest::cubin
