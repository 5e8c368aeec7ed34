#include "derive/cuda/program.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/cuda/read_source.h"

namespace frx::derive::cuda {
namespace {

// Files, the names of which are kept by a program.
class Declared : public ::testing::Test {
 protected:
  const Program& of(const std::vector<std::string>& texts) {
    for (const std::string& text : texts)
      files_.push_back(ingest::cuda::read_source("f" + std::to_string(files_.size()) + ".cu", text).value());
    sources_ = std::make_unique<Sources>(std::span(files_));
    return *(program_ = std::make_unique<Program>(*sources_));
  }

 private:
  std::vector<model::cuda::Source> files_;
  std::unique_ptr<Sources> sources_;
  std::unique_ptr<Program> program_;
};

// The compiler of the test lays out the same text: a host and a device agree about records.
#define FRX_TEST_RECORDS(name, ...) \
  __VA_ARGS__                       \
  const std::string name = #__VA_ARGS__;

// clang-format off
FRX_TEST_RECORDS(text_of_records,
  const int rows = 3;
  typedef float* Row;
  using Column = const double*;
  struct Place { char kind; double x; double y; };
  struct Cell { int length; struct Place places[rows][2]; char tail; };
  struct alignas(32) Wide { float x; float y; float z; };
  struct __attribute__((aligned(16))) Vector { float x; float y; float z; };
  typedef struct { short a; int b; } __attribute__((aligned(16))) Padded;
  struct Pointers { char c; Row row; Column column; float* const* rows; char d; };
  struct Tree { char kind; Row* children[8]; Column columns[rows]; char tail; };
  struct Inner { float a; double b; };
  struct Outer { int first; Inner inner; Inner* next; unsigned short s[5]; };
  struct Counter {
    enum Kind { small, large };
    struct Part { char c; };
    Counter() : count(0) {}
    int next() { return ++count; }
    static int all;
    int count = 0;
    ::std::size_t size;
    Part parts[3];
  };
)
// clang-format on

#define FRX_EXPECT_RECORD(type)                    \
  ASSERT_NE(program.struct_named(#type), nullptr); \
  EXPECT_EQ(program.struct_named(#type)->bytes, sizeof(type)) << #type
#define FRX_EXPECT_PLACE(type, member) EXPECT_EQ(program.struct_named(#type)->fields.at(#member).offset, offsetof(type, member)) << #member

TEST_F(Declared, RecordsAreLaidOutAsByACompiler) {
  const Program& program = of({text_of_records});
  FRX_EXPECT_RECORD(Place);
  FRX_EXPECT_RECORD(Cell);
  FRX_EXPECT_RECORD(Wide);
  FRX_EXPECT_RECORD(Vector);
  FRX_EXPECT_RECORD(Padded);
  FRX_EXPECT_RECORD(Pointers);
  FRX_EXPECT_RECORD(Tree);
  FRX_EXPECT_RECORD(Inner);
  FRX_EXPECT_RECORD(Outer);
  FRX_EXPECT_RECORD(Counter);
  FRX_EXPECT_PLACE(Place, y);
  FRX_EXPECT_PLACE(Counter, size);
  FRX_EXPECT_PLACE(Cell, places);
  FRX_EXPECT_PLACE(Cell, tail);
  FRX_EXPECT_PLACE(Pointers, rows);
  FRX_EXPECT_PLACE(Tree, columns);
  FRX_EXPECT_PLACE(Tree, tail);
  FRX_EXPECT_PLACE(Outer, inner);
  FRX_EXPECT_PLACE(Outer, s);
}

// clang-format off
FRX_TEST_RECORDS(text_of_unions,
  class Triple {
   public:
    union { struct { float x, y, z; }; float each[3]; };
    Triple() : x(0) {}
  };
  struct Box { char kind; Triple low; struct { short a; double b; } pair, pairs[2]; Triple high; };
  typedef union { double whole; struct { int low, high; } half; char bytes[12]; } Word;
  struct Tagged { int tag; union { char c; double d; Triple* where; }; bool last; };
)
// clang-format on

TEST_F(Declared, UnionsAndRecordsWithoutNamesAreLaidOutWithinOthers) {
  const Program& program = of({text_of_unions});
  FRX_EXPECT_RECORD(Triple);
  FRX_EXPECT_RECORD(Box);
  FRX_EXPECT_RECORD(Word);
  FRX_EXPECT_RECORD(Tagged);
  FRX_EXPECT_PLACE(Triple, z);
  FRX_EXPECT_PLACE(Triple, each);
  FRX_EXPECT_PLACE(Box, pairs);
  FRX_EXPECT_PLACE(Box, high);
  FRX_EXPECT_PLACE(Tagged, d);
  FRX_EXPECT_PLACE(Tagged, last);
}

TEST_F(Declared, RecordsWithPartsThatAreNotReadHaveNoSize) {
  const Program& program =
      of({"struct A { float a; };\n"
          "struct Derived : A { float b; };\n"
          "struct Virtual { virtual void f(); float a; };\n"
          "struct Bits { unsigned a : 4, b : 28; };\n"
          "struct Nameless { union { float a; Unread b; }; float c; };\n"
          "struct Aligned { alignas(sizeof(float) * 4) float a; };\n"
          "struct __align__(SOME) Asked { float a; };\n"
          "struct Unknown { float a[COUNT]; };\n"
          "struct Large { double a[1000000]; Large2 b[1000000]; };\n"
          "struct Large2 { double a[1000000]; };\n"
          "struct Itself { Itself b; };\n"});
  for (const char* name : {"Derived", "Virtual", "Bits", "Nameless", "Asked", "Unknown", "Large", "Itself"}) {
    ASSERT_NE(program.struct_named(name), nullptr) << name;
    EXPECT_EQ(program.struct_named(name)->bytes, 0u) << name;
  }
}

TEST_F(Declared, RecordsOfOneNameAreTheFirstAndConstantsHaveOneValue) {
  const Program& program = of({"struct Row { float a[WIDTH]; float b[either]; };\nconst int either = 4;\n",
                               "#define WIDTH (16)\nconst int either = 5;\nstruct Row { char c; };\nstruct Other { int a[WIDTH]; };\n"});
  EXPECT_EQ(program.struct_named("Row")->bytes, 0u);
  EXPECT_EQ(program.struct_named("Row")->member("a")->elements, 16u);
  EXPECT_EQ(program.struct_named("Row")->member("b")->elements, 0u);
  EXPECT_EQ(program.struct_named("Other")->bytes, 64u);
}

TEST_F(Declared, NamesOfPointersStandForWhatTheyPointTo) {
  const Program& program =
      of({"typedef struct Cell { int n; } Cell, *Cells;\n"
          "typedef float **Rows, Value, Four[4];\n"
          "using Column = double*;\n"
          "typedef void (*Callback)(int*);\n"});
  EXPECT_EQ(program.pointer("Cells").type, "Cell");
  EXPECT_EQ(program.pointer("Cells").levels, 1u);
  EXPECT_EQ(program.pointer("Rows").levels, 2u);
  EXPECT_EQ(program.pointer("Column").type, "double");
  EXPECT_EQ(program.pointer("Value").levels, 0u);
  EXPECT_EQ(program.type("Value").bytes, 4u);
  for (const char* name : {"Four", "Callback", "Cell", "float"}) EXPECT_EQ(program.pointer(name).levels, 0u) << name;
  EXPECT_EQ(program.type("Four").bytes, 0u);
}

TEST_F(Declared, TypesThatTheProgramNamesCountBeforeWhatTheirNamesUsuallyMean) {
  const Program& program = of({"typedef unsigned long u32;\ntypedef double real;\nvoid f(u32*, i32*);\n"});
  EXPECT_EQ(program.type("u32").bytes, 8u);
  EXPECT_EQ(program.type("i32").bytes, 4u);
}

TEST_F(Declared, ShortFunctionsOfTheHostMayOnlyWait) {
  const Program& program =
      of({"void check(const char* what) { if (cudaDeviceSynchronize() != cudaSuccess) abort(); }\n"
          "__device__ void wait() { cudaDeviceSynchronize(); }\nvoid run(float* a) { k<<<1, 32>>>(a); }\n"});
  EXPECT_TRUE(program.may_only_wait("check"));
  EXPECT_FALSE(program.may_only_wait("wait"));
  EXPECT_FALSE(program.may_only_wait("run"));
}

TEST_F(Declared, AConstantIsThatOfTheFileThatNamesIt) {
  const Program& program =
      of({"const int block = 64, once = 1;\n", "void f();\n", "const int block = 128;\n", "const int block = 32, block = 16;\n"});
  const auto value_in = [&](std::uint32_t file) {
    const Global* global = program.global("block", file);
    return global->is_certain_in(file) ? program.sources()[global->declaration.source].text_of(global->value) : "unknown";
  };
  EXPECT_EQ(value_in(0), "64");
  EXPECT_EQ(value_in(1), "unknown");
  EXPECT_EQ(value_in(2), "128");
  EXPECT_EQ(value_in(3), "unknown");
  EXPECT_TRUE(program.global("once", 3)->is_certain_in(3));
}

TEST_F(Declared, ConstantsOfClassesAreNamedWithThem) {
  const Program& program =
      of({"template <typename T> struct Tile { static constexpr int rows = 8, columns{16}; static int changes; int member = 4; };\n"
          "struct Other { static const int rows; };\nconst int Other::rows = 2;\nnamespace a { struct Tile; }\n"});
  const auto value_of = [&](std::string_view record, std::string_view name) {
    const Global* constant = program.constant_of_class(record, name, 0);
    return constant ? program.sources()[0].text_of(constant->value) : "none";
  };
  EXPECT_EQ(value_of("Tile", "rows"), "8");
  EXPECT_EQ(value_of("Tile", "columns"), "{16}");
  EXPECT_EQ(value_of("Other", "rows"), "2");
  EXPECT_EQ(value_of("Tile", "changes"), "none");
  EXPECT_EQ(value_of("Tile", "member"), "none");
  EXPECT_EQ(program.global("rows", 0), nullptr);
}

}  // namespace
}  // namespace frx::derive::cuda
