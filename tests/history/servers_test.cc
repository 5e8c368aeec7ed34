#include "history/servers.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "base/files.h"
#include "base/temporary_directory.h"

namespace frx::testing {
namespace {

TEST(Servers, ThatDoNotStartAreNoReasonToSkip) {
  const TemporaryDirectory folder = *TemporaryDirectory::make("/tmp");
  const std::string program = folder.file("clickhouse-server"), path = std::getenv("PATH");
  ASSERT_TRUE(write_file(program, "#!/bin/sh\nexit 1\n"));
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  ::setenv("PATH", (std::filesystem::path(program).parent_path().string() + ":" + path).c_str(), 1);
  const Servers servers({"--shards", "1"});
  ::setenv("PATH", path.c_str(), 1);
  EXPECT_EQ(servers.skip(), "");
  EXPECT_EQ(servers.error(), "the servers did not start");
}

}  // namespace
}  // namespace frx::testing
