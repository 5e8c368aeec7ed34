#include "analyse/inputs.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

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

TEST_F(InputsOfAFolder, AreFilesForTheHostThatDefineOrLaunchKernels) {
  add("defines.hpp", "template <typename T> __global__ void copy(T* a) {}\n");
  add("launches.h", "struct Runner { void run(float* a, int n) { scale<<<n / 256, 256>>>(a); } };\n");
  add("spaced.cpp", "void run(float* a, int n) {\n  scale<float>\n    << <n / 256, 256 >> > (a);\n}\n");
  add("text.cpp", "const char* usage = \"scale<<<n / 256, 256>>>(a)\";\n// scale<<<1, 256>>>(a);\n");
  add("conflict.cpp", "<<<<<<< ours\nint a;\n=======\nint b;\n>>>>>>> theirs\n");
  add("shifts.cpp", "int f(int a, int b) { return a << b >> (2); }\nstd::vector<std::vector<std::vector<int>>> g(3);\n");
  EXPECT_THAT(described(), ElementsAre("CUDA source defines.hpp", "CUDA source launches.h", "CUDA source spaced.cpp"));
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

// What cannot be read must not pass a check that fails on findings.
TEST_F(InputsOfAFolder, AreAlsoTheCodeThatCannotBeRead) {
  namespace fs = std::filesystem;
  add("b.cu", "");
  fs::create_symlink("/no/such/file", path("a.cu"));
  ASSERT_EQ(mkfifo(path("c.ptx").c_str(), 0600), 0);
  fs::create_symlink("/", path("everything"));
  EXPECT_THAT(described(), ElementsAre("CUDA source b.cu", "CUDA source a.cu", "PTX c.ptx"));
  std::vector<Input> all = std::move(inputs()).value();
  EXPECT_EQ(all[1].source.text(1).error().message, "cannot open: No such file or directory");
  EXPECT_EQ(all[2].source.text(1).error().message, "expected a file, found a pipe or a device");
}

// A path that is longer than the system takes: not even root may list it.
TEST_F(InputsOfAFolder, AreAlsoFoldersThatCannotBeListed) {
  add("b.cu", "");
  const std::string name(200, 'd');
  int at = open(folder_.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  for (int depth = 0; depth < 25; ++depth) {
    ASSERT_EQ(mkdirat(at, name.c_str(), 0700), 0);
    const int below = openat(at, name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    close(at);
    ASSERT_GE(below, 0);
    at = below;
  }
  close(at);
  std::vector<Input> all = std::move(inputs()).value();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[1].source.text(1).error().message, "cannot read the folder: File name too long");
}

TEST(InputsOf, AFileThatIsNotThereGoesByItsName) {
  const auto inputs = inputs_of(ingest::Source::at_each({"/no/such.cu", "/no/such.csv"}), ingest::testing::catalogue());
  ASSERT_TRUE(inputs);
  EXPECT_EQ((*inputs)[0].kind(), Kind::cuda);
  EXPECT_EQ((*inputs)[1].kind(), Kind::profile);
}

}  // namespace
}  // namespace frx::analyse
