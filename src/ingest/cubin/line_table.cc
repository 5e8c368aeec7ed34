#include "ingest/cubin/line_table.h"

#include <algorithm>
#include <limits>

#include "ingest/cubin/elf_file.h"
#include "ingest/cubin/line_program.h"

namespace frx::ingest::cubin {
namespace {

constexpr std::string_view line_section = ".debug_line";

// The location of the code of a sequence.
struct Anchor {
  std::string_view function;
  std::uint64_t offset = 0;  // of its begin in the function
};

// Finds the function of a sequence. The address in the program is 0 in a cubin that a compiler wrote, and an address of GPU memory in one
// that was loaded; the relocation at its place identifies the function.
class Anchors {
 public:
  Anchors(std::vector<Relocation> relocations, std::vector<Code> code) : relocations_(std::move(relocations)), code_(std::move(code)) {}

  // nullopt for a copy that the linker left out: of a function defined in several files only one is kept, but the lines of all are, those
  // of the others without relocation.
  std::optional<Anchor> of(const LineSequence& sequence) const {
    const auto found = std::lower_bound(relocations_.begin(), relocations_.end(), sequence.operand,
                                        [](const Relocation& one, std::size_t at) { return one.position < at; });
    if (found != relocations_.end() && found->position == sequence.operand) return relocated(*found, sequence.address);
    if (!relocations_.empty() || code_.size() != 1) return std::nullopt;
    return Anchor{code_[0].function, within(code_[0], sequence.address)};
  }

 private:
  // An offset in the code, or a GPU address, which does not determine the offset.
  static std::uint64_t within(const Code& code, std::uint64_t value) { return value < code.size ? value : 0; }

  static Anchor relocated(const Relocation& relocation, std::uint64_t address) {
    const std::uint64_t symbol = within(relocation.code, relocation.symbol_value);
    const std::uint64_t addend = relocation.addend ? static_cast<std::uint64_t>(*relocation.addend) : within(relocation.code, address);
    return {relocation.code.function, symbol + addend};
  }

  std::vector<Relocation> relocations_;
  std::vector<Code> code_;
};

class TableBuilder {
 public:
  Result<> add(const Anchor& anchor, const std::vector<LineTable::Row>& rows) {
    constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
    if (anchor.offset > most || anchor.offset + rows.back().offset > most) {
      return fail(ErrorKind::malformed, "expected functions of less than 4 GB in a cubin, found lines further on");
    }
    TRY_ASSIGN(std::vector<LineTable::Row>* const to, rows_of(anchor.function));
    // A sequence that goes back is another copy of code that already has its lines.
    if (!to->empty() && anchor.offset + rows.front().offset < to->back().offset) return {};
    for (LineTable::Row row : rows) {
      row.offset += static_cast<std::uint32_t>(anchor.offset);
      to->push_back(row);
    }
    return {};
  }

  std::map<std::string, std::vector<LineTable::Row>, std::less<>> take() && { return std::move(functions_); }

 private:
  Result<std::vector<LineTable::Row>*> rows_of(std::string_view function) {
    // Names may overlap in the file, so that they can take more memory than its size.
    constexpr std::size_t max_bytes = std::size_t{64} << 20;
    if (const auto known = functions_.find(function); known != functions_.end()) return &known->second;
    name_bytes_ += function.size();
    if (name_bytes_ > max_bytes) return fail(ErrorKind::malformed, "expected less than 64 MB of function names in a cubin");
    return &functions_[std::string(function)];
  }

  std::map<std::string, std::vector<LineTable::Row>, std::less<>> functions_;
  std::size_t name_bytes_ = 0;
};

Result<LineSequences> read_sequences(const ElfFile& elf, std::string_view debug_line) {
  DebugSections sections{debug_line, {}, {}};
  TRY_ASSIGN(sections.line_text, elf.section(".debug_line_str"));
  TRY_ASSIGN(sections.text, elf.section(".debug_str"));
  LineSequences sequences;
  for (std::size_t position = 0; position < debug_line.size();) {
    TRY_ASSIGN(const LineHeader header, read_line_header(sections, position));
    TRY(run_line_program(header, debug_line, sequences));
    position = header.end;
  }
  return sequences;
}

}  // namespace

const LineTable::Row* LineTable::row_at(std::string_view function, std::uint32_t offset) const {
  const auto found = functions.find(function);
  if (found == functions.end()) return nullptr;
  const std::vector<Row>& rows = found->second;
  const auto after = std::upper_bound(rows.begin(), rows.end(), offset, [](std::uint32_t at, const Row& row) { return at < row.offset; });
  if (after == rows.begin()) return nullptr;
  const Row& row = *(after - 1);
  return row.line > 0 ? &row : nullptr;
}

std::optional<LineTable::Place> LineTable::at(std::string_view function, std::uint32_t offset) const {
  const Row* const row = row_at(function, offset);
  return row ? std::optional(Place{files[row->file], row->line}) : std::nullopt;
}

std::vector<LineTable::Place> LineTable::call_stack(std::string_view function, std::uint32_t offset) const {
  const Row* const row = row_at(function, offset);
  if (!row) return {};
  std::vector<Place> places{{files[row->file], row->line}};
  for (std::uint32_t call = row->call; call != none; call = calls[call].call) {
    places.push_back({files[calls[call].file], calls[call].line});
  }
  return places;
}

Result<LineTable> read_line_table(std::string_view elf) {
  TRY_ASSIGN(const ElfFile file, ElfFile::open(elf));
  TRY_ASSIGN(const std::string_view debug_line, file.section(line_section));
  TRY_ASSIGN(LineSequences sequences, read_sequences(file, debug_line));
  TRY_ASSIGN(std::vector<Relocation> relocations, file.relocations(line_section));
  const Anchors anchors(std::move(relocations), file.code());
  TableBuilder functions;
  for (const LineSequence& sequence : sequences.all) {
    const std::optional<Anchor> anchor = anchors.of(sequence);
    if (anchor && !anchor->function.empty()) TRY(functions.add(*anchor, sequence.rows));
  }
  LineTable table;
  table.files = std::move(sequences.files).take();
  table.calls = std::move(sequences.calls);
  table.functions = std::move(functions).take();
  return table;
}

bool has_line_info(std::string_view elf) {
  const Result<ElfFile> file = ElfFile::open(elf);
  if (!file) return false;
  const Result<std::string_view> section = file->section(line_section);
  return section && !section->empty();
}

bool is_debug_build(std::string_view elf) {
  const Result<ElfFile> file = ElfFile::open(elf);
  if (!file) return false;
  const Result<std::string_view> section = file->section(".nv_debug_info_reg_sass");
  return section && !section->empty();
}

}  // namespace frx::ingest::cubin
