#include "ingest/cubin/line_table.h"

#include <gtest/gtest.h>

#include "ingest/cubin/testing.h"

namespace frx::ingest::cubin {
namespace {

using testing::ElfWriter;
using testing::line_unit;
using testing::number;
using testing::old_tables;
using testing::Opcodes;
using testing::Sketch;
using testing::text;
using testing::two_kernels;
using testing::uleb;

LineTable table_of(const std::string& elf) {
  Result<LineTable> table = read_line_table(elf);
  if (table) return std::move(*table);
  ADD_FAILURE() << to_string(table.error());
  return {};
}

std::string refusal_of(const std::string& elf) {
  const Result<LineTable> table = read_line_table(elf);
  return table ? "" : table.error().message;
}

// "file:line" of an instruction, "-" when it has none.
std::string place(const LineTable& table, std::string_view function, std::uint32_t offset) {
  const std::optional<LineTable::Place> found = table.at(function, offset);
  return found ? std::string(found->file) + ":" + std::to_string(found->line) : "-";
}

// One function `one` of 64 bytes with these opcodes.
Sketch one_kernel(const Opcodes& opcodes, int version = 2) {
  Sketch sketch;
  sketch.functions = {{"one", 64}};
  sketch.line = line_unit(version, old_tables(), opcodes.bytes());
  sketch.relocate_in_order();
  return sketch;
}

TEST(LineTable, FindsTheLineWhoseRangeCoversTheOffset) {
  const LineTable table = table_of(two_kernels().bytes());
  EXPECT_EQ(place(table, "alpha", 0), "/src/kernel.cu:10");
  EXPECT_EQ(place(table, "alpha", 0xF), "/src/kernel.cu:10");
  EXPECT_EQ(place(table, "alpha", 0x30), "/src/kernel.cu:13");
  EXPECT_EQ(place(table, "alpha", 0x3F), "/src/kernel.cu:13");
}

TEST(LineTable, HasNothingBehindTheEndAndForOtherFunctions) {
  const LineTable table = table_of(two_kernels().bytes());
  EXPECT_EQ(place(table, "alpha", 0x40), "-");
  EXPECT_EQ(place(table, "alpha", 0xFFFFFFFF), "-");
  EXPECT_EQ(place(table, "gamma", 0), "-");
  EXPECT_TRUE(table.call_stack("alpha", 0x40).empty());
}

TEST(LineTable, TellsFunctionsApartByTheirRelocations) {
  Sketch sketch = two_kernels();
  EXPECT_EQ(place(table_of(sketch.bytes()), "beta", 0x10), "/src/kernel.cu:21");
  EXPECT_EQ(place(table_of(sketch.bytes()), "beta", 0x20), "/src/kernel.cu:28");
  std::swap(sketch.fixups[0].function, sketch.fixups[1].function);
  EXPECT_EQ(place(table_of(sketch.bytes()), "alpha", 0x10), "/src/kernel.cu:21");
}

TEST(LineTable, TakesTheInnermostPlaceOfInlinedCode) {
  const LineTable table = table_of(two_kernels().bytes());
  EXPECT_EQ(place(table, "alpha", 0x10), "inc/tool.h:7");
  EXPECT_EQ(place(table, "alpha", 0x20), "inc/tool.h:3");
}

TEST(LineTable, KnowsWhereInlinedCodeWasCalled) {
  const LineTable table = table_of(two_kernels().bytes());
  using Places = std::vector<LineTable::Place>;
  EXPECT_EQ(table.call_stack("alpha", 0x20), (Places{{"inc/tool.h", 3}, {"inc/tool.h", 7}, {"/src/kernel.cu", 12}}));
  EXPECT_EQ(table.call_stack("alpha", 0x30), (Places{{"/src/kernel.cu", 13}}));
}

TEST(LineTable, KeepsTheFilesThatHaveCode) {
  EXPECT_EQ(table_of(two_kernels().bytes()).files, (std::vector<std::string>{"/src/kernel.cu", "inc/tool.h"}));
}

TEST(LineTable, IgnoresCallersThatAreNoRow) {
  const Opcodes opcodes = Opcodes().begin().row().inlined(7).line(1).row().advance(64).end();
  EXPECT_EQ(table_of(one_kernel(opcodes).bytes()).call_stack("one", 0).size(), 1);
}

TEST(LineTable, ReadsAddendsOfRelocations) {
  Sketch sketch = two_kernels();
  sketch.addends = true;
  sketch.functions[1].size = 0x140;
  sketch.fixups[1].addend = 0x100;
  const LineTable table = table_of(sketch.bytes());
  EXPECT_EQ(place(table, "beta", 0x10), "-");
  EXPECT_EQ(place(table, "beta", 0x110), "/src/kernel.cu:21");
}

TEST(LineTable, ReadsRelocationsThatReferToTheWrongSection) {
  Sketch sketch = two_kernels();
  sketch.refers_to_symbols = false;
  EXPECT_EQ(place(table_of(sketch.bytes()), "beta", 0x10), "/src/kernel.cu:21");
}

TEST(LineTable, ReadsACubinThatWasLoadedToAnAddress) {
  constexpr std::uint64_t address = 0xB00BA3D00;
  Sketch sketch = one_kernel(Opcodes().begin(address).line(4).advance(16).row().advance(48).end());
  sketch.functions[0].value = address;
  const LineTable table = table_of(sketch.bytes());
  EXPECT_EQ(place(table, "one", 0), "-");
  EXPECT_EQ(place(table, "one", 16), "/src/kernel.cu:5");
}

TEST(LineTable, LeavesOutCopiesThatTheLinkerLeftOut) {
  Sketch sketch = two_kernels();
  sketch.fixups.erase(sketch.fixups.begin());
  const LineTable table = table_of(sketch.bytes());
  EXPECT_EQ(table.functions.size(), 1);
  EXPECT_EQ(place(table, "beta", 0), "/src/kernel.cu:20");
}

TEST(LineTable, NeedsNoRelocationWhenThereIsOneFunction) {
  Sketch sketch = one_kernel(Opcodes().begin().line(4).row().advance(64).end());
  sketch.fixups.clear();
  EXPECT_EQ(place(table_of(sketch.bytes()), "one", 8), "/src/kernel.cu:5");
  sketch.functions.push_back({"two", 64});
  EXPECT_TRUE(table_of(sketch.bytes()).functions.empty());
}

TEST(LineTable, KeepsTheFirstOfTwoCopiesOfAFunction) {
  Sketch sketch = two_kernels();
  sketch.fixups[1].function = 0;
  const LineTable table = table_of(sketch.bytes());
  EXPECT_EQ(place(table, "alpha", 0), "/src/kernel.cu:10");
  EXPECT_EQ(table.functions.at("alpha").size(), 6);
}

TEST(LineTable, ReadsEveryProgramOfTheSection) {
  Sketch sketch;
  sketch.functions = {{"one", 64}, {"two", 64}};
  sketch.line =
      line_unit(2, old_tables(), Opcodes().begin().row().advance(64).end().bytes()) +
      line_unit(4, text("") + text("/b.cu") + std::string(3, '\0') + text(""), Opcodes().begin().line(1).row().advance(64).end().bytes());
  sketch.relocate_in_order();
  const LineTable table = table_of(sketch.bytes());
  EXPECT_EQ(place(table, "one", 0), "/src/kernel.cu:1");
  EXPECT_EQ(place(table, "two", 0), "/b.cu:2");
}

TEST(LineTable, ReadsStandardOpcodes) {
  using namespace std::string_view_literals;
  // Column 3, not a statement, a block, 17 bytes; then 16 bytes, two marks and an ISA.
  const Opcodes opcodes =
      Opcodes().begin().raw("\x05\x03\x06\x07\x08"sv).row().raw("\x09\x10\0"sv).raw("\x0A\x0B\x0C\x05"sv).line(1).row().advance(9).end();
  const LineTable table = table_of(one_kernel(opcodes, 3).bytes());
  const std::vector<LineTable::Row>& rows = table.functions.at("one");
  ASSERT_EQ(rows.size(), 3);
  EXPECT_EQ(rows[0], (LineTable::Row{17, 0, 1}));
  EXPECT_EQ(rows[1], (LineTable::Row{33, 0, 2}));
  EXPECT_EQ(rows[2], (LineTable::Row{42, 0, 0}));
}

TEST(LineTable, PassesOverOpcodesItDoesNotKnow) {
  using namespace std::string_view_literals;
  const Opcodes opcodes =
      Opcodes().extended(0x91, "name").begin().extended(0x80, "what?").raw("\x0D\x85\x01"sv).line(6).row().advance(64).end();
  EXPECT_EQ(place(table_of(one_kernel(opcodes, 3).bytes()), "one", 0), "/src/kernel.cu:7");
}

TEST(LineTable, AddsFilesThatTheProgramDefines) {
  const Opcodes opcodes = Opcodes().extended(3, text("late.cu") + uleb(1) + uleb(0) + uleb(0)).begin().file(4).row().advance(64).end();
  EXPECT_EQ(place(table_of(one_kernel(opcodes).bytes()), "one", 0), "/src/late.cu:1");
}

TEST(LineTable, HasNoPlaceForLineZeroAndUnknownFiles) {
  const Opcodes opcodes = Opcodes().begin().line(-1).row().advance(16).line(5).file(9).row().advance(16).file(3).row().advance(32).end();
  const LineTable table = table_of(one_kernel(opcodes).bytes());
  EXPECT_EQ(place(table, "one", 0), "-");
  EXPECT_EQ(place(table, "one", 16), "-");
  EXPECT_EQ(place(table, "one", 32), "main.cu:5");
}

// Folders as texts in .debug_line_str, files with a checksum that is skipped and a folder.
std::string new_tables() {
  const std::string folders = uleb(1) + uleb(1) + uleb(0x1F) + uleb(2) + number(0, 4) + number(6, 4);
  const std::string fields = uleb(3) + uleb(1) + uleb(0x0E) + uleb(2) + uleb(0x0B) + uleb(5) + uleb(0x1E);
  const std::string sum(16, 'x');
  return folders + fields + uleb(2) + number(0, 4) + number(0, 1) + sum + number(5, 4) + number(1, 1) + sum;
}

TEST(LineTable, ReadsTheTablesOfVersion5) {
  Sketch sketch = one_kernel({});
  const Opcodes opcodes = Opcodes().begin().file(0).row().advance(16).file(1).line(2).row().advance(48).end();
  sketch.line = line_unit(5, new_tables(), opcodes.bytes());
  sketch.line_text = text("/home") + text("inc");
  sketch.debug_text = text("a.cu") + text("b.h");
  sketch.relocate_in_order();
  const LineTable table = table_of(sketch.bytes());
  EXPECT_EQ(place(table, "one", 0), "/home/a.cu:1");
  EXPECT_EQ(place(table, "one", 16), "/home/inc/b.h:3");
}

TEST(LineTable, ReadsProgramsOfThe64BitFormat) {
  Sketch sketch = one_kernel({});
  const std::string small = line_unit(2, old_tables(), Opcodes().begin().line(7).row().advance(64).end().bytes());
  const std::string body = small.substr(4, 2) + small.substr(6, 4) + number(0, 4) + small.substr(10);
  sketch.line = number(0xFFFFFFFF, 4) + number(body.size(), 8) + body;
  sketch.relocate_in_order();
  EXPECT_EQ(place(table_of(sketch.bytes()), "one", 0), "/src/kernel.cu:8");
}

TEST(LineTable, IsEmptyForACubinWithoutLines) {
  Sketch sketch;
  sketch.functions = {{"one", 64}};
  const std::string elf = sketch.bytes();
  EXPECT_TRUE(table_of(elf).functions.empty());
  EXPECT_FALSE(has_line_info(elf));
  EXPECT_TRUE(has_line_info(two_kernels().bytes()));
}

TEST(LineTable, RefusesWhatIsNoCubin) {
  EXPECT_EQ(refusal_of(""), "expected a cubin, found no ELF file");
  EXPECT_EQ(refusal_of("!<arch>\n"), "expected a cubin, found no ELF file");
  EXPECT_FALSE(has_line_info("PTX"));
  Sketch sketch = two_kernels();
  sketch.machine = 62;
  EXPECT_EQ(refusal_of(sketch.bytes()), "expected a cubin (little-endian ELF for machine 190), found machine 62");
}

TEST(LineTable, RefusesProgramsItCannotRun) {
  Sketch sketch = two_kernels();
  sketch.line[4] = 6;
  EXPECT_EQ(refusal_of(sketch.bytes()), "expected lines in DWARF 2 to 5, found version 6 at 0x0");
  sketch = two_kernels();
  sketch.line[0] = '\xFF';
  EXPECT_EQ(refusal_of(sketch.bytes()), "expected a line program at 0x0, found the end of .debug_line");
  sketch = two_kernels();
  sketch.line[7] = '\xFF';
  EXPECT_EQ(refusal_of(sketch.bytes()), "expected the header of the line program at 0x0 within it");
  sketch = two_kernels();
  sketch.line[13] = 0;  // line_range, which is a divisor
  EXPECT_EQ(refusal_of(sketch.bytes()), "expected a whole header of the line program at 0x0");
}

TEST(LineTable, RefusesCodeOfMoreThan4GB) {
  const std::string message = "expected functions of less than 4 GB in a cubin, found lines further on";
  EXPECT_EQ(refusal_of(one_kernel(Opcodes().begin().row().advance(0x100000000).end()).bytes()), message);
  EXPECT_EQ(refusal_of(one_kernel(Opcodes().begin().row().advance(0xFFFFFFFF).row().advance(1).end()).bytes()), message);
  Sketch sketch = one_kernel(Opcodes().begin().row().end());
  sketch.addends = true;
  sketch.fixups[0].addend = -16;
  EXPECT_EQ(refusal_of(sketch.bytes()), message);
}

TEST(LineTable, RefusesRecordsWithoutFields) {
  Sketch sketch = one_kernel({});
  sketch.line = line_unit(5, uleb(0) + uleb(std::uint64_t{1} << 60), "");
  EXPECT_EQ(refusal_of(sketch.bytes()), "expected fields of 1152921504606846976 files, found none");
}

// Thousands of files that share one long folder, each in some line: far more bytes of names than the file has.
TEST(LineTable, RefusesNamesThatWouldFillTheMemory) {
  std::string tables = text(std::string(4000, 'f')) + text("");
  Opcodes opcodes;
  opcodes.begin();
  for (std::uint64_t i = 0; i < 5000; ++i) {
    tables += text(std::to_string(i)) + uleb(1) + uleb(0) + uleb(0);
    opcodes.file(i + 1).row();
  }
  Sketch sketch = one_kernel({});
  sketch.line = line_unit(2, tables + text(""), opcodes.bytes());
  EXPECT_EQ(refusal_of(sketch.bytes()), "expected less than 16 MB of file names in a cubin");
}

TEST(LineTable, SurvivesACutAtEveryByte) {
  const std::string elf = two_kernels().bytes();
  for (std::size_t size = 0; size < elf.size(); ++size) {
    const std::string cut = elf.substr(0, size);
    const Result<LineTable> table = read_line_table(cut);
    EXPECT_TRUE(!table || table->functions.size() <= 2) << size;
  }
}

TEST(LineTable, SurvivesALineProgramCutAtEveryByte) {
  const Sketch whole = two_kernels();
  for (std::size_t size = 1; size < whole.line.size(); ++size) {
    Sketch sketch = whole;
    sketch.line.resize(size);
    EXPECT_NE(refusal_of(sketch.bytes()), "") << size;
    if (size < 10) continue;
    sketch.line.replace(0, 4, number(size - 4, 4));  // a program with its correct length
    (void)read_line_table(sketch.bytes());
  }
}

TEST(LineTable, SurvivesEveryByteChanged) {
  const std::string elf = two_kernels().bytes();
  for (std::size_t i = 0; i < elf.size(); ++i) {
    for (const char other : {'\0', '\x01', '\x7F', '\xFF'}) {
      std::string changed = elf;
      changed[i] = other;
      (void)read_line_table(changed);
    }
  }
}

TEST(DebugBuild, IsToldByWhereVariablesLiveInRegisters) {
  ElfWriter debug(190), lines(190);
  debug.section(".debug_line", 1, "x", 0);
  debug.section(".nv_debug_info_reg_sass", 1, "x", 0);
  lines.section(".debug_line", 1, "x", 0);
  lines.section(".debug_info", 1, "x", 0);  // of a compiler that writes tables of lines this way
  EXPECT_TRUE(is_debug_build(debug.bytes()));
  EXPECT_FALSE(is_debug_build(lines.bytes()));
  EXPECT_FALSE(is_debug_build("not an ELF file"));
}

}  // namespace
}  // namespace frx::ingest::cubin
