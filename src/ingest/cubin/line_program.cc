#include "ingest/cubin/line_program.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "ingest/cubin/byte_reader.h"

namespace frx::ingest::cubin {
namespace {

enum Standard : std::uint8_t {
  copy = 1,
  advance_pc,
  advance_line,
  set_file,
  set_column,
  negate_stmt,
  set_basic_block,
  const_add_pc,
  fixed_advance_pc,
  set_prologue_end,
  set_epilogue_begin,
  set_isa,
};
// 0x90 is an extension of NVIDIA: the rows that follow are of inlined code. The name of the inlined function, its second operand or that of
// 0x91, is not needed for lines.
enum Extended : std::uint8_t { end_sequence = 1, set_address = 2, define_file = 3, inlined_call = 0x90 };

class Machine {
 public:
  Machine(const LineHeader& header, std::string_view debug_line, LineSequences& out)
      : header_(header), in_(debug_line.substr(0, header.end), header.program), out_(out), files_(header, out.files) {}

  Result<> run();

 private:
  Result<> special(std::uint8_t opcode);
  Result<> standard(std::uint8_t opcode);
  Result<> extended();
  Result<> address(std::size_t width);
  Result<> advance(std::uint64_t instructions);
  Result<> row();
  void call(std::uint64_t row_number);
  void begin_code(std::size_t operand, std::uint64_t address);
  void keep();

  const LineHeader& header_;
  ByteReader in_;
  LineSequences& out_;
  FilesOfProgram files_;

  // The state that opcodes change; an end of sequence resets it.
  struct State {
    LineSequence sequence;
    std::uint64_t offset = 0;
    std::uint64_t file = 1;
    std::uint32_t line = 1;
    std::uint32_t call = LineTable::none;
  };
  State now_;
};

Result<> Machine::run() {
  while (!in_.at_end()) {
    const std::uint8_t opcode = in_.u8();
    if (opcode >= header_.opcode_base) {
      TRY(special(opcode));
    } else if (opcode == 0) {
      TRY(extended());
    } else {
      TRY(standard(opcode));
    }
  }
  if (!in_.ok()) return fail(ErrorKind::malformed, "expected whole opcodes in .debug_line, found one cut off");
  keep();
  return {};
}

// One byte for both: some instructions further, and a line a little up or down.
Result<> Machine::special(std::uint8_t opcode) {
  const int distance = opcode - header_.opcode_base;
  now_.line += static_cast<std::uint32_t>(header_.line_base + distance % header_.line_range);
  TRY(advance(static_cast<std::uint64_t>(distance / header_.line_range)));
  return row();
}

Result<> Machine::standard(std::uint8_t opcode) {
  switch (opcode) {
    case copy: return row();
    case advance_pc: return advance(in_.uleb());
    case advance_line: now_.line += static_cast<std::uint32_t>(in_.sleb()); return {};
    case set_file: now_.file = in_.uleb(); return {};
    case const_add_pc: return advance((255u - header_.opcode_base) / header_.line_range);
    case fixed_advance_pc: now_.offset += in_.u16(); return advance(0);  // in bytes, unlike the others
    case negate_stmt:
    case set_basic_block:
    case set_prologue_end:
    case set_epilogue_begin: return {};
    case set_column:
    case set_isa: in_.uleb(); return {};
    default:
      for (int i = 0; i < static_cast<unsigned char>(header_.operand_counts[opcode - 1u]); ++i) in_.uleb();
      return {};
  }
}

Result<> Machine::extended() {
  const std::uint64_t size = in_.uleb();
  if (size == 0) return {};  // zero bytes after the last sequence
  const std::size_t begin = in_.position();
  const std::string_view bytes = in_.take(size);
  if (!in_.ok()) return {};
  ByteReader operands(bytes, 1);
  switch (static_cast<unsigned char>(bytes[0])) {
    case end_sequence:
      now_.sequence.rows.push_back({static_cast<std::uint32_t>(now_.offset), 0, 0, LineTable::none});
      keep();
      now_ = {};
      break;
    case set_address: begin_code(begin + 1, operands.number(std::min<std::size_t>(size - 1, 8))); break;
    case define_file: {
      const std::string_view name = operands.text();
      files_.add({name, operands.uleb()});
      break;
    }
    case inlined_call: call(operands.uleb()); break;
    default: break;
  }
  return {};
}

Result<> Machine::advance(std::uint64_t instructions) {
  constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
  if (instructions <= most) now_.offset += instructions * header_.min_instruction_length;
  if (instructions > most || now_.offset > most) {
    return fail(ErrorKind::malformed, "expected functions of less than 4 GB in a cubin, found lines further on");
  }
  return {};
}

Result<> Machine::row() {
  TRY_ASSIGN(const std::uint32_t file, files_.number_of(now_.file));
  const auto offset = static_cast<std::uint32_t>(now_.offset);
  if (file == LineTable::none) {
    now_.sequence.rows.push_back({offset, 0, 0, LineTable::none});
  } else {
    now_.sequence.rows.push_back({offset, file, now_.line, now_.call});
  }
  return {};
}

// The call site is given as the number of a row of this sequence, from 1; 0 ends the inlined code.
void Machine::call(std::uint64_t row_number) {
  now_.call = LineTable::none;
  if (row_number == 0 || row_number > now_.sequence.rows.size()) return;
  const LineTable::Row& caller = now_.sequence.rows[row_number - 1];
  if (caller.line == 0) return;
  now_.call = static_cast<std::uint32_t>(out_.calls.size());
  out_.calls.push_back({caller.file, caller.line, caller.call});
}

// A new sequence may begin without the end of the one before; file and line continue then.
void Machine::begin_code(std::size_t operand, std::uint64_t address) {
  keep();
  now_.offset = 0;
  now_.sequence.operand = operand;
  now_.sequence.address = address;
}

void Machine::keep() {
  if (!now_.sequence.rows.empty()) out_.all.push_back(std::exchange(now_.sequence, {}));
}

}  // namespace

Result<> run_line_program(const LineHeader& header, std::string_view debug_line, LineSequences& out) {
  return Machine(header, debug_line, out).run();
}

}  // namespace frx::ingest::cubin
