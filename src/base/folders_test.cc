#include "base/folders.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <vector>

#include "base/files.h"
#include "base/temporary_directory.h"

namespace frx {
namespace {

namespace fs = std::filesystem;

TEST(Folders, HoldWhatLinksAndDotsLeadInto) {
  const TemporaryDirectory home = TemporaryDirectory::make("/tmp").value();
  const fs::path in = fs::path(fs::canonical(home.path())) / "in", out = fs::path(fs::canonical(home.path())) / "inside-not";
  ASSERT_TRUE(write_file((in / "a/b.cu").string(), "x"));
  ASSERT_TRUE(write_file((out / "c.cu").string(), "x"));
  const std::vector<std::string> folders = {in.string()};
  EXPECT_TRUE(lies_in(in.string(), folders));
  EXPECT_TRUE(lies_in((in / "a/../a/b.cu").string(), folders));
  EXPECT_TRUE(lies_in((in / "not/there").string(), folders));
  EXPECT_FALSE(lies_in((in / "../inside-not/c.cu").string(), folders));
  EXPECT_FALSE(lies_in(out.string(), folders));  // the same beginning
  EXPECT_EQ(link_out_of(in.string(), folders), "");
  fs::create_symlink(in / "a/b.cu", in / "fine.cu");
  EXPECT_EQ(link_out_of(in.string(), folders), "");
  fs::create_symlink(out / "c.cu", in / "a/out.cu");
  EXPECT_FALSE(lies_in((in / "a/out.cu").string(), folders));
  EXPECT_EQ(link_out_of(in.string(), folders), (in / "a/out.cu").string());
}

}  // namespace
}  // namespace frx
