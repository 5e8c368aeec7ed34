#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "detect/testing.h"

namespace frx::detect {
namespace {

using ::testing::ElementsAre;
using testing::inspected;
using testing::Inspected;
using ::testing::IsEmpty;

TEST(CudaFindings, ACommentOnTheLineOrBeforeItSuppresses) {
  const Inspected on = inspected(
      "__global__ void k(float* a) {}\nvoid h(float* a) { k<<<9, 17>>>(a); check(); }  // frx: ignore "
      "poor_block_size_subwarp\n");
  EXPECT_THAT(on.codes(), IsEmpty());
  EXPECT_EQ(on.result.suppressed, 1u);
  const Inspected before = inspected(
      "__global__ void k(float* a) {}\nvoid h(float* a) {\n  /* frx: ignore excessive_branching, "
      "poor_block_size_subwarp */\n  k<<<9, 17>>>(a);\n  check();\n}\n");
  EXPECT_THAT(before.codes(), IsEmpty());
}

TEST(CudaFindings, ACommentElsewhereOrAboutAnotherRuleDoesNot) {
  const Inspected other =
      inspected("__global__ void k(float* a) {}\nvoid h(float* a) { k<<<9, 17>>>(a); check(); }  // frx: ignore excessive_branching\n");
  EXPECT_THAT(other.codes(), ElementsAre("poor_block_size_subwarp"));
  const Inspected quoted = inspected(
      "__global__ void k(float* a) {}\nconst char* s = \"// frx: ignore poor_block_size_subwarp\"; void h(float* a) { "
      "k<<<9, 17>>>(a); check(); }\n");
  EXPECT_THAT(quoted.codes(), ElementsAre("poor_block_size_subwarp"));
}

TEST(CudaFindings, AFileCanBeExemptedFromARule) {
  const Inspected all = inspected(
      "// frx: ignore-file poor_block_size_subwarp: test program\n__global__ void k(float* a) {}\n\n\n\nvoid h(float* "
      "a) { k<<<9, 17>>>(a); k<<<1, 33>>>(a); check(); }\n");
  EXPECT_THAT(all.codes(), ElementsAre("poor_block_size_unaligned"));
}

TEST(CudaFindings, CarryPlaceSnippetAndCards) {
  const Inspected all =
      inspected("__global__ void k(float* a) {}\nvoid h(float* a) {\n    k<<<dim3(2, 2), 17, 64, stream>>>(a);\n    check();\n}\n");
  ASSERT_EQ(all.result.findings.size(), 1u);
  const model::Finding& finding = all.result.findings[0];
  EXPECT_EQ(finding.place().file, "k.cu");
  EXPECT_EQ(finding.place().line, 3u);
  EXPECT_EQ(finding.place().column, 5u);
  EXPECT_EQ(finding.snippet, "k<<<dim3(2, 2), 17, 64, stream>>>(a);");
  EXPECT_THAT(finding.recommendations, ElementsAre("rec_ncu_increase_block_size"));
  const model::cuda::Launch& launch = all.inspection.launches[0];
  EXPECT_EQ(launch.raw_config, "dim3(2, 2), 17, 64, stream");
  EXPECT_EQ(launch.grid_expr, "dim3(2, 2)");
  EXPECT_EQ(launch.block_expr, "17");
  EXPECT_EQ(launch.stream_expr, "stream");
  EXPECT_EQ(launch.grid->volume(), 4u);
  EXPECT_EQ(launch.dynamic_shared_bytes, 64u);
}

TEST(CudaFindings, KernelsCarryTheDocumentedWords) {
  const Inspected all = inspected(R"(
__global__ void sum(float* out, const float* __restrict__ in, int n) {
  __shared__ float s[256];
  float v = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) v += __ldg(&in[i]);
  s[threadIdx.x] = v;
  __syncthreads();
  #pragma unroll 4
  for (int d = 128; d > 0; d >>= 1) {
    if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(out, s[0]);
})");
  const model::cuda::Kernel& kernel = all.inspection.kernels[0];
  EXPECT_EQ(kernel.signature, "__global__ void sum(float* out, const float* __restrict__ in, int n)");
  EXPECT_THAT(kernel.indexing_patterns, ElementsAre("1d_grid_stride_index", "grid_stride_loop"));
  EXPECT_THAT(kernel.memory_access_styles, ElementsAre("likely_coalesced_1d", "shared_memory_tiling", "read_only_or_constant_cache"));
  EXPECT_THAT(kernel.atomics, ElementsAre("atomicAdd"));
  EXPECT_THAT(kernel.reductions, ElementsAre("tree_reduction_loop"));
  EXPECT_EQ(kernel.loops, 2u);
  EXPECT_EQ(kernel.unrolled_loops, 1u);
  ASSERT_EQ(kernel.barriers.size(), 2u);
  EXPECT_TRUE(kernel.barriers[1].in_loop);
  EXPECT_FALSE(kernel.barriers[1].is_divergent);
  ASSERT_EQ(kernel.parameters.size(), 3u);
  EXPECT_EQ(kernel.parameters[1].name, "in");
}

TEST(CudaFindings, AdviceHasCandidatesAndNoAnswer) {
  const Inspected all = inspected(
      "__global__ void k(double* a) { __shared__ double s[4096]; s[threadIdx.x] = a[threadIdx.x]; }\nvoid h(double* a) "
      "{ k<<<1, 64>>>(a); }");
  ASSERT_EQ(all.inspection.advice.size(), 1u);
  const model::cuda::LaunchAdvice& advice = all.inspection.advice[0];
  ASSERT_EQ(advice.candidates.size(), 3u);
  EXPECT_EQ(advice.candidates[0].block_size, 128u);
  EXPECT_DOUBLE_EQ(advice.candidates[1].occupancy_pct.value(), 50.0);  // 4 blocks of 8 warps, by 33 KiB each
  EXPECT_THAT(advice.observed_block_sizes, ElementsAre(64u));
}

TEST(CudaFindings, KernelsAndLaunchesMeetAcrossFiles) {
  std::vector<model::cuda::Source> sources;
  sources.push_back(ingest::cuda::read_source("a.cu", "#include \"k.cuh\"\nvoid h(float* a) { k<<<1, THREADS>>>(a); check(); }\n").value());
  sources.push_back(
      ingest::cuda::read_source("k.cuh", "#define THREADS 48\n__global__ void k(float* a) { a[threadIdx.x] = 1; }\n").value());
  const model::cuda::Inspection inspection = derive::cuda::inspect(sources, {});
  const CudaFindings result = examine_cuda(testing::cuda_rules(), inspection, sources, "");
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings[0].id(), "poor_block_size_unaligned");
  EXPECT_EQ(result.findings[0].place().file, "a.cu");
}

}  // namespace
}  // namespace frx::detect
