#include "base/files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "base/temporary_directory.h"

namespace frx {
namespace {

namespace fs = std::filesystem;

class FilesTest : public ::testing::Test {
 protected:
  std::string path(std::string_view name) const { return temporary_.file(name); }

  TemporaryDirectory temporary_ = TemporaryDirectory::make("/tmp").value();
  fs::path folder = temporary_.path();
};

TEST_F(FilesTest, ReadsBackWhatItWrote) {
  const std::string bytes("a\0b\n", 4);
  ASSERT_TRUE(write_file(path("x"), bytes));
  EXPECT_EQ(*read_file(path("x")), bytes);
}

TEST_F(FilesTest, RefusesAFileThatIsMostlyHoles) {
  ASSERT_TRUE(write_file(path("x"), "a few bytes"));
  fs::resize_file(path("x"), std::uintmax_t{1} << 34);
  const Result<std::string> read = read_file(path("x"));
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().message.substr(0, 36), "the file is mostly holes: 16384 MB, ");
}

TEST_F(FilesTest, ReadsAFileWithSomeHoles) {
  ASSERT_TRUE(write_file(path("x"), "a few bytes"));
  fs::resize_file(path("x"), std::uintmax_t{1} << 20);
  EXPECT_EQ(read_file(path("x")).value().size(), std::size_t{1} << 20);
}

TEST_F(FilesTest, DoesNotWaitForAPipeThatNobodyWritesInto) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  const Result<std::string> read = read_file(path("pipe"));
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().message, "no process writes into this pipe");
}

TEST_F(FilesTest, WaitsForAPipeThatSomebodyHolds) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  std::thread writer([&] {
    const int descriptor = ::open(path("pipe").c_str(), O_WRONLY);
    std::this_thread::sleep_for(std::chrono::milliseconds(1700));  // longer than opening waits for a writer
    EXPECT_EQ(::write(descriptor, "late", 4), 4);
    ::close(descriptor);
  });
  EXPECT_EQ(read_file(path("pipe")).value_or("not read"), "late");
  writer.join();
}

TEST_F(FilesTest, CreatesMissingFolders) {
  ASSERT_TRUE(write_file(path("a/b/c.txt"), "x"));
  EXPECT_EQ(*read_file(path("a/b/c.txt")), "x");
}

TEST_F(FilesTest, LeavesNothingBesideTheTarget) {
  ASSERT_TRUE(write_file(path("x"), "one"));
  ASSERT_TRUE(write_file(path("x"), "two"));
  EXPECT_EQ(*read_file(path("x")), "two");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), fs::directory_iterator()), 1);
}

TEST_F(FilesTest, KeepsTheTargetWhenItCannotReplaceIt) {
  fs::create_directory(folder / "x");
  const Result<> written = write_file(path("x"), "bytes");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().kind, ErrorKind::unreadable);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), fs::directory_iterator()), 1);
}

TEST_F(FilesTest, NamesTheMissingFile) {
  const Result<std::string> text = read_file(path("absent"));
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().where, path("absent"));
  EXPECT_FALSE(text.error().hint.empty());
}

TEST_F(FilesTest, RefusesADirectory) {
  const auto source = open_file(folder.string());
  ASSERT_FALSE(source);
  EXPECT_NE(source.error().message.find("found a directory"), std::string::npos);
}

TEST_F(FilesTest, RefusesMoreThanTheLimit) {
  ASSERT_TRUE(write_file(path("x"), std::string(100, 'x')));
  EXPECT_TRUE(read_file(path("x"), 100));
  EXPECT_FALSE(read_file(path("x"), 99));
}

// Files of the kernel say that they are empty.
TEST(Files, AreReadToTheirEndWhateverSizeTheyTell) {
  const Result<std::string> text = read_file("/proc/self/limits");
  ASSERT_TRUE(text);
  EXPECT_NE(text->find("Max open files"), std::string::npos);
  EXPECT_FALSE(read_file("/proc/self/limits", 10));
}

TEST_F(FilesTest, TellsTheSizeOfARegularFile) {
  ASSERT_TRUE(write_file(path("x"), "12345"));
  EXPECT_EQ((*open_file(path("x")))->size_hint(), 5u);
}

TEST(OpenBytes, GivesFewerBytesOnlyAtTheEnd) {
  const std::unique_ptr<ByteSource> source = open_bytes("abcde");
  char buffer[3];
  EXPECT_EQ(*source->read(buffer), 3u);
  EXPECT_EQ(*source->read(buffer), 2u);
  EXPECT_EQ(buffer[0], 'd');
  EXPECT_EQ(*source->read(buffer), 0u);
}

}  // namespace
}  // namespace frx
