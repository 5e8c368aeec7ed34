#include "capture/folder_watch.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/files.h"
#include "base/temporary_directory.h"

namespace frx::capture {
namespace {

constexpr std::uint64_t kib = 1024;

TEST(FolderWatch, AddsUpWhatAFolderHolds) {
  const TemporaryDirectory folder = TemporaryDirectory::make("/dev/shm").value();
  ASSERT_TRUE(write_file(folder.file("a"), std::string(64 * kib, 'a')));
  ASSERT_TRUE(write_file(folder.file("deep/er/b"), std::string(128 * kib, 'b')));
  FolderWatch watch(folder.path());
  const std::uint64_t bytes = watch.look(1000);
  EXPECT_TRUE(watch.is_complete());
  EXPECT_GE(bytes, 192 * kib);
  EXPECT_LT(bytes, 256 * kib);
}

TEST(FolderWatch, DoesNotFollowLinks) {
  const TemporaryDirectory folder = TemporaryDirectory::make("/dev/shm").value();
  const TemporaryDirectory other = TemporaryDirectory::make("/dev/shm").value();
  ASSERT_TRUE(write_file(other.file("large"), std::string(1024 * kib, 'a')));
  std::filesystem::create_directory_symlink(other.path(), folder.file("link"));
  std::filesystem::create_directory_symlink(folder.path(), folder.file("itself"));
  EXPECT_LT(FolderWatch(folder.path()).look(1000), 64 * kib);
}

TEST(FolderWatch, DoesNotCountHoles) {
  const TemporaryDirectory folder = TemporaryDirectory::make("/dev/shm").value();
  ASSERT_TRUE(write_file(folder.file("holes"), ""));
  std::filesystem::resize_file(folder.file("holes"), std::uintmax_t{1} << 40);
  EXPECT_LT(FolderWatch(folder.path()).look(1000), 64 * kib);
}

// 100 files and three folders: entries of two ("." and "..") more in each.
TEST(FolderWatch, LooksAtAFewFilesAtATime) {
  const TemporaryDirectory folder = TemporaryDirectory::make("/dev/shm").value();
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(write_file(folder.file(fmt::format("{}/{}", i % 3, i)), std::string(4 * kib, 'a')));
  FolderWatch watch(folder.path());
  std::uint64_t before = 0;
  int looks = 0;
  do {
    const std::uint64_t bytes = watch.look(10);
    EXPECT_GE(bytes, before);
    before = bytes;
    ++looks;
  } while (!watch.is_complete());
  EXPECT_GE(looks, 11);
  EXPECT_LE(looks, 13);
  EXPECT_GE(before, 400 * kib);
  watch.look(10);
  EXPECT_FALSE(watch.is_complete());
}

TEST(FolderWatch, FindsNothingWhereThereIsNoFolder) {
  FolderWatch watch("/no/such/folder");
  EXPECT_EQ(watch.look(10), 0U);
  EXPECT_TRUE(watch.is_complete());
}

TEST(FreeBytes, AreUnlimitedWhereTheyAreNotKnown) {
  EXPECT_EQ(free_bytes_at("/no/such/folder"), UINT64_MAX);
  EXPECT_LT(free_bytes_at("/tmp"), UINT64_MAX);
}

}  // namespace
}  // namespace frx::capture
