#include "ingest/fatbin/images.h"

#include <gtest/gtest.h>

#include "ingest/cubin/testing_kernels.h"
#include "ingest/fatbin/testing.h"

namespace frx::ingest::fatbin {
namespace {

using testing::container;
using testing::EntrySketch;
using testing::plain;
using testing::program;
using testing::with_lz4;
using testing::with_zstd;

constexpr std::string_view ptx_image = ".version 9.0\n.target sm_90\n.address_size 64\n";
constexpr std::uint64_t plenty = 1 << 20;

std::string refusal_of(const std::string& file) {
  const auto images = list_images(file);
  return images ? "read" : images.error().message;
}

// The only image of the file.
Result<std::string> unpacked(const std::string& file, std::uint64_t most = plenty) {
  const auto images = list_images(file);
  EXPECT_TRUE(images && images->size() == 1u) << refusal_of(file);
  return unpack(images->front(), most);
}

std::string refusal_to_unpack(const std::string& file, std::uint64_t most = plenty) {
  const auto bytes = unpacked(file, most);
  return bytes ? "unpacked" : bytes.error().message;
}

TEST(DeviceImages, AreRecognisedByTheFirstBytes) {
  EXPECT_EQ(file_kind(container({})), FileKind::fatbin);
  EXPECT_EQ(file_kind(cubin::testing::CubinSketch().bytes()), FileKind::cubin);
  EXPECT_EQ(file_kind(program({})), FileKind::host);
  EXPECT_EQ(file_kind(testing::archive({})), FileKind::archive);
  EXPECT_EQ(file_kind(ptx_image), FileKind::other);
  EXPECT_EQ(file_kind(""), FileKind::other);
  EXPECT_EQ(file_kind("\x7F"
                      "ELF"),
            FileKind::other);
}

TEST(DeviceImages, SayWhatTheyAreFor) {
  const std::string file = container({plain(2, 75, "cubin"), EntrySketch{.sm = 90, .flags = 0x100011},
                                      EntrySketch{.kind = 1, .sm = 100, .flags = 0x200011}, plain(8, 80, "x"), plain(64, 80, "y")});
  const auto images = list_images(file);
  ASSERT_TRUE(images) << to_string(images.error());
  std::vector<std::string> names;
  for (const Image& image : *images) names.push_back(image.where());
  EXPECT_EQ(names,
            (std::vector<std::string>{"byte 16 (cubin for sm_75)", "byte 88 (cubin for sm_90a)", "byte 152 (PTX for compute_100f)",
                                      "byte 216 (code for the linker for lto_80)", "byte 288 (image of an unknown kind for sm_80)"}));
}

TEST(DeviceImages, AreUnpackedToTheSameBytes) {
  EXPECT_EQ(*unpacked(container({plain(1, 90, ptx_image)})), ptx_image);
  EXPECT_EQ(*unpacked(container({with_zstd(1, 90, ptx_image)})), ptx_image);
  EXPECT_EQ(*unpacked(container({with_lz4(1, 90, ptx_image)})), ptx_image);
  // Only PTX is a text: the padding of a cubin may belong to it.
  EXPECT_EQ(*unpacked(container({plain(2, 90, std::string("ELF\0\0", 5))})), std::string("ELF\0\0\0\0\0", 8));
}

TEST(DeviceImages, StandInSectionsOfPrograms) {
  const std::string zeros(24, '\0');
  const std::string file = program({{".nv_fatbin", container({plain(2, 75, "a")}) + zeros + container({plain(2, 80, "b")})},
                                    {"__nv_relfatbin", container({plain(2, 90, "c")})}});
  const auto images = list_images(file);
  ASSERT_TRUE(images) << to_string(images.error());
  ASSERT_EQ(images->size(), 3u);
  EXPECT_EQ((*images)[1].architecture, "sm_80");
  EXPECT_FALSE((*images)[1].for_linker);
  EXPECT_TRUE((*images)[2].for_linker);
  // The position is one of the file.
  EXPECT_EQ(file.substr((*images)[2].position + 64, 1), "c");
}

TEST(DeviceImages, OfACubinAreItself) {
  const std::string file = cubin::testing::CubinSketch().bytes();
  const auto images = list_images(file);
  ASSERT_TRUE(images);
  ASSERT_EQ(images->size(), 1u);
  EXPECT_EQ(images->front().architecture, "sm_90");
  EXPECT_EQ(*unpack(images->front(), plenty), file);
}

TEST(DeviceImages, AreMissedInOtherFiles) {
  EXPECT_EQ(refusal_of("hello"), "expected a cubin, a fat binary or an ELF file, found something else");
  EXPECT_EQ(refusal_of(program({})), "no GPU code in this program: it has no section .nv_fatbin");
}

TEST(DeviceImages, AreRefusedWhenCut) {
  const std::string whole = container({plain(2, 75, "a cubin!")});
  ASSERT_EQ(whole.size(), 88u);
  EXPECT_EQ(refusal_of(whole.substr(0, 80)), "the fat binary is damaged at byte 0: the container is cut");
  EXPECT_EQ(refusal_of(whole + "x"), "the fat binary is damaged at byte 88: no container begins here");
  std::string longer = whole;
  longer[24] = 9;  // bytes of the image
  EXPECT_EQ(refusal_of(longer), "the fat binary is damaged at byte 16: the image is cut");
  longer = whole;
  longer[20] = 63;  // bytes of the header
  EXPECT_EQ(refusal_of(longer), "the fat binary is damaged at byte 16: no header of an image");
  EXPECT_EQ(refusal_of(program({{".nv_fatbin", whole.substr(0, 80)}})),
            "section .nv_fatbin: the fat binary is damaged at byte 0: the container is cut");
}

TEST(DeviceImages, AreRefusedWhenNumbersOverflow) {
  std::string file = container({plain(2, 75, "a cubin!")});
  for (std::size_t at = 8; at < 16; ++at) file[at] = '\xFF';
  EXPECT_EQ(refusal_of(file), "the fat binary is damaged at byte 0: the container is cut");
  file = container({plain(2, 75, "a cubin!")});
  for (std::size_t at = 24; at < 32; ++at) file[at] = '\xFF';
  EXPECT_EQ(refusal_of(file), "the fat binary is damaged at byte 16: the image is cut");
}

// A few bytes that would expand to many are refused before they do.
TEST(DeviceImages, AreNoBombs) {
  const std::string zeros(1 << 20, '\0');
  EntrySketch bomb = with_zstd(2, 90, zeros);
  EXPECT_LT(bomb.stored.size(), 1000u);
  EXPECT_EQ(refusal_to_unpack(container({bomb}), 1000), "an image of 1048576 bytes, more than the 1000 that are read");
  bomb.unpacked_size = 1000;
  EXPECT_EQ(refusal_to_unpack(container({bomb})), "the zstd data does not become the 1000 bytes that are declared");
  bomb.unpacked_size = zeros.size() + 1;
  EXPECT_EQ(refusal_to_unpack(container({bomb}), plenty * 2), "the zstd data does not become the 1048577 bytes that are declared");
  EXPECT_EQ(refusal_to_unpack(container({with_zstd(2, 90, std::string(8 << 20, '\0'))}), 8 << 20),
            "the compressed data unpacks to more than 200 times its size");
  EntrySketch declared = with_lz4(2, 90, "x");
  declared.unpacked_size = plenty;
  EXPECT_EQ(refusal_to_unpack(container({declared})), "2 bytes of LZ4 cannot become 1048576");
}

TEST(DeviceImages, AreRefusedWhenThePackedBytesAreDamaged) {
  EntrySketch entry = with_zstd(1, 90, ptx_image);
  entry.stored[0] = 'x';
  EXPECT_EQ(refusal_to_unpack(container({entry})), "the zstd data is damaged (Unknown frame descriptor)");
  entry = with_zstd(1, 90, ptx_image);
  entry.packed_size -= 4;
  EXPECT_EQ(refusal_to_unpack(container({entry})), "the zstd data does not become the 44 bytes that are declared");
}

}  // namespace
}  // namespace frx::ingest::fatbin
