#include "base/temporary_directory.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace frx {
namespace {

TEST(TemporaryDirectory, IsPrivateAndDisappears) {
  std::string path;
  {
    const TemporaryDirectory folder = TemporaryDirectory::make("/tmp").value();
    path = folder.path();
    EXPECT_EQ(std::filesystem::status(path).permissions(), std::filesystem::perms::owner_all);
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(TemporaryDirectory, IsAnotherEachTime) {
  const TemporaryDirectory one = TemporaryDirectory::make("/tmp").value();
  const TemporaryDirectory two = TemporaryDirectory::make("/tmp").value();
  EXPECT_NE(one.path(), two.path());
}

TEST(TemporaryDirectory, NamesTheParentItCannotUse) {
  const Result<TemporaryDirectory> folder = TemporaryDirectory::make("/nonexistent");
  ASSERT_FALSE(folder);
  EXPECT_EQ(folder.error().where, "/nonexistent");
}

}  // namespace
}  // namespace frx
