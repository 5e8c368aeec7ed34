#include "analyse/programs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "analyse/source_headers.h"
#include "base/files.h"
#include "base/temporary_directory.h"
#include "ingest/testing.h"

namespace frx::analyse {
namespace {

using ::testing::ElementsAre;

class Programs : public ::testing::Test {
 protected:
  void add(const std::string& name, std::string_view text) {
    std::filesystem::create_directories(std::filesystem::path(folder_.file(name)).parent_path());
    ASSERT_TRUE(write_file(folder_.file(name), text));
  }
  // "src/k.cu: src" of each file, in the order of their names.
  std::vector<std::string> found() const {
    const Result<std::vector<Input>> inputs = inputs_of(ingest::Source::at_each({folder_.path()}), ingest::testing::catalogue());
    if (!inputs) return {inputs.error().message};
    const Result<SourceHeaders> headers = SourceHeaders::of(*inputs, {});
    if (!headers) return {headers.error().message};
    const std::size_t begin = folder_.path().size() + 1;
    std::vector<std::string> all;
    const std::vector<std::string> folders = program_folders(*inputs, headers->includes());
    for (std::size_t i = 0; i < inputs->size(); ++i)
      all.push_back((*inputs)[i].source.name().substr(begin) + ": " + folders[i].substr(std::min(begin, folders[i].size())));
    return all;
  }

  TemporaryDirectory folder_ = TemporaryDirectory::make("/tmp").value();
};

constexpr std::string_view scale_kernel = "__global__ void scale(float* x) { x[threadIdx.x] *= 2; }\n";

TEST_F(Programs, AHeaderOfAnotherFolderBelongsToTheProgramThatIncludesIt) {
  add("include/lib/scale.cuh", scale_kernel);
  add("include/lib/unused.cuh", scale_kernel);
  add("src/main.cu", "#include <lib/scale.cuh>\nint main() { scale<<<1, 32>>>(0); }\n");
  EXPECT_THAT(found(), ElementsAre("include/lib/scale.cuh: src", "include/lib/unused.cuh: include/lib", "src/main.cu: src"));
}

TEST_F(Programs, OfSeveralProgramsItIsTheLargest) {
  add("bench/one.cu", "#include \"../include/scale.cuh\"\n");
  add("include/scale.cuh", "#include \"deeper.cuh\"\n");
  add("include/deeper.cuh", scale_kernel);
  add("src/a.cu", "#include \"../include/scale.cuh\"\n");
  add("src/b.cu", scale_kernel);
  EXPECT_THAT(found(),
              ElementsAre("bench/one.cu: bench", "include/deeper.cuh: src", "include/scale.cuh: src", "src/a.cu: src", "src/b.cu: src"));
}

TEST_F(Programs, ItsOwnFolderComesFirst) {
  add("app/a.cu", "#include \"../lib/tile.cuh\"\n");
  add("app/b.cu", scale_kernel);
  add("lib/lib.cu", "#include \"tile.cuh\"\n");
  add("lib/tile.cuh", scale_kernel);
  EXPECT_THAT(found(), ElementsAre("app/a.cu: app", "app/b.cu: app", "lib/lib.cu: lib", "lib/tile.cuh: lib"));
}

TEST_F(Programs, ACuFileThatIsIncludedIsNotCompiledByItself) {
  add("kernels/scale.cu", scale_kernel);
  add("main.cu", "#include \"kernels/scale.cu\"\n");
  add("samples/one.cu", scale_kernel);
  EXPECT_THAT(found(), ElementsAre("kernels/scale.cu: ", "main.cu: ", "samples/one.cu: samples"));
}

}  // namespace
}  // namespace frx::analyse
