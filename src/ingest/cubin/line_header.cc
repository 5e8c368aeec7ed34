#include "ingest/cubin/line_header.h"

#include "ingest/cubin/byte_reader.h"

namespace frx::ingest::cubin {
namespace {

// The longest path that Linux accepts. A text that many files share could otherwise exhaust the memory.
constexpr std::size_t longest_path = 4096;

bool is_absolute(std::string_view path) { return path.starts_with('/') || path.starts_with('\\') || (path.size() > 1 && path[1] == ':'); }

// "" for one beyond all limits, as if it were missing.
std::string joined(std::string_view folder, std::string_view name) {
  if (folder.size() + name.size() >= longest_path) return {};
  if (folder.empty() || name.empty() || is_absolute(name)) return std::string(name);
  std::string path(folder);
  if (!folder.ends_with('/') && !folder.ends_with('\\')) path += '/';
  return path += name;
}

// DWARF 2 to 4: texts up to an empty one.
void read_old_tables(ByteReader& in, LineHeader& header) {
  header.folders.emplace_back();
  for (std::string_view folder = in.text(); !folder.empty(); folder = in.text()) header.folders.push_back(folder);
  header.files.emplace_back();
  for (std::string_view name = in.text(); !name.empty(); name = in.text()) {
    header.files.push_back({name, in.uleb()});
    in.uleb();  // time of change
    in.uleb();  // size
  }
}

// The encodings of a field that occur in tables of files (DW_FORM).
enum Form : std::uint64_t {
  form_data2 = 0x05,
  form_data4 = 0x06,
  form_data8 = 0x07,
  form_string = 0x08,
  form_block = 0x09,
  form_data1 = 0x0B,
  form_strp = 0x0E,
  form_udata = 0x0F,
  form_data16 = 0x1E,
  form_line_strp = 0x1F,
};
// The meaning of a field (DW_LNCT); others are skipped.
enum Content : std::uint64_t { content_path = 1, content_folder = 2 };

struct Field {
  std::uint64_t content = 0, form = 0;
};

// A value is a text or a number, whatever its form allows.
struct FieldValue {
  std::string_view text;
  std::uint64_t number = 0;
};

class RecordReader {
 public:
  RecordReader(ByteReader& in, const DebugSections& sections, std::size_t offset_width)
      : in_(in), sections_(sections), offset_width_(offset_width) {}

  // One table: the fields of its records, their number, the records.
  Result<std::vector<LineHeader::File>> table() {
    std::vector<Field> fields(in_.u8());
    for (Field& field : fields) field = {in_.uleb(), in_.uleb()};
    const std::uint64_t count = in_.uleb();
    if (fields.empty() && count > 0) return fail(ErrorKind::malformed, "expected fields of {} files, found none", count);
    std::vector<LineHeader::File> records;
    // Every field takes at least a byte, so `count` cannot exceed the remaining bytes.
    for (std::uint64_t i = 0; i < count && in_.ok(); ++i) {
      TRY_ASSIGN(const LineHeader::File file, record(fields));
      records.push_back(file);
    }
    return records;
  }

 private:
  Result<LineHeader::File> record(const std::vector<Field>& fields) {
    LineHeader::File file;
    for (const Field& field : fields) {
      TRY_ASSIGN(const FieldValue found, value(field.form));
      if (field.content == content_path) file.name = found.text;
      if (field.content == content_folder) file.folder = found.number;
    }
    return file;
  }

  Result<FieldValue> value(std::uint64_t form) {
    switch (form) {
      case form_string: return FieldValue{in_.text(), 0};
      case form_strp: return FieldValue{text_at(sections_.text, in_.number(offset_width_)), 0};
      case form_line_strp: return FieldValue{text_at(sections_.line_text, in_.number(offset_width_)), 0};
      case form_data1: return FieldValue{{}, in_.u8()};
      case form_data2: return FieldValue{{}, in_.u16()};
      case form_data4: return FieldValue{{}, in_.u32()};
      case form_data8: return FieldValue{{}, in_.number(8)};
      case form_udata: return FieldValue{{}, in_.uleb()};
      case form_data16: in_.take(16); return FieldValue{};
      case form_block: in_.take(in_.uleb()); return FieldValue{};
      default: return fail(ErrorKind::malformed, "expected a known form of a line table's field, found {:#x}", form);
    }
  }

