#include "ingest/fatbin/device_code.h"

#include <gtest/gtest.h>

#include "ingest/cubin/testing_kernels.h"
#include "ingest/fatbin/testing.h"

namespace frx::ingest::fatbin {
namespace {

using cubin::testing::CubinSketch;
using cubin::testing::KernelSketch;
using testing::archive;
using testing::container;
using testing::plain;
using testing::program;
using testing::with_zstd;

constexpr std::string_view ptx = ".version 9.0\n.target sm_90\n.address_size 64\n";

std::string cubin_with(const std::string& kernel) { return CubinSketch{.kernels = {KernelSketch{.name = kernel}}}.bytes(); }

std::vector<std::string> names(const model::DeviceCode& code) {
  std::vector<std::string> found;
  for (const model::KernelResources& kernel : code.kernels) found.push_back(kernel.name);
  return found;
}

using Names = std::vector<std::string>;

TEST(DeviceCode, IsEveryKernelAndEveryPtxOfAFile) {
  const auto code =
      read_device_code("app", container({with_zstd(2, 90, cubin_with("a")), plain(2, 90, cubin_with("b")), with_zstd(1, 90, ptx)}));
  ASSERT_TRUE(code) << to_string(code.error());
  EXPECT_EQ(code->source, "app");
  EXPECT_EQ(names(*code), (Names{"a", "b"}));
  ASSERT_EQ(code->ptx.size(), 1u);
  EXPECT_EQ(code->ptx[0].architecture, "compute_90");
  EXPECT_EQ(code->ptx[0].text, ptx);
  EXPECT_EQ(code->notes, Names());
}

TEST(DeviceCode, IsReadFromACubinToo) {
  const auto code = read_device_code("a.cubin", cubin_with("a"));
  ASSERT_TRUE(code);
  EXPECT_EQ(names(*code), Names{"a"});
}

// A linked program still holds the relocatable parts it was linked from.
TEST(DeviceCode, LeavesOutPartsOfWhatWasLinked) {
  const std::string linked = container({plain(2, 90, cubin_with("linked"))});
  const std::string parts = container({plain(2, 90, cubin_with("part")), plain(1, 90, ptx)});
  const auto both = read_device_code("app", program({{".nv_fatbin", linked}, {"__nv_relfatbin", parts}}));
  ASSERT_TRUE(both);
  EXPECT_EQ(names(*both), Names{"linked"});
  EXPECT_EQ(both->ptx.size(), 1u);
  const auto object = read_device_code("a.o", program({{"__nv_relfatbin", parts}}));
  ASSERT_TRUE(object);
  EXPECT_EQ(names(*object), Names{"part"});
}

TEST(DeviceCode, NotesWhatCannotBeRead) {
  const auto code = read_device_code("app", container({plain(2, 75, "no cubin"), plain(2, 90, cubin_with("a")), plain(8, 90, "x")}));
  ASSERT_TRUE(code);
  EXPECT_EQ(names(*code), Names{"a"});
  EXPECT_EQ(code->notes, (Names{"byte 16 (cubin for sm_75): expected a cubin, found no ELF file",
                                fmt::format("byte {} (code for the linker for lto_90): not read: it is neither machine code nor PTX",
                                            16 + 72 + 64 + (cubin_with("a").size() + 7) / 8 * 8)}));
}

TEST(DeviceCode, IsRefusedWhenNothingOfItCanBeRead) {
  const auto code = read_device_code("app", container({plain(2, 75, "no cubin")}));
  ASSERT_FALSE(code);
  EXPECT_EQ(to_string(code.error()), "app: byte 16 (cubin for sm_75): expected a cubin, found no ELF file");
  const auto other = read_device_code("notes.txt", "hello");
  ASSERT_FALSE(other);
  EXPECT_EQ(to_string(other.error()), "notes.txt: expected a cubin, a fat binary or an ELF file, found something else");
}

TEST(DeviceCode, IsReadWithinItsLimits) {
  const std::string file = container({with_zstd(1, 80, ptx), with_zstd(1, 90, ptx)});
  const auto some = read_device_code("app", file, {.ptx_bytes = ptx.size() + 1});
  ASSERT_TRUE(some);
  EXPECT_EQ(some->ptx.size(), 1u);
  EXPECT_EQ(some->notes.size(), 1u);
  const auto first = read_device_code("app", file, {.times_file = 0, .bytes_beyond = ptx.size()});
  ASSERT_TRUE(first);
  EXPECT_EQ(first->ptx.size(), 1u);
}

TEST(DeviceCode, DoesNotNoteAThousandDamagedImages) {
  std::vector<testing::EntrySketch> entries(1000, plain(2, 75, "no cubin"));
  entries.push_back(plain(2, 90, cubin_with("a")));
  const auto code = read_device_code("app", container(entries));
  ASSERT_TRUE(code);
  EXPECT_EQ(code->notes.size(), 51u);
}

TEST(DeviceCode, IsRefusedWhenTheFileEndsEarly) {
  const std::string cubin = cubin_with("k");
  ASSERT_TRUE(read_device_code("k.cubin", cubin));
  const Result<model::DeviceCode> cut = read_device_code("k.cubin", std::string_view(cubin).substr(0, cubin.size() / 2));
  ASSERT_FALSE(cut);
  EXPECT_NE(cut.error().message.find("ends early"), std::string::npos) << cut.error().message;
}

TEST(DeviceCode, OfAStaticLibraryIsThatOfItsMembers) {
  const std::string object = program({{".nv_fatbin", container({plain(2, 90, cubin_with("a")), plain(1, 90, ptx)})}});
  const std::string parts = program({{"__nv_relfatbin", container({plain(2, 90, cubin_with("b"))})}});
  const std::string file = archive({{"main.o", program({})}, {"notes.txt", "hello"}, {"kernels_of_a.cu.o", object}, {"b.o", parts}});
  const auto code = read_device_code("libab.a", file);
  ASSERT_TRUE(code) << to_string(code.error());
  // A relocatable part is left out only when the same member holds its linked result.
  EXPECT_EQ(names(*code), (Names{"a", "b"}));
  EXPECT_EQ(code->kernels[0].member, "kernels_of_a.cu.o");
  EXPECT_EQ(code->kernels[1].member, "b.o");
  ASSERT_EQ(code->ptx.size(), 1u);
  EXPECT_EQ(code->ptx[0].member, "kernels_of_a.cu.o");
  EXPECT_EQ(file.substr(code->ptx[0].position + 64, 8), ".version");
  EXPECT_EQ(code->notes, Names());
}

TEST(DeviceCode, NotesMembersThatCannotBeRead) {
  const std::string good = program({{".nv_fatbin", container({plain(2, 90, cubin_with("a"))})}});
  const std::string bad = program({{".nv_fatbin", "no container"}});
  const auto code = read_device_code("lib.a", archive({{"bad.o", bad}, {"good.o", good}}));
  ASSERT_TRUE(code) << to_string(code.error());
  EXPECT_EQ(names(*code), Names{"a"});
  EXPECT_EQ(code->notes, Names{"bad.o: section .nv_fatbin: the fat binary is damaged at byte 0: no container begins here"});
  const auto none = read_device_code("lib.a", archive({{"bad.o", bad}}));
  ASSERT_FALSE(none);
  EXPECT_EQ(to_string(none.error()), "lib.a: bad.o: section .nv_fatbin: the fat binary is damaged at byte 0: no container begins here");
}

TEST(DeviceCode, IsMissedInStaticLibrariesOfTheHost) {
  const auto code = read_device_code("lib.a", archive({{"a.o", program({})}, {"b.o", program({})}}));
  ASSERT_FALSE(code);
  EXPECT_EQ(code.error().message, "no GPU code in this archive of 2 members: none has a section .nv_fatbin");
}

}  // namespace
}  // namespace frx::ingest::fatbin
