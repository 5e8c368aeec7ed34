// Source lines of the code in a cubin: function and offset of an instruction -> file and line.
//
// They exist when the program was compiled with -lineinfo or -G. The cubin stores them as a DWARF line program (section .debug_line), which
// nvcc writes as version 2 with extensions of NVIDIA for the call sites of inlined code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace frx::ingest::cubin {

struct LineTable {
  static constexpr std::uint32_t none = 0xFFFFFFFF;

  // From this offset (bytes from the begin of the function) up to that of the next row. Offsets ascend; of
  // several rows at one offset the last holds. Line 0: no line, as after the end of the code.
  struct Row {
    std::uint32_t offset = 0;
    std::uint32_t file = 0;     // index into files
    std::uint32_t line = 0;     // from 1
    std::uint32_t call = none;  // index into calls when the code was inlined there
    friend bool operator==(const Row&, const Row&) = default;
  };
  // A call site of inlined code, which may be inlined itself (`call`, always an earlier one).
  struct Call {
    std::uint32_t file = 0, line = 0, call = none;
  };
  // `file` is valid as long as the table.
  struct Place {
    std::string_view file;
    std::uint32_t line = 0;
    friend bool operator==(const Place&, const Place&) = default;
  };

  std::vector<std::string> files;  // as given to the compiler, with folder; bytes, maybe not UTF-8
  std::vector<Call> calls;
  std::map<std::string, std::vector<Row>, std::less<>> functions;  // by mangled name

  // Where the instruction at `offset` was written.
  std::optional<Place> at(std::string_view function, std::uint32_t offset) const;
  // The same, then the call that led there when it was inlined, then the call of that; the last one is in
  // the function itself. Empty when at() is.
  std::vector<Place> call_stack(std::string_view function, std::uint32_t offset) const;

 private:
  const Row* row_at(std::string_view function, std::uint32_t offset) const;
};

// An empty table for a cubin without lines. Malformed: no cubin, or a line program that cannot be decoded.
// Memory and time grow with the size of `elf`, whatever it contains.
Result<LineTable> read_line_table(std::string_view elf);

// Whether it is worth reading: checks the names of the sections only.
bool has_line_info(std::string_view elf);

// Whether the assembler was told to make code for a debugger (nvcc -G): it then writes where each variable lives in registers, and
// optimises nothing. Line tables (-lineinfo) and the debug sections of other compilers are no sign of it.
bool is_debug_build(std::string_view elf);

}  // namespace frx::ingest::cubin