  ByteReader& in_;
  const DebugSections& sections_;
  std::size_t offset_width_;
};

Result<> read_new_tables(ByteReader& in, const DebugSections& sections, std::size_t offset_width, LineHeader& header) {
  RecordReader records(in, sections, offset_width);
  TRY_ASSIGN(const std::vector<LineHeader::File> folders, records.table());
  for (const LineHeader::File& folder : folders) header.folders.push_back(folder.name);
  TRY_ASSIGN(header.files, records.table());
  return {};
}

// The numbers between header_length and the tables.
void read_opcode_rules(ByteReader& in, LineHeader& header) {
  header.min_instruction_length = in.u8();
  if (header.version >= 4) in.u8();  // operations per instruction: more than one on VLIW machines only
  in.u8();                           // default_is_stmt
  header.line_base = static_cast<std::int8_t>(in.u8());
  header.line_range = in.u8();
  header.opcode_base = in.u8();
  if (header.opcode_base > 0) header.operand_counts = in.take(header.opcode_base - 1u);
}

Result<> read_tables(ByteReader& in, const DebugSections& sections, std::size_t offset_width, LineHeader& header) {
  if (header.version >= 5) return read_new_tables(in, sections, offset_width, header);
  read_old_tables(in, header);
  return {};
}

// The position of one program after its length field, and the width of its section offsets.
struct Extent {
  std::size_t begin = 0, end = 0, offset_width = 4;
};

Result<Extent> read_extent(std::string_view section, std::size_t position) {
  ByteReader in(section, position);
  Extent extent;
  std::uint64_t length = in.u32();
  if (length == 0xFFFFFFFF) {
    extent.offset_width = 8;
    length = in.number(8);
  }
  if (!in.ok() || length > section.size() - in.position()) {
    return fail(ErrorKind::malformed, "expected a line program at {:#x}, found the end of .debug_line", position);
  }
  extent.begin = in.position();
  extent.end = extent.begin + length;
  return extent;
}

}  // namespace

std::string LineHeader::path(std::uint64_t number) const {
  if (number >= files.size()) return {};
  const File& file = files[number];
  const std::string_view folder = file.folder < folders.size() ? folders[file.folder] : std::string_view();
  // A folder is relative to that of the compilation.
  if (file.folder == 0 || folders.empty() || is_absolute(folder)) return joined(folder, file.name);
  return joined(joined(folders[0], folder), file.name);
}

Result<LineHeader> read_line_header(const DebugSections& sections, std::size_t position) {
  TRY_ASSIGN(const Extent extent, read_extent(sections.line, position));
  LineHeader header;
  header.end = extent.end;
  ByteReader in(sections.line.substr(0, extent.end), extent.begin);
  header.version = in.u16();
  if (header.version < 2 || header.version > 5) {
    return fail(ErrorKind::malformed, "expected lines in DWARF 2 to 5, found version {} at {:#x}", header.version, position);
  }
  if (header.version >= 5) in.u16();  // sizes of an address and of a segment selector
  const std::uint64_t header_length = in.number(extent.offset_width);
  if (!in.ok() || header_length > extent.end - in.position()) {
    return fail(ErrorKind::malformed, "expected the header of the line program at {:#x} within it", position);
  }
  header.program = in.position() + header_length;
  ByteReader tables(sections.line.substr(0, header.program), in.position());
  read_opcode_rules(tables, header);
  TRY(read_tables(tables, sections, extent.offset_width, header));
  if (!tables.ok() || header.line_range == 0 || header.opcode_base == 0) {
    return fail(ErrorKind::malformed, "expected a whole header of the line program at {:#x}", position);
  }
  return header;
}

}  // namespace frx::ingest::cubin
