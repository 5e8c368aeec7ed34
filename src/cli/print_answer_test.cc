#include "cli/print_answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/files.h"
#include "capture/fake_host.h"
#include "cli/test_io.h"

namespace frx::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

answer::Answer an_answer() {
  answer::Answer answer;
  answer.document = [](answer::Detail) {
    answer::Document page;
    page.headline = "Memory bandwidth";
    return page;
  };
  return answer;
}

TEST(OpenPage, WritesItAndShowsItInABrowser) {
  TestIo io;
  capture::FakeHost host;
  host.programs = {{"xdg-open", "/usr/bin/xdg-open"}, {"setsid", "/usr/bin/setsid"}};
  host.answers = {{"/usr/bin/setsid --fork", capture::FakeHost::said("")}};
  io.io.host = &host;
  ASSERT_TRUE(open_if_asked("analyze", true, "html", io.io));
  ASSERT_TRUE(print_answer(io.io, an_answer(), "html"));
  const std::string path = io.out().substr(0, io.out().find('\n'));
  EXPECT_THAT(read_file(path).value(), HasSubstr("<h1>Memory bandwidth</h1>"));
  ASSERT_EQ(host.ran.size(), 1u);
  EXPECT_THAT(host.ran[0].argv, ElementsAre("/usr/bin/setsid", "--fork", "/usr/bin/xdg-open", path));
  std::filesystem::remove_all(std::filesystem::path(path).parent_path());
}

TEST(OpenPage, SaysThatThereIsNothingToShowItWith) {
  TestIo io;
  capture::FakeHost host;
  io.io.host = &host;
  ASSERT_TRUE(open_if_asked("analyze", true, "html", io.io));
  ASSERT_TRUE(print_answer(io.io, an_answer(), "html"));
  EXPECT_THAT(io.err(), HasSubstr("there is no xdg-open"));
  std::filesystem::remove_all(std::filesystem::path(io.out().substr(0, io.out().find('\n'))).parent_path());
}

TEST(OpenPage, IsForPagesOnly) {
  TestIo io;
  const Result<> opened = open_if_asked("analyze", true, "json", io.io);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().kind, ErrorKind::usage);
}

}  // namespace
}  // namespace frx::cli
