#include "base/output_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "base/files.h"
#include "base/temporary_directory.h"

namespace frx {
namespace {

namespace fs = std::filesystem;

class OutputFileTest : public ::testing::Test {
 protected:
  std::string path(const std::string& name) const { return temporary_.file(name); }
  std::size_t files() const { return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator())); }

  mode_t mode_of(const std::string& name) const {
    struct stat info {};
    return ::stat(path(name).c_str(), &info) == 0 ? info.st_mode & 0777 : 0;
  }

  TemporaryDirectory temporary_ = TemporaryDirectory::make("/tmp").value();
  fs::path folder_ = temporary_.path();
};

TEST_F(OutputFileTest, AppearsWhenItIsWhole) {
  Result<OutputFile> file = OutputFile::create(path("deep/a.txt"));
  ASSERT_TRUE(file) << to_string(file.error());
  ASSERT_TRUE(file->write("one "));
  EXPECT_FALSE(fs::exists(path("deep/a.txt")));
  ASSERT_TRUE(file->write("two"));
  ASSERT_TRUE(file->commit());
  EXPECT_EQ(read_file(path("deep/a.txt")).value(), "one two");
}

TEST_F(OutputFileTest, LeavesNothingBehindAndTheOldFileAsItWas) {
  ASSERT_TRUE(write_file(path("a.txt"), "old"));
  {
    Result<OutputFile> file = OutputFile::create(path("a.txt"));
    ASSERT_TRUE(file && file->write("half of the new"));
  }
  EXPECT_EQ(read_file(path("a.txt")).value(), "old");
  EXPECT_EQ(files(), 1u);
}

TEST_F(OutputFileTest, ReplacesWhatALinkPointsAt) {
  ASSERT_TRUE(write_file(path("target.txt"), "old"));
  fs::create_symlink("target.txt", path("link.txt"));
  Result<OutputFile> file = OutputFile::create(path("link.txt"));
  ASSERT_TRUE(file && file->write("new") && file->commit());
  EXPECT_TRUE(fs::is_symlink(path("link.txt")));
  EXPECT_EQ(read_file(path("target.txt")).value(), "new");
}

TEST_F(OutputFileTest, IsReadByWhomTheUmaskAllows) {
  const mode_t before = ::umask(027);
  EXPECT_TRUE(write_file(path("new.txt"), "x"));
  ::umask(before);
  EXPECT_EQ(mode_of("new.txt"), 0640u);
  EXPECT_TRUE(write_file(path("own.txt"), "x", Access::owner_only));
  EXPECT_EQ(mode_of("own.txt"), 0600u);
  ASSERT_EQ(::chmod(path("new.txt").c_str(), 0755), 0);
  EXPECT_TRUE(write_file(path("new.txt"), "y"));
  EXPECT_EQ(mode_of("new.txt"), 0755u);  // a script stays one
  EXPECT_TRUE(write_file(path("new.txt"), "z", Access::owner_only));
  EXPECT_EQ(mode_of("new.txt"), 0600u);
}

TEST_F(OutputFileTest, WritesDirectlyToWhatIsNoFile) {
  Result<OutputFile> file = OutputFile::create("/dev/null");
  ASSERT_TRUE(file && file->write("x") && file->commit());
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(OutputFileTest, SaysWhyItCannotBeWritten) {
  const Result<OutputFile> file = OutputFile::create(folder_.string());
  ASSERT_FALSE(file);
  EXPECT_EQ(to_string(file.error()).substr(0, folder_.string().size()), folder_.string());
}

}  // namespace
}  // namespace frx
