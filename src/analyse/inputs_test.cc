#include "analyse/inputs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/temporary_directory.h"
#include "ingest/chrome_trace/testing.h"
#include "ingest/testing.h"

namespace frx::analyse {
namespace {

using ingest::Kind;
using ::testing::ElementsAre;
using testing::trace_with;

class InputsOfAFolder : public ::testing::Test {
 protected:
  void add(std::string_view name, std::string_view text) { ASSERT_TRUE(write_file(path(name), text)); }
  std::string path(std::string_view name) const { return folder_.file(name); }
  Result<std::vector<Input>> inputs() const { return inputs_of(ingest::Source::at_each({folder_.path()}), ingest::testing::catalogue()); }
  // "trace a.json" of each input.
  std::vector<std::string> described() const {
    std::vector<std::string> all;
    const Result<std::vector<Input>> found = inputs();
    if (!found) return {found.error().message};
    for (const Input& input : *found) {
      all.push_back(fmt::format("{} {}", input.kind() == Kind::trace ? "trace" : name_of(input.kind()),
                                input.folder.empty() ? "itself" : input.source.name().substr(folder_.path().size() + 1)));
    }
    return all;
  }

  TemporaryDirectory folder_ = TemporaryDirectory::make("/tmp").value();
};

TEST_F(InputsOfAFolder, AreTheTracesThatLieInIt) {
  add("b.pt.trace.json", trace_with(""));
  add("a.json", trace_with(""));
  add("settings.json", "{}");
  add("notes.txt", "\"traceEvents\"");
  EXPECT_THAT(described(), ElementsAre("trace a.json", "trace b.pt.trace.json"));
}

TEST_F(InputsOfAFolder, AreItsCodeWhenCodeLiesAnywhereBelow) {
  add("profile.pt.trace.json", trace_with(""));
  add("src/deep/kernel.cu", "");
  add("src/kernel.ptx", "");
  EXPECT_THAT(described(), ElementsAre("CUDA source src/deep/kernel.cu", "PTX src/kernel.ptx"));
}

TEST_F(InputsOfAFolder, AreTheRunWhenItIsABundle) {
  add("metadata.json", "{}");
  add("kernel.cu", "");
  EXPECT_THAT(described(), ElementsAre("a run bundle itself"));
}

TEST_F(InputsOfAFolder, AreNoneInAFolderOfOtherThings) {
  add("notes.txt", "text");
  EXPECT_THAT(described(), ElementsAre("no file of code in this folder"));
}

TEST(InputsOf, AFileThatIsNotThereGoesByItsName) {
  const auto inputs = inputs_of(ingest::Source::at_each({"/no/such.cu", "/no/such.csv"}), ingest::testing::catalogue());
  ASSERT_TRUE(inputs);
  EXPECT_EQ((*inputs)[0].kind(), Kind::cuda);
  EXPECT_EQ((*inputs)[1].kind(), Kind::profile);
}

}  // namespace
}  // namespace frx::analyse
