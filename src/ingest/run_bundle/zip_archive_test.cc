#include "ingest/run_bundle/zip_archive.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include "ingest/run_bundle/testing.h"
#include "support/deflate.h"

namespace frx::ingest {
namespace {

using testing::TestMember;
using testing::zip_of;

std::uint32_t crc_of(std::string_view text) {
  return static_cast<std::uint32_t>(::crc32_z(0, reinterpret_cast<const Bytef*>(text.data()), text.size()));
}

TestMember file(std::string name, std::string content) {
  const std::uint32_t crc = crc_of(content);
  return {.name = std::move(name), .content = std::move(content), .crc = crc};
}

TestMember deflated(std::string name, const std::string& content) {
  return {.name = std::move(name),
          .content = frx::testing::deflated(content, frx::testing::as_raw_deflate, 9),
          .crc = crc_of(content),
          .method = 8,
          .claimed_bytes = static_cast<std::int64_t>(content.size())};
}

Result<ZipArchive> open(const std::string& zip, const ZipLimits& limits = {}) { return ZipArchive::open(random_access_to(zip), limits); }

std::string refusal(const std::string& zip, const ZipLimits& limits = {}) {
  const Result<ZipArchive> archive = open(zip, limits);
  return archive ? "accepted" : archive.error().message;
}

// The whole first member, or the error, read in pieces of `piece` bytes.
std::string content(const std::string& zip, std::size_t piece = 7) {
  const Result<ZipArchive> archive = open(zip);
  if (!archive) return archive.error().message;
  const auto source = archive->open_member(archive->members().at(0));
  if (!source) return source.error().message;
  std::string text, buffer(piece, '\0');
  while (true) {
    const Result<std::size_t> got = (*source)->read(buffer);
    if (!got) return got.error().message;
    if (*got == 0) return text;
    text.append(buffer, 0, *got);
  }
}

TEST(ZipArchive, ReadsStoredAndDeflatedMembers) {
  const std::string text(100000, 'x');
  EXPECT_EQ(content(zip_of({file("a", "hello")})), "hello");
  EXPECT_EQ(content(zip_of({file("a", "")})), "");
  EXPECT_EQ(content(zip_of({deflated("a", text)})), text);
  EXPECT_EQ(content(zip_of({deflated("a", text)}), 1 << 20), text);
}

TEST(ZipArchive, ListsFilesOnlyByCleanPaths) {
  TestMember link = file("run/link", "/etc/passwd");
  link.attributes = 0120777u << 16;
  const std::string zip = zip_of({file("run/", ""), file("./run//raw\\trace.jsonl", "{}"), link});
  const Result<ZipArchive> archive = open(zip);
  ASSERT_TRUE(archive) << to_string(archive.error());
  ASSERT_EQ(archive->members().size(), 1u);
  EXPECT_EQ(archive->members()[0].path, "run/raw/trace.jsonl");
}

TEST(ZipArchive, ReadsOneWithSomethingBeforeIt) {
  const std::string zip = "#!/bin/sh\nexit\n" + zip_of({file("a", "hello")});
  EXPECT_EQ(content(zip), "hello");
}

TEST(ZipArchive, RefusesNamesThatLeadOut) {
  for (const char* name : {"../x", "a/../../x", "..\\x", "a/..", "/etc/passwd", "\\x", "C:\\x", ""}) {
    EXPECT_NE(refusal(zip_of({file(name, "")})).find("a member whose name"), std::string::npos) << name;
  }
  EXPECT_NE(refusal(zip_of({file(std::string("a\0b", 3), "")})).find("zero byte"), std::string::npos);
  EXPECT_EQ(refusal(zip_of({file("..a/b..", "")})), "accepted");
}

TEST(ZipArchive, RefusesWhatIsNoZip) {
  EXPECT_NE(refusal("").find("expected a zip archive"), std::string::npos);
  EXPECT_NE(refusal(std::string(70000, 'x')).find("expected a zip archive"), std::string::npos);
  const std::string zip = zip_of({file("a", "hello")});
  EXPECT_NE(refusal(zip.substr(0, zip.size() - 1)).find("expected a zip archive"), std::string::npos);
}

// Every prefix and every changed byte gives a result, never a crash.
TEST(ZipArchive, SurvivesEveryChangedByte) {
  const std::string zip = zip_of({file("a", "hello"), deflated("b", std::string(50, 'b'))});
  for (std::size_t at = 0; at < zip.size(); ++at) {
    for (const char change : {'\x01', '\x80', '\xff'}) {
      std::string other = zip;
      other[at] = static_cast<char>(other[at] ^ change);
      EXPECT_FALSE(content(other).empty()) << at;
    }
  }
}

TEST(ZipArchive, RefusesTheSameNameTwice) {
  EXPECT_NE(refusal(zip_of({file("a", "1"), file("./a", "2")})).find("twice"), std::string::npos);
}

// The technique of zip bombs that grow quadratically: many entries, one piece of data.
TEST(ZipArchive, RefusesMembersThatOverlap) {
  TestMember second = file("b", "hello");
  second.claimed_header = 0;
  EXPECT_NE(refusal(zip_of({file("a", "hello"), second})).find("overlaps"), std::string::npos);
}

TEST(ZipArchive, RefusesSizesThatCannotBe) {
  TestMember stored = file("a", "hello");
  stored.claimed_bytes = 6;
  EXPECT_NE(refusal(zip_of({stored})).find("cannot have the size"), std::string::npos);
  TestMember packed = deflated("a", "hello");
  packed.claimed_bytes = 1 << 20;
  EXPECT_NE(refusal(zip_of({packed})).find("cannot have the size"), std::string::npos);
}

TEST(ZipArchive, KeepsItsLimits) {
  const std::string zip = zip_of({file("a", "hello"), file("b", "hello")});
  EXPECT_NE(refusal(zip, {.members = 1}).find("at most 1 members"), std::string::npos);
  EXPECT_NE(refusal(zip, {.member_bytes = 4}).find("at most 4"), std::string::npos);
  EXPECT_NE(refusal(zip, {.total_bytes = 9}).find("would unpack to more"), std::string::npos);
  const std::string bomb = zip_of({deflated("a", std::string(1 << 20, '0'))});
  EXPECT_NE(refusal(bomb, {.ratio = 200, .ratio_from = 1 << 19}).find("200 times its size"), std::string::npos);
  EXPECT_EQ(refusal(bomb), "accepted");  // a small one is harmless
}

TEST(ZipArchive, SaysWhenTheContentIsNotWhatWasPromised) {
  TestMember wrong = file("a", "hello");
  wrong.crc ^= 1;
  EXPECT_NE(content(zip_of({wrong})).find("checksum differs"), std::string::npos);
  TestMember longer = deflated("a", std::string(2000, 'x'));
  longer.claimed_bytes = 1000;
  EXPECT_NE(content(zip_of({longer}), 4096).find("longer than it claims"), std::string::npos);
  TestMember shorter = deflated("a", std::string(2000, 'x'));
  shorter.claimed_bytes = 2001;
  EXPECT_NE(content(zip_of({shorter}), 4096).find("shorter than it claims"), std::string::npos);
  TestMember cut = deflated("a", "hello, hello, hello");
  cut.content.pop_back();
  EXPECT_NE(content(zip_of({cut})).find("damaged"), std::string::npos);
}

TEST(ZipArchive, RefusesToOpenWhatItCannotRead) {
  TestMember locked = file("a", "hello");
  locked.flags = 1;
  EXPECT_EQ(content(zip_of({locked})), "it is encrypted");
  TestMember other = file("a", "hello");
  other.method = 12;
  EXPECT_NE(content(zip_of({other})).find("found method 12"), std::string::npos);
}

}  // namespace
}  // namespace frx::ingest
