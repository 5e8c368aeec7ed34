#include "cli/implementation_comparison.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "base/files.h"
#include "base/temporary_directory.h"
#include "capture/fake_host.h"
#include "cli/test_io.h"

namespace frx::cli {
namespace {

constexpr std::string_view kernel =
    "__global__ void scale(float* x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] *= 2.0f; }\n";

// tests/support/fake_nvcc makes a shell script of comments in the source, tests/support/fake_ncu "profiles" it.
class CompareWithNcu : public ::testing::Test {
 protected:
  void SetUp() override {
    host_.programs["ncu"] = capture::fake_ncu_folder() + "/ncu";
    host_.programs["nvcc"] = capture::fake_ncu_folder() + "/../fake_nvcc/nvcc";
    host_.variables["TMPDIR"] = scratch_.path();
    test_.io.host = &host_;
    options_.with_ncu = true;
    options_.first = written("a.cu", "echo a");
    options_.second = written("b.cu", "echo b");
  }

  std::string written(const std::string& name, const std::string& run) {
    EXPECT_TRUE(write_file(folder_.file(name), fmt::format("// fake nvcc: run {}\n{}", run, kernel)));
    return folder_.file(name);
  }
  // What was printed, in one line.
  std::string compared() {
    const Result<int> code = compare_implementations(options_, {}, test_.io);
    EXPECT_TRUE(code) << (code ? "" : to_string(code.error()));
    std::string text = test_.out();
    for (std::size_t at = text.find('\n'); at != text.npos; at = text.find('\n', at)) {
      std::size_t end = text.find_first_not_of(" \n", at);
      text.replace(at, std::min(end, text.size()) - at, " ");
    }
    return text;
  }
  bool left_nothing() const { return std::filesystem::is_empty(scratch_.path()); }

  TemporaryDirectory folder_ = TemporaryDirectory::make(::testing::TempDir()).value();
  TemporaryDirectory scratch_ = TemporaryDirectory::make(::testing::TempDir()).value();
  capture::FakeHost host_;
  TestIo test_;
  ImplementationOptions options_;
};

TEST_F(CompareWithNcu, BothSidesAreMeasured) {
  EXPECT_NE(compared().find("Tie: the kernels take as long on both sides."), std::string::npos) << test_.out();
  EXPECT_TRUE(left_nothing());
}

TEST_F(CompareWithNcu, AProgramThatHangsIsEndedAndTheOtherKept) {
  options_.second = written("b.cu", "sleep 600");
  options_.time_limit = std::chrono::milliseconds(500);
  const std::string text = compared();
  EXPECT_NE(text.find("a.cu (source, Nsight Compute)"), std::string::npos) << text;
  EXPECT_NE(text.find("profile of b.cu (run): ncu was ended: "), std::string::npos) << text;
  EXPECT_TRUE(left_nothing());
}

TEST_F(CompareWithNcu, AProgramThatCrashesHasNoTime) {
  options_.second = written("b.cu", "kill -SEGV $$");
  const std::string text = compared();
  EXPECT_NE(text.find("b.cu (source)"), std::string::npos) << text;
  EXPECT_NE(text.find("profile of b.cu (run): the application ended with exit code 139"), std::string::npos) << text;
  EXPECT_TRUE(left_nothing());
}

TEST_F(CompareWithNcu, WithoutNcuNothingIsCompiledAndTheRemedyIsNamed) {
  host_.programs.erase("ncu");
  const std::string text = compared();
  EXPECT_NE(text.find("profile of a.cu and b.cu (run): Nsight Compute (ncu) was not found"), std::string::npos) << text;
  EXPECT_NE(text.find("bring the files here: --ncu-a, --ncu-b"), std::string::npos) << text;
  EXPECT_TRUE(left_nothing());
}

TEST_F(CompareWithNcu, WithoutPermissionTheRemedyIsNamed) {
  ::setenv("FAKE_NCU", "no_permission", 1);
  const std::string text = compared();
  ::unsetenv("FAKE_NCU");
  EXPECT_NE(text.find("profile of a.cu and b.cu (run): "), std::string::npos) << text;
  EXPECT_NE(text.find("permission"), std::string::npos) << text;
  EXPECT_NE(text.find("NVreg_RestrictProfilingToAdminUsers=0"), std::string::npos) << text;
  EXPECT_NE(text.find("a.cu (source"), std::string::npos) << text;  // what the source tells is still compared
  EXPECT_TRUE(left_nothing());
}

TEST_F(CompareWithNcu, WithoutNvccTheRemedyIsNamed) {
  host_.programs.erase("nvcc");
  const std::string text = compared();
  EXPECT_NE(text.find("profile of a.cu and b.cu (run): nvcc was not found; it is part of the CUDA toolkit"), std::string::npos) << text;
  EXPECT_TRUE(left_nothing());
}

// PTX of one side alone must not withdraw that side's findings.
TEST_F(CompareWithNcu, PtxOfOneSideAloneLeavesTheFindingsAsTheyAre) {
  const std::string strided =
      "__global__ void k(float* x, const float* y, int n, int s) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i * s] = "
      "y[i]; }\n";
  const std::string ptx = ".version 8.4\n.target sm_86\n.address_size 64\n.visible .entry _Z1kPfPKfii()\n{\nret;\n}\n";
  EXPECT_TRUE(write_file(folder_.file("k.ptx"), ptx));
  EXPECT_TRUE(write_file(folder_.file("a.cu"), "// fake nvcc: ptx k.ptx\n" + strided));
  EXPECT_TRUE(write_file(folder_.file("b.cu"), "// fake nvcc: error nothing here compiles\n" + strided));
  options_.with_ncu = false;
  options_.with_ptx = true;
  const std::string text = compared();
  EXPECT_NE(text.find("a.cu (source, PTX)"), std::string::npos) << text;
  EXPECT_NE(text.find("PTX of b.cu (compile): nvcc ended with exit code 2"), std::string::npos) << text;
  EXPECT_NE(text.find("Tie: "), std::string::npos) << text;
  EXPECT_TRUE(left_nothing());
}

}  // namespace
}  // namespace frx::cli
