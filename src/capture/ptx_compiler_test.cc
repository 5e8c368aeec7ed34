#include "capture/ptx_compiler.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "base/files.h"
#include "base/temporary_directory.h"
#include "capture/clang.h"
#include "capture/fake_host.h"

namespace frx::capture {
namespace {

// The program that Debian calls clang++, whichever version is installed.
std::optional<std::string> real_clang() {
  const char* path = std::getenv("PATH");
  for (int version = 29; version >= 13; --version) {
    const std::string name = version == 13 ? "clang++" : fmt::format("clang++-{}", version);
    if (const auto found = find_program(name, path ? path : "")) return found;
  }
  return std::nullopt;
}

class ClangPtx : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::optional<std::string> clang = real_clang();
    if (!clang) GTEST_SKIP() << "no clang++ in the path";
    host_.programs["clang++"] = *clang;  // and no toolkit
  }

  Result<CompiledPtx> compile(std::string_view source, const std::string& architecture = "") {
    EXPECT_TRUE(write_file(folder_.file("kernel.cu"), source));
    return compile_to_ptx(folder_.file("kernel.cu"), architecture, {}, host_);
  }

  FakeHost host_;
  const TemporaryDirectory folder_ = TemporaryDirectory::make(::testing::TempDir()).value();
};

TEST(PtxCompiler, SaysThatThereIsNone) {
  const Result<CompiledPtx> ptx = compile_to_ptx("kernel.cu", "", {}, FakeHost());
  ASSERT_FALSE(ptx);
  EXPECT_EQ(ptx.error().message, "neither nvcc nor clang was found");
  EXPECT_EQ(ptx.error().kind, ErrorKind::environment);
}

TEST(PtxCompiler, TakesThePlainClangBeforeNumberedOnesAndTheNewestOfThose) {
  FakeHost host;
  EXPECT_FALSE(find_clang(host));
  host.programs["clang++-14"] = "/bin/clang++-14";
  host.programs["clang++-19"] = "/bin/clang++-19";
  EXPECT_EQ(find_clang(host), "/bin/clang++-19");
  host.programs["clang++"] = "/bin/clang++";
  EXPECT_EQ(find_clang(host), "/bin/clang++");
}

TEST_F(ClangPtx, OfAKernelAndTheProgramAroundItNeedsNoToolkit) {
  const Result<CompiledPtx> ptx = compile(R"(#include <cuda_runtime.h>
#include <cstdio>
#include <vector>
__global__ void sums(const float* in, float* out, int n) {
  __shared__ float tile[256];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = i < n ? sqrtf(in[i]) : 0.0f;
  __syncthreads();
  float v = tile[threadIdx.x ^ 1];
  v += __shfl_down_sync(0xffffffffu, v, 16);
  if (threadIdx.x == 0) atomicAdd(out, fmaxf(v, 1.0f));
}
int main() {
  std::vector<float> host(1024);
  float* in = nullptr;
  cudaMalloc(&in, 4096);
  cudaMemcpy(in, host.data(), 4096, cudaMemcpyHostToDevice);
  sums<<<4, dim3(256)>>>(in, in, 1024);
  std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
)");
  ASSERT_TRUE(ptx) << to_string(ptx.error());
  EXPECT_NE(ptx->text.find(".entry _Z4sumsPKfPfi"), std::string::npos);
  EXPECT_NE(ptx->text.find("bar.sync"), std::string::npos);
  EXPECT_NE(ptx->text.find("shfl.sync.down"), std::string::npos);
  EXPECT_NE(ptx->text.find(".loc"), std::string::npos);
  EXPECT_TRUE(ptx->compiler.starts_with("clang ") && ptx->compiler.ends_with(" without the CUDA toolkit")) << ptx->compiler;
}

TEST_F(ClangPtx, ForAGpuThatClangDoesNotKnowIsForAnOlderOne) {
  const Result<CompiledPtx> ptx = compile("__global__ void k(int* a) { a[threadIdx.x] = 1; }", "sm_199");
  ASSERT_TRUE(ptx) << to_string(ptx.error());
  EXPECT_NE(ptx->text.find(".target sm_80"), std::string::npos);
}

TEST_F(ClangPtx, WhatIsMissingIsNamed) {
  const Result<CompiledPtx> header = compile("#include <cuda_fp16.h>\n__global__ void k(__half* a) {}\n");
  ASSERT_FALSE(header);
  EXPECT_NE(header.error().message.find("'cuda_fp16.h' file not found"), std::string::npos) << header.error().message;
  EXPECT_NE(header.error().hint.find("few declarations"), std::string::npos);
  const Result<CompiledPtx> name = compile("int main() { return cudaGraphInstantiate(0); }\n");
  ASSERT_FALSE(name);
  EXPECT_NE(name.error().message.find("'cudaGraphInstantiate'"), std::string::npos) << name.error().message;
}

}  // namespace
}  // namespace frx::capture
