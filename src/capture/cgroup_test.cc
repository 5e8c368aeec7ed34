#include "capture/cgroup.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "base/files.h"
#include "base/temporary_directory.h"

namespace frx::capture {
namespace {

constexpr std::string_view systemd_mounts =
    "24 30 0:22 / /sys rw,nosuid shared:7 - sysfs sysfs rw\n"
    "35 24 0:30 / /sys/fs/cgroup rw,nosuid,nodev shared:9 - cgroup2 cgroup2 rw,nsdelegate\n";

TEST(OwnCgroup, IsBelowTheHierarchyOfVersion2) {
  EXPECT_EQ(own_cgroup("0::/user.slice/user-1000.slice/session-3.scope\n", systemd_mounts),
            "/sys/fs/cgroup/user.slice/user-1000.slice/session-3.scope");
  EXPECT_EQ(own_cgroup("0::/\n", systemd_mounts), "/sys/fs/cgroup");
}

TEST(OwnCgroup, IsTheOneOfVersion2AmongOthers) {
  const std::string_view mounts =
      "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw,mode=755\n"
      "36 31 0:33 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n"
      "41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw\n";
  EXPECT_EQ(own_cgroup("4:memory:/jobs/7\n0::/jobs\n", mounts), "/sys/fs/cgroup/unified/jobs");
  EXPECT_EQ(own_cgroup("4:memory:/jobs/7\n", mounts), std::nullopt);
}

// A container in which a part of the hierarchy is mounted under a name with a blank.
TEST(OwnCgroup, IsRelativeToThePartThatIsMounted) {
  const std::string_view mounts = R"(35 24 0:30 /docker/ab12 /my\040groups rw - cgroup2 cgroup2 rw)";
  EXPECT_EQ(own_cgroup("0::/docker/ab12/job\n", mounts), "/my groups/job");
  EXPECT_EQ(own_cgroup("0::/docker/ab12\n", mounts), "/my groups");
  EXPECT_EQ(own_cgroup("0::/docker/ab123\n", mounts), std::nullopt);
  EXPECT_EQ(own_cgroup("0::/elsewhere\n", mounts), std::nullopt);
}

TEST(OwnCgroup, IsUnknownWhereItCannotBeSeen) {
  EXPECT_EQ(own_cgroup("0::/../../other\n", systemd_mounts), std::nullopt);
  EXPECT_EQ(own_cgroup("0::/job (deleted)\n", systemd_mounts), std::nullopt);
  EXPECT_EQ(own_cgroup("0::/\n", "24 30 0:22 / /sys rw shared:7 - sysfs sysfs rw\n"), std::nullopt);
  EXPECT_EQ(own_cgroup("", ""), std::nullopt);
  EXPECT_EQ(own_cgroup("0::/\n", "35 24 - cgroup2\n"), std::nullopt);
}

TEST(Cgroup, IsNotMadeInAFolderThatIsNone) {
  const TemporaryDirectory folder = TemporaryDirectory::make("/tmp").value();
  EXPECT_EQ(Cgroup::make_below(folder.path(), 100), nullptr);
  EXPECT_EQ(Cgroup::make_below("/no/such/folder", 100), nullptr);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(Cgroup, EndsAllThatIsInIt) {
  std::unique_ptr<Cgroup> group = Cgroup::make(4096);
  if (!group) GTEST_SKIP() << "no control group of version 2 may be made here";
  const std::string path = group->path();
  const pid_t pid = ::fork();
  if (pid == 0) {
    [[maybe_unused]] const ssize_t moved = ::write(group->members(), "0", 1);
    ::setsid();
    ::pause();
    ::_exit(0);
  }
  while (read_file(path + "/cgroup.procs").value_or("").empty()) ::usleep(1000);
  EXPECT_FALSE(group->reached_limit());
  group.reset();
  int status = 0;
  ::waitpid(pid, &status, 0);
  EXPECT_EQ(WTERMSIG(status), SIGKILL);
  EXPECT_FALSE(std::filesystem::exists(path));
}

}  // namespace
}  // namespace frx::capture
