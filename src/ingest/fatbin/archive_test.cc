#include "ingest/fatbin/archive.h"

#include <gtest/gtest.h>

#include <string>

#include "ingest/fatbin/testing.h"

namespace frx::ingest::fatbin {
namespace {

using testing::archive;

std::string header(const std::string& name, const std::string& size, const std::string& end = "`\n") {
  std::string text = name;
  text.resize(48, ' ');
  text += size;
  text.resize(58, ' ');
  return text + end;
}

std::string archive_refusal(const std::string& file) {
  const auto members = members_of_archive(file);
  return members ? "read" : members.error().message;
}

TEST(Archive, HasItsMembersInOrderWithoutIndexes) {
  const std::string file = archive({{"a.o", "odd"}, {"a_name_beyond_15_characters.o", "even"}, {"another_name_beyond_15.o", ""}});
  const auto members = members_of_archive(file);
  ASSERT_TRUE(members) << to_string(members.error());
  ASSERT_EQ(members->size(), 3u);
  EXPECT_EQ((*members)[0].name, "a.o");
  EXPECT_EQ((*members)[0].bytes, "odd");
  EXPECT_EQ(file.substr((*members)[0].position, 3), "odd");
  EXPECT_EQ((*members)[1].name, "a_name_beyond_15_characters.o");
  EXPECT_EQ((*members)[1].bytes, "even");
  EXPECT_EQ((*members)[2].name, "another_name_beyond_15.o");
  EXPECT_EQ((*members)[2].bytes, "");
}

TEST(Archive, OfBsdHasNamesBeforeTheBytes) {
  const std::string name("kernels.o\0\0\0", 12);
  const std::string archive = "!<arch>\n" + header("#1/12", "16") + name + "code";  // its members point into it
  const auto members = members_of_archive(archive);
  ASSERT_TRUE(members) << to_string(members.error());
  ASSERT_EQ(members->size(), 1u);
  EXPECT_EQ((*members)[0].name, "kernels.o");
  EXPECT_EQ((*members)[0].bytes, "code");
  EXPECT_EQ((*members)[0].position, 8u + 60u + 12u);
}

TEST(Archive, WithoutMembersIsOne) { EXPECT_EQ(archive_refusal("!<arch>\n"), "read"); }

TEST(Archive, ThinOrOtherwiseIsRefused) {
  EXPECT_TRUE(begins_archive("!<thin>\n"));
  EXPECT_EQ(archive_refusal("!<thin>\n"), "a thin archive holds only the names of its objects");
  EXPECT_EQ(archive_refusal("hello"), "expected an archive, found something else");
}

TEST(Archive, IsRefusedWhenSizesAreWrong) {
  const std::string magic = "!<arch>\n";
  EXPECT_EQ(archive_refusal(magic + "a.o/"), "the archive is damaged at byte 8: the header of a member is cut");
  EXPECT_EQ(archive_refusal(magic + header("a.o/", "4") + "abc"), "the archive is damaged at byte 8: the member is cut");
  EXPECT_EQ(archive_refusal(magic + header("a.o/", "9999999999") + "abc"), "the archive is damaged at byte 8: the member is cut");
  EXPECT_EQ(archive_refusal(magic + header("a.o/", "-1") + "abc"), "the archive is damaged at byte 8: no header of a member");
  EXPECT_EQ(archive_refusal(magic + header("a.o/", "") + "abc"), "the archive is damaged at byte 8: no header of a member");
  EXPECT_EQ(archive_refusal(magic + header("a.o/", "3", "xx") + "abc"), "the archive is damaged at byte 8: no header of a member");
  EXPECT_EQ(archive_refusal(magic + header("/12", "3") + "abc"), "the archive is damaged at byte 8: the name of the member is missing");
  EXPECT_EQ(archive_refusal(magic + header("#1/4", "3") + "abc"), "the archive is damaged at byte 8: the name of the member is cut");
}

}  // namespace
}  // namespace frx::ingest::fatbin
