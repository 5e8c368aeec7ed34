// A long text is read in pieces, by several threads: that changes nothing of what is read.
#include <fmt/format.h>

#include "base/parallel.h"
#include "ingest/ptx/testing.h"

namespace frx::ingest::ptx {
namespace {

// A function that has something in each array of a module, the names partly those of the functions before.
std::string function(int number) {
  return fmt::format(
      "// of function {0}\n.visible .entry k{0}(.param .u64 a{0}, .param .u32 n)\n{{\n"
      ".reg .pred %p<4>;\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n.shared .align 4 .b8 tile[{1}];\n"
      ".loc 1 {1} 3\nld.param.u64 %rd1, [a{0}];\nmov.u32 %r1, %tid.{2};\nmov.u32 %r2, %ctaid.x;\n"
      ".loc 2 7 5, function_name $text{3}, inlined_at 1 {1} 3\nL{3}:\nst.shared.u32 [tile+{3}], %r1;\n"
      "mov.b64 %rd2, 0x12345678{0:08x};\n@!%p1 bra L{3};\n"
      "to: .branchtargets L{3};\n@%p2 brx.idx %r2, to;\n{{ .reg .b32 %r<3>; add .s32 %r1, %r2, {0}; }}\n{4}ret;\n}}\n",
      number, 4 * (number % 50 + 1), "xyz"[number % 3], number % 7, number % 40 == 0 ? "add.s32 %r1 %r2;\n" : "");
}

constexpr std::string_view hidden =
    "/* nothing of this counts:\n}\n.visible .entry hidden()\n{ ret;\n}\n*/\n.global .align 8 .b8 table[16];\n.alias other, k1;\n";
constexpr std::string_view names = ".section .debug_str\n{\n$text1:\n.b8 95,90,65\n.b8 0\n$text2:\n.b8 66,0\n}\n";

std::string text_of(std::size_t bytes) {
  std::string text = ".version 8.0\n.target sm_90, debug\n.address_size 64\n.file 1 \"a.cu\"\n";
  for (int number = 0; text.size() < bytes; ++number) {
    text += function(number);
    if (number % 100 == 17) text += hidden;
    if (number % 500 == 3) text += ".version 7.0\n.target sm_50\n.file 2 \"b.cu\"\n" + std::string(names);
    if (number == 700) text += "}\nstray;\n.visible .entry\n.func broken( { mov.u32 ";
  }
  return text;
}

model::Module read_by(std::size_t threads, const std::string& text) {
  set_most_threads(threads);
  Result<model::Module> module = read_module("long.ptx", text);
  set_most_threads(0);
  EXPECT_TRUE(module);
  return module ? std::move(*module) : model::Module();
}

std::string described(const model::Range& range) { return fmt::format("{}-{} ", range.begin, range.end); }

std::string described(const model::Function& it) {
  std::string text = fmt::format("{} {} {} {} {} ", it.name, it.line, it.register_count, it.has_body, it.is_complete);
  for (const model::Range& range : {it.parameters, it.returns, it.variables, it.banks, it.instructions, it.operands, it.labels, it.places})
    text += described(range);
  return text;
}

std::string described(const model::Instruction& it) {
  return fmt::format("{} {} {} {} {} {} {}", it.form, it.first_operand, it.predicate, it.line, it.place, it.operand_count,
                     it.predicate_negated);
}
std::string described(const model::Label& it) { return fmt::format("{} {} {}", it.name, it.instruction, it.targets); }
std::string described(const model::TargetList& it) { return described(it.operands); }
std::string described(const model::Variable& it) { return fmt::format("{} {} {}", it.name, it.bytes, it.align); }
std::string described(const model::RegisterBank& it) { return fmt::format("{} {} {}", it.name, it.first, it.count); }
std::string described(const model::Special& it) { return std::to_string(it.name); }
std::string described(const model::Form& it) { return it.text; }
std::string described(const model::Place& it) {
  return fmt::format("{} {} {} {} {}", it.file, it.line, it.column, it.function, it.called_from);
}
std::string described(const model::Module::Alias& it) { return fmt::format("{} {}", it.name, it.of); }
std::string described(const model::Module::File& it) { return fmt::format("{} {}", it.number, it.path.view()); }
std::string described(const model::Module::Section& it) { return fmt::format("{} {}", it.name, it.bytes); }

template <typename T>
void expect_equal(const std::vector<T>& one, const std::vector<T>& other) {
  ASSERT_EQ(one.size(), other.size());
  for (std::size_t i = 0; i < one.size(); ++i) ASSERT_EQ(described(one[i]), described(other[i])) << i;
}

// The names that are added at the end, by settle_names(), come in any order.
void expect_equal_names(const model::Module& one, const model::Module& other) {
  ASSERT_EQ(one.names.size(), other.names.size());
  for (std::uint32_t id = 0; id + 2 < one.names.size(); ++id) ASSERT_EQ(one.names[id], other.names[id]) << id;
}

void expect_equal_places(const model::Module& one, const model::Module& other) {
  ASSERT_EQ(one.places.size(), other.places.size());
  for (std::size_t i = 0; i < one.places.size(); ++i) {
    model::Place a = one.places[i], b = other.places[i];
    ASSERT_EQ(one.names[a.function], other.names[b.function]) << i;
    a.function = b.function = 0;
    ASSERT_EQ(described(a), described(b)) << i;
  }
}

void expect_equal(const model::Module& one, const model::Module& other) {
  expect_equal_names(one, other);
  expect_equal_places(one, other);
  expect_equal(one.forms, other.forms);
  expect_equal(one.specials, other.specials);
  expect_equal(one.functions, other.functions);
  expect_equal(one.variables, other.variables);
  expect_equal(one.banks, other.banks);
  expect_equal(one.instructions, other.instructions);
  expect_equal(one.labels, other.labels);
  expect_equal(one.target_lists, other.target_lists);
  expect_equal(one.aliases, other.aliases);
  expect_equal(one.files, other.files);
  expect_equal(one.sections, other.sections);
  EXPECT_EQ(one.operands, other.operands);
  EXPECT_EQ(one.constants, other.constants);
  EXPECT_EQ(one.globals, other.globals);
  EXPECT_EQ(one.targets, other.targets);
  EXPECT_EQ(one.problems, other.problems);
  EXPECT_EQ(one.skipped_statements, other.skipped_statements);
  EXPECT_EQ(std::pair(one.version.major, one.version.minor), std::pair(other.version.major, other.version.minor));
}

TEST(PtxPieces, AreReadAsOneText) {
  const std::string text = text_of(std::size_t{3} << 19);
  const model::Module whole = read_by(1, text);
  EXPECT_GT(whole.functions.size(), 1500u);
  EXPECT_EQ(whole.problems.size(), 20u);
  EXPECT_GT(whole.skipped_statements, 30u);
  for (const std::size_t threads : {2, 4}) expect_equal(whole, read_by(threads, text));
}

// Where functions stand in comments, a piece that begins at one of them is read again; after a few of those the rest is one piece.
TEST(PtxPieces, MayBeginInAComment) {
  const std::string text = text_of(std::size_t{1} << 20);
  for (const std::string_view comment : {"/*\n", "/*\n*/ .section .debug_info { b8 1\n"}) {
    std::string changed = text;
    for (std::size_t at = 200'000; at < changed.size(); at += 200'000) {
      changed.insert(changed.find("// of function", at), comment);
      changed.insert(std::min(changed.find("// of function", at + 100'000), changed.size()), "*/ }\n");
    }
    expect_equal(read_by(1, changed), read_by(4, changed));
  }
  std::string all = ".version 8.0\n";
  for (int number = 0; all.size() < std::size_t{1} << 20; ++number) all += (number == 9 ? "/*\n" : "") + function(number);
  all += "*/ .entry last() { ret; }\n";
  const model::Module module = read_by(4, all);
  EXPECT_EQ(module.functions.size(), 10u);
  expect_equal(read_by(1, all), module);
}

}  // namespace
}  // namespace frx::ingest::ptx
