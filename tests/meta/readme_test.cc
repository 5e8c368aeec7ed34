// What the README shows is what the program prints.
#include <gtest/gtest.h>

#include "cli/test_io.h"
#include "meta/repository.h"

namespace frx::testing {
namespace {

// The lines between the first ``` behind `sentence` and the next one.
std::string block_behind(std::string_view readme, std::string_view sentence) {
  const std::size_t said = readme.find(sentence);
  if (said == readme.npos) return "";
  const std::size_t begin = readme.find("```\n", said) + 4;
  return std::string(readme.substr(begin, readme.find("```", begin) - begin));
}

TEST(Readme, ShowsWhatTheDemoPrints) {
  const std::string block = block_behind(content(repository() / "README.md"), "(cut; `make demo` prints all of it)");
  ASSERT_FALSE(block.empty());
  fs::current_path(repository());  // the report names the file as it was named
  cli::TestIo io;
  ASSERT_EQ(io.run({"profile", "--ncu", "demos/ncu/strided_copy.csv"}), 0);
  const std::string& printed = io.out();
  std::size_t parts = 0;
  for (std::size_t at = 0, next = 0; at != block.npos; at = next) {
    next = block.find("...\n", at);
    const std::string part = block.substr(at, next == block.npos ? next : next - at);
    if (next != block.npos) next += 4;
    EXPECT_NE(printed.find(part), std::string::npos) << part;
    parts += part.empty() ? 0 : 1;
  }
  EXPECT_GE(parts, 2u);
}

}  // namespace
}  // namespace frx::testing
