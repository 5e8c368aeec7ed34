#include "analyse/source_headers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace frx::analyse {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(SourceHeaders, TakesTheFoldersOfHeadersFromCompileCommands) {
  EXPECT_THAT(include_folders_in(R"([{"directory": "/b", "command": "nvcc -Iinc -I /x/y -isystem /z -DN=4 -c a.cu", "file": "a.cu"}])"),
              ElementsAre("/b/inc", "/x/y", "/z"));
  EXPECT_THAT(include_folders_in(R"([{"directory": "/b", "arguments": ["nvcc", "-I", "one", "-Itwo", "-Itwo"], "file": "a.cu"}])"),
              ElementsAre("/b/one", "/b/two"));
  EXPECT_THAT(include_folders_in("["), IsEmpty());
  EXPECT_THAT(include_folders_in("\"no end"), IsEmpty());
}

}  // namespace
}  // namespace frx::analyse
