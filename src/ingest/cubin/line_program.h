// Runs one line program: the opcodes of a small machine, which writes a row whenever the source line of
// the code changes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "ingest/cubin/file_table.h"
#include "ingest/cubin/line_header.h"
#include "ingest/cubin/line_table.h"

namespace frx::ingest::cubin {

// Rows of contiguous code. Their offsets count from the start address of the code.
struct LineSequence {
  std::size_t operand = 0;    // position of that address in .debug_line: a relocation may be there
  std::uint64_t address = 0;  // the value stored there
  std::vector<LineTable::Row> rows;
};

// The combined rows of all programs of a cubin.
struct LineSequences {
  FileTable files;
  std::vector<LineTable::Call> calls;
  std::vector<LineSequence> all;
};

// Runs the program after `header` and adds its rows. Malformed: an opcode is cut off, code of more than
// 4 GB, or more file names than a cubin could need.
Result<> run_line_program(const LineHeader& header, std::string_view debug_line, LineSequences& out);

}  // namespace frx::ingest::cubin
