// Small kernels that mislead a checker made of text patterns, each with the correct result.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "detect/testing.h"

namespace frx::detect {
namespace {

using ::testing::ElementsAre;
using testing::inspected;
using testing::Inspected;
using ::testing::IsEmpty;

std::vector<std::string> kernels(const Inspected& all) {
  std::vector<std::string> names;
  for (const model::cuda::Kernel& kernel : all.inspection.kernels) names.push_back(kernel.name);
  return names;
}

TEST(CudaWeakSpots, F1LaunchBoundsBeforeTheNameAreNoName) {
  const Inspected all =
      inspected("__global__ void __launch_bounds__(256) k(float* a, int n) {}\nvoid h(float* a) { k<<<1, 256>>>(a, 1); }\n");
  EXPECT_THAT(kernels(all), ElementsAre("k"));
  EXPECT_EQ(all.inspection.kernels[0].max_threads, 256);
  ASSERT_EQ(all.inspection.launches.size(), 1u);
  EXPECT_EQ(all.inspection.launches[0].kernel, "k");
}

TEST(CudaWeakSpots, F2NestedBracketsAttributesAndDefaultsAreRead) {
  const Inspected all = inspected(R"(
__global__ void __launch_bounds__((256), (2)) a(float* p) {}
__global__ __attribute__((used)) void b(float* p) {}
struct Two { int x, y; };
__global__ void c(float* p, Two t = {1, 2}) {}
)");
  EXPECT_THAT(kernels(all), ElementsAre("a", "b", "c"));
  EXPECT_EQ(all.inspection.kernels[0].max_threads, 256);
  EXPECT_EQ(all.inspection.kernels[0].min_blocks, 2);
}

TEST(CudaWeakSpots, F2AMacroMayMakeAKernel) {
  const Inspected all = inspected(
      "#define MY_KERNEL_FUNCTION extern \"C\" __global__\nMY_KERNEL_FUNCTION void a(float* p) "
      "{}\nCUB_DETAIL_KERNEL_ATTRIBUTES void b(float* p) {}\n");
  EXPECT_THAT(kernels(all), ElementsAre("a", "b"));
  EXPECT_EQ(all.inspection.kernels[0].place.column, 25u);
}

TEST(CudaWeakSpots, F3ATemplatedLaunchIsALaunchOfItsKernel) {
  const Inspected all = inspected("template <typename T> __global__ void k(T* a) {}\nvoid h(float* a) { k<float><<<1, 64>>>(a); }\n");
  ASSERT_EQ(all.inspection.launches.size(), 1u);
  EXPECT_EQ(all.inspection.launches[0].kernel, "k");
  EXPECT_EQ(all.inspection.launches[0].raw_config, "1, 64");
}

TEST(CudaWeakSpots, F4BlockSizesAreFoldedHoweverTheyAreWritten) {
  const Inspected all = inspected(R"(
__global__ void k(float* a) { a[threadIdx.x] = 1; }
void h(float* a) {
  dim3 b(17, 1);
  k<<<9, b>>>(a);
  k<<<9, dim3(17)>>>(a);
  k<<<9, dim3{17, 1, 1}>>>(a);
  const int T = 17;
  k<<<9, T>>>(a);
  k<<<9, (17)>>>(a);
  b.y = 2;
  k<<<9, b>>>(a);
  check();
}
)");
  ASSERT_EQ(all.inspection.launches.size(), 6u);
  for (std::size_t i = 0; i < 5; ++i) {
    ASSERT_TRUE(all.inspection.launches[i].block) << i;
    EXPECT_EQ(all.inspection.launches[i].block->volume(), 17u) << i;
  }
  EXPECT_EQ(all.inspection.launches[5].block->volume(), 34u);
  EXPECT_THAT(all.codes(), ElementsAre("poor_block_size_subwarp", "poor_block_size_subwarp", "poor_block_size_subwarp",
                                       "poor_block_size_subwarp", "poor_block_size_subwarp", "poor_block_size_unaligned"));
}

TEST(CudaWeakSpots, ACallWithAKernelAndItsExtentsIsALaunch) {
  constexpr const char* kernel = "template <typename T> __global__ void k(T* a) { a[threadIdx.x] = 1; }\n";
  for (const char* body :
       {"cudaLaunchKernel((const void*)k<float>, dim3(4), dim3(48), args, 64, s);",
        "cudaLaunchCooperativeKernel((void*)&k<float>, 4, dim3(48), args, 64, s);",
        "dim3 g(4), b(48); cudaLaunchCooperativeKernel((void*)&k<float>, g, b, args, 64, s);",
        "hipLaunchKernelGGL(k<float>, 4, 48, 64, s, a);",
        "cudaLaunchConfig_t c = {}; c.gridDim = 4; c.blockDim = dim3(48); c.dynamicSmemBytes = 64;"
        " cudaLaunchKernelEx(&c, k<float>, a);",
        "const Params p = {dim3(4), dim3(48), 64, s}; launch(k<float>, p, a);",
        "Params p(dim3(4), dim3(48), 64, s); launch(k<float>, p, a);", "Chevron(dim3(4), dim3(48), 64, s).run(k<float>, a);"}) {
    const Inspected all = inspected(kernel + fmt::format("void host(float* a, void** args, cudaStream_t s) {{ {} }}", body));
    ASSERT_EQ(all.inspection.launches.size(), 1u) << body;
    const model::cuda::Launch& launch = all.inspection.launches[0];
    EXPECT_EQ(launch.kernel, "k") << body;
    ASSERT_TRUE(launch.block.has_value()) << body;
    EXPECT_EQ(launch.block->x, 48u) << body;
    EXPECT_EQ(launch.dynamic_shared_bytes, 64u) << body;
    EXPECT_TRUE(all.has("poor_block_size_unaligned")) << body;
  }
}

TEST(CudaWeakSpots, AnArgumentBehindTheExtentsOfAHelperIsNoSharedMemory) {
  const Inspected all = inspected(
      "__global__ void k(float* a, int n) { a[threadIdx.x] = n; }\n"
      "void host(float* a) { launch(k, dim3(4), dim3(48), 100000, a); }");
  ASSERT_EQ(all.inspection.launches.size(), 1u);
  EXPECT_FALSE(all.inspection.launches[0].dynamic_shared_bytes.has_value());
}

TEST(CudaWeakSpots, AskingForAKernelsAttributesIsNoLaunch) {
  EXPECT_THAT(inspected("__global__ void k(float* a) { a[0] = 1; }\nvoid host() { int n; dim3 b(48);"
                        " cudaFuncSetAttribute(k, 8, 1024); cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, k, 48, 0); }")
                  .inspection.launches,
              IsEmpty());
}

TEST(CudaWeakSpots, F4AProductInBracketsIsNoFunction) {
  const Inspected all = inspected(
      "__global__ void k(float* a) {}\nvoid h(float* a) { const int edge = 4; dim3 b(edge * edge); k<<<9, b>>>(a); "
      "}\n");
  ASSERT_EQ(all.inspection.launches.size(), 1u);
  ASSERT_TRUE(all.inspection.launches[0].block);
  EXPECT_EQ(all.inspection.launches[0].block->volume(), 16u);
}

TEST(CudaWeakSpots, F5LinesCountThroughBlockComments) {
  const Inspected all = inspected("/* one\n two\n three */\n\n__global__ void k(float* a) {}\n");
  EXPECT_EQ(all.inspection.kernels[0].place.line, 5u);
  EXPECT_EQ(all.inspection.kernels[0].place.column, 17u);
}

TEST(CudaWeakSpots, F6StringsHoldNoComments) {
  const Inspected all = inspected(R"(
const char* a = "http://x"; const char* b = "/*"; const char* c = "{";
__global__ void k(float* p) { if (threadIdx.x == 0) printf("}{ // %d", 1); }
)");
  EXPECT_THAT(kernels(all), ElementsAre("k"));
}

TEST(CudaWeakSpots, F7WhatIsSwitchedOffOrQuotedIsNoKernel) {
  const Inspected all = inspected(
      "#if 0\n__global__ void off(float* a) {}\n#else\n__global__ void on(float* a) {}\n#endif\n"
      "const char* source = R\"cu(\n__global__ void text(float* a) {}\n)cu\";\n// __global__ void comment() {}\n");
  EXPECT_THAT(kernels(all), ElementsAre("on"));
}

TEST(CudaWeakSpots, F7BothSidesOfAnUnknownConditionAreRead) {
  const Inspected all = inspected("#ifdef FAST\n__global__ void fast() {}\n#else\n__global__ void safe() {}\n#endif\n");
  EXPECT_THAT(kernels(all), ElementsAre("fast", "safe"));
}

TEST(CudaWeakSpots, F7OneOfTwoHeadsIsEnoughForOneBody) {
  const Inspected all = inspected(
      "#ifdef A\n__global__ void k(int* a, int n) {\n#else\n__global__ void k(int* a) {\n#endif\n  a[0] = 1;\n}\n"
      "__global__ void next(int* a) {}\n");
  EXPECT_THAT(kernels(all), ElementsAre("k", "next"));
  EXPECT_EQ(all.sources[0].errors, 0u);
}

std::vector<std::string> codes_of(std::string_view text) { return inspected(text).codes(); }

TEST(CudaWeakSpots, F8AnEarlyReturnAndAGridStrideLoopAreGuards) {
  EXPECT_FALSE(inspected("__global__ void k(double* a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i "
                         ">= n) return; a[i] = 1; }")
                   .has("missing_obvious_bounds_guard"));
  EXPECT_THAT(codes_of("__global__ void k(double* a, int n) { for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < "
                       "n; i += gridDim.x * blockDim.x) a[i] = 1; }"),
              IsEmpty());
}

TEST(CudaWeakSpots, F9AComparisonOfSomethingElseIsNoGuard) {
  EXPECT_THAT(codes_of("__global__ void k(double* a, int m) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (m < "
                       "3) m = 3; a[i] = m; }"),
              ElementsAre("missing_obvious_bounds_guard"));
  EXPECT_THAT(codes_of("template <typename T> __device__ bool foo(int n) { return n > 0; }\n"
                       "__global__ void k(double* a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if "
                       "(foo<int>(n)) a[i] = n; }"),
              ElementsAre("missing_obvious_bounds_guard"));
}

TEST(CudaWeakSpots, F10AVariableCalledWidthIsNoStride) {
  EXPECT_THAT(codes_of("__global__ void k(double* img, int width, int h) { int x = blockIdx.x * blockDim.x + "
                       "threadIdx.x; int y = blockIdx.y;"
                       " if (x < width && y < h) img[y * width + x] = 1; }"),
              IsEmpty());
}

TEST(CudaWeakSpots, F11StridesAreFoundByAddresses) {
  const auto strided = [](std::string_view body) {
    return inspected(fmt::format("struct S {{ float x, y, z, w; }};\n__global__ void k(float* s, S* t, float* B, int "
                                 "K, int N, int n) {{"
                                 " int i = blockIdx.x * blockDim.x + threadIdx.x, col = i; if (i < n) {{ {} }} }}",
                                 body))
        .has("uncoalesced_access");
  };
  EXPECT_TRUE(strided("s[i * N] = 1;"));
  EXPECT_TRUE(strided("t[i].x = 1;"));
  EXPECT_TRUE(strided("for (int k = 0; k < K; ++k) B[col * K + k] = 1;"));
  EXPECT_TRUE(strided("s[i << 3] = 1;"));
  EXPECT_FALSE(strided("s[i] = 1;"));
  EXPECT_FALSE(strided("s[N * K + i] = 1;"));
  EXPECT_FALSE(strided("s[(i / 32) * 32 + (i % 32)] = 1;"));
}

TEST(CudaWeakSpots, TheStrideOfAGridIsNone) {
  EXPECT_FALSE(inspected("__global__ void k(double* out, const double* in, int count) { int tid = blockIdx.x * "
                         "blockDim.x + threadIdx.x; double s = 0;"
                         " for (int i = 0; i < 8; ++i) s += in[tid + i * count]; if (tid < count) out[tid] = s; }")
                   .has("uncoalesced_access"));
}

constexpr const char* transpose = R"(
__global__ void transpose(float* out, const float* in, int n) {{
  __shared__ float tile[32][{}];
  tile[threadIdx.y][threadIdx.x] = in[(blockIdx.y * 32 + threadIdx.y) * n + blockIdx.x * 32 + threadIdx.x];
  __syncthreads();
  out[(blockIdx.x * 32 + threadIdx.y) * n + blockIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}})";

TEST(CudaWeakSpots, F12ThePaddedTileIsRightAndTheSquareOneConflicts) {
  EXPECT_THAT(codes_of(fmt::format(transpose, 33)), IsEmpty());
  const Inspected square = inspected(fmt::format(transpose, 32));
  EXPECT_THAT(square.codes(), ElementsAre("possible_shared_memory_bank_conflict"));
  EXPECT_NE(square.result.findings[0].message.view().find("32 different words"), std::string::npos)
      << square.result.findings[0].message.view();
  EXPECT_EQ(square.result.findings[0].place().line, 6u);
}

TEST(CudaWeakSpots, F13ARowOfSharedMemoryHasNoConflict) {
  EXPECT_THAT(codes_of("__global__ void k(float* a) { __shared__ float s[256]; s[threadIdx.x] = a[threadIdx.x]; "
                       "__syncthreads(); a[threadIdx.x] = s[255 - threadIdx.x]; }"),
              IsEmpty());
}

TEST(CudaWeakSpots, AnArrayInASharedUnionIsShared) {
  EXPECT_FALSE(inspected("__global__ void k(int* a, int n) { __shared__ union { int counts[64]; float sums[64]; } "
                         "temp; int i = threadIdx.x * n;"
                         " temp.counts[i] = a[threadIdx.x]; __syncthreads(); a[threadIdx.x] = temp.counts[i]; }")
                   .has("uncoalesced_access"));
}

TEST(CudaWeakSpots, F14ADotProductIsNoMatrixProduct) {
  EXPECT_THAT(codes_of("__global__ void dot(const float* x, const float* y, float* out, int n) { float acc = 0;"
                       " for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) acc "
                       "+= x[i] * y[i]; atomicAdd(out, acc); }"),
              ElementsAre("atomics_on_one_address", "missing_vectorized_loads"));
}

TEST(CudaWeakSpots, AProductThatIsZeroBeyondTheEndIsAProduct) {
  for (const char* term : {"k < n ? a[row * n + k] * b[k * n + col] : 0", "k >= n ? 0 : a[row * n + k] * b[k * n + col]"}) {
    EXPECT_TRUE(inspected("__global__ void gemm(const float* a, const float* b, float* c, int n) {"
                          " int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;"
                          " if (row >= n || col >= n) return; float sum = 0; for (int k = 0; k < n; ++k) sum += " +
                          std::string(term) + "; c[row * n + col] = sum; }")
                    .has("fp32_only_matmul"))
        << term;
  }
  EXPECT_FALSE(inspected("__global__ void dot(const float* a, const float* b, float* c, int n) { float sum = 0;"
                         " for (int k = threadIdx.x; k < n; k += 256) sum += k < n ? a[k] * b[k] : c[0]; c[0] = sum; }")
                   .has("fp32_only_matmul"));
}

TEST(CudaWeakSpots, F15MmaInAssemblyIsAWayToTheTensorCores) {
  const char* gemm =
      "__global__ void k(const float* a, const float* b, float* c, int n) {{ int r = blockIdx.y * 16 + threadIdx.y, q "
      "= blockIdx.x * 16 + threadIdx.x;"
      " if (r >= n || q >= n) return; float s = 0; for (int k = 0; k < n; ++k) s += a[r * n + k] * b[k * n + q]; {} "
      "c[r * n + q] = s; }}";
  EXPECT_TRUE(inspected(fmt::format(fmt::runtime(gemm), "")).has("fp32_only_matmul"));
  EXPECT_FALSE(
      inspected(fmt::format(fmt::runtime(gemm), R"(asm volatile("mma.sync.aligned.m16n8k8 {%0};" : "+f"(s));)")).has("fp32_only_matmul"));
}

TEST(CudaWeakSpots, F16BarriersAreSeenInEveryForm) {
  for (const char* barrier : {"__syncthreads( );", "cg::this_thread_block().sync();", "cg::sync(cg::this_thread_block());",
                              "__syncthreads_or(1);", "asm volatile(\"bar.sync 0;\");"}) {
    EXPECT_FALSE(inspected(fmt::format("__global__ void k(float* a) {{ __shared__ float s[256]; s[threadIdx.x] = "
                                       "a[threadIdx.x]; {} a[threadIdx.x] = s[255 - threadIdx.x]; }}",
                                       barrier))
                     .has("shared_memory_without_barrier"))
        << barrier;
  }
}

TEST(CudaWeakSpots, F17ABarrierAfterSomeHaveLeftIsFound) {
  const Inspected all = inspected(R"(
__global__ void k(double* a, int n) {
  __shared__ double s[256];
  int tid = blockIdx.x * blockDim.x + threadIdx.x;
  if (tid >= n) return;
  s[threadIdx.x] = a[tid];
  __syncthreads();
  a[tid] = s[threadIdx.x ^ 1];
})");
  ASSERT_THAT(all.codes(), ElementsAre("conditional_syncthreads"));
  EXPECT_EQ(all.result.findings[0].place().line, 7u);
  EXPECT_EQ(all.result.findings[0].snippet, "__syncthreads();");
  EXPECT_EQ(all.result.findings[0].kernel, "k");
}

TEST(CudaWeakSpots, F17ABarrierInALoopThatThreadsLeaveAtDifferentTimesIsFound) {
  EXPECT_TRUE(inspected("__global__ void k(double* a, int n) { __shared__ double s[256]; for (int i = threadIdx.x; i < "
                        "n; i += blockDim.x) {"
                        " s[threadIdx.x] = a[i]; __syncthreads(); a[i] = s[threadIdx.x ^ 1]; } }")
                  .has("conditional_syncthreads"));
}

TEST(CudaWeakSpots, F18AUniformConditionPartsNobody) {
  EXPECT_THAT(codes_of("__global__ void k(double* a, int n_tid) { __shared__ double s[256]; s[threadIdx.x] = "
                       "a[threadIdx.x]; if (n_tid > 0) { __syncthreads(); }"
                       " a[threadIdx.x] = s[255 - threadIdx.x]; }"),
              IsEmpty());
}

TEST(CudaWeakSpots, F19OneLaneIsNoDivergenceButSevenAre) {
  EXPECT_FALSE(inspected("__global__ void k(double* a) { if (threadIdx.x % 32 == 0) a[threadIdx.x] = 1; }").has("warp_divergence"));
  EXPECT_TRUE(inspected("__global__ void k(double* a) { if (threadIdx.x < 7) a[threadIdx.x] = 1; }").has("warp_divergence"));
  EXPECT_FALSE(inspected("__global__ void k(double* a) { if (threadIdx.x < 64) a[threadIdx.x] = 1; }").has("warp_divergence"));
}

TEST(CudaWeakSpots, LanesThatAConditionLeavesOutAreNoStride) {
  EXPECT_THAT(codes_of("__global__ void k(double* a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return;"
                       " if (threadIdx.x % 2 == 0) a[i] = 1; else a[i] = 2; }"),
              ElementsAre("warp_divergence"));
}

TEST(CudaWeakSpots, F20VariablesCountWhileTheyAreNeeded) {
  std::string list = "a0 = in[0]", sum = "a0", chain = "float a0 = in[0];";
  for (int i = 1; i < 28; ++i) {
    list += fmt::format(", a{} = in[{}]", i, i);
    sum += fmt::format(" + a{}", i);
    chain += fmt::format(" float a{} = a{} * 2;", i, i - 1);
  }
  const Inspected wide = inspected("__global__ void k(double* out, const double* in) { float " + list + "; out[0] = " + sum + "; }");
  EXPECT_EQ(wide.inspection.kernels[0].live_scalars, 28u);
  const Inspected narrow = inspected("__global__ void k(double* out, const double* in) { " + chain + " out[0] = a27; }");
  EXPECT_LE(narrow.inspection.kernels[0].live_scalars, 2u);
}

TEST(CudaWeakSpots, F21SizesFromMacrosAndConstantsAreFolded) {
  const Inspected all = inspected(R"(
#define TILE 16
#define PADDED(x) ((x) + 1)
constexpr int depth = 2 * TILE;
enum { rows = 3, more };
__global__ void k(float* a) {
  __shared__ float x[TILE][PADDED(TILE)];
  __shared__ double y[depth];
  __shared__ int z[more];
  __shared__ float w[UNKNOWN];
  extern __shared__ char rest[];
})");
  const auto& shared = all.inspection.kernels[0].shared_memory;
  ASSERT_EQ(shared.size(), 5u);
  EXPECT_EQ(shared[0].bytes, 16u * 17 * 4);
  EXPECT_EQ(shared[1].bytes, 32u * 8);
  EXPECT_EQ(shared[2].bytes, 4u * 4);
  EXPECT_FALSE(shared[3].bytes);
  EXPECT_EQ(shared[4].name, "extern_dynamic_shared");
  EXPECT_FALSE(shared[4].bytes);
}

TEST(CudaWeakSpots, F22ALoopOverRegistersReadsNoGlobalMemory) {
  EXPECT_FALSE(inspected("__global__ void k(double* out, const double* in, int n) { int i = blockIdx.x * blockDim.x + "
                         "threadIdx.x; if (i >= n) return; float r[4];"
                         " for (int j = 0; j < 4; ++j) r[j] = in[i]; float s = 0; for (int j = 0; j < 4; ++j) s += "
                         "r[j]; out[i] = s; }")
                   .has("no_shared_memory_tiling"));
}

TEST(CudaWeakSpots, F23FunctionsAreFollowed) {
  EXPECT_THAT(codes_of("__device__ void work(double* a, int i, int n) { if (i < n) a[i] = 1; }\n"
                       "__device__ void start(double* a, int n) { work(a, blockIdx.x * blockDim.x + threadIdx.x, n); }\n"
                       "__global__ void k(double* a, int n) { start(a, n); }"),
              IsEmpty());
  EXPECT_THAT(codes_of("__device__ void work(float* a, int i) { a[i * 32] = 1; }\n"
                       "__global__ void k(float* a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) "
                       "work(a, i); }"),
              ElementsAre("uncoalesced_access"));
}

TEST(CudaWeakSpots, F24SharedMemoryOfTheLaunchCounts) {
  const char* text =
      "__global__ void k(double* a) { extern __shared__ double s[]; s[threadIdx.x] = a[threadIdx.x]; __syncthreads(); "
      "a[threadIdx.x] = s[255 - threadIdx.x]; }\n"
      "void h(double* a) { k<<<1, 256, 100 * 1024>>>(a); }";
  EXPECT_TRUE(inspected(text, "sm_80").has("large_static_shared_memory"));
  EXPECT_TRUE(inspected(text, "sm_90").has("large_static_shared_memory"));
  EXPECT_FALSE(inspected(text, "sm_100").has("large_static_shared_memory"));
}

TEST(CudaWeakSpots, AreNotSlowedDownByLongNamesOrDeepBrackets) {
  const std::string deep(100000, '(');
  EXPECT_THAT(kernels(inspected("__global__ void k(int* a) { a[" + std::string(40000, 'x') + "] = 1; }")), ElementsAre("k"));
  EXPECT_THAT(kernels(inspected("__global__ void k(int* a) { a[0] = " + deep + "1" + std::string(100000, ')') + "; }")), ElementsAre("k"));
}

// Each calls functions that call each other a hundred million times.
TEST(CudaWeakSpots, TheBudgetOfStepsIsForTheWholeProgram) {
  std::string text = "__device__ int f8(int x) { return x + 1; }\n";
  for (int i = 7; i >= 0; --i) {
    std::string calls = "0";
    for (int j = 0; j < 10; ++j) calls += fmt::format(" + f{}(x)", i + 1);
    text += fmt::format("__device__ int f{}(int x) {{ return {}; }}\n", i, calls);
  }
  for (int i = 0; i < 1000; ++i) text += fmt::format("__global__ void k{}(int* a) {{ a[0] = f0(1); }}\n", i);
  const Inspected all = inspected(text + "__global__ void last(float* a) { a[threadIdx.x * 32] = 1; }\n");
  EXPECT_FALSE(all.inspection.kernels.front().is_complete);
  EXPECT_TRUE(all.inspection.kernels.back().is_complete);
  EXPECT_TRUE(all.has("uncoalesced_access"));
}

TEST(CudaWeakSpots, WhatIsOnlyPartlyFollowedIsNotJudged) {
  const std::string deep(1000, '(');
  const Inspected all =
      inspected("__global__ void k(float* a, int n) { a[threadIdx.x * 32] = " + deep + "n" + std::string(1000, ')') + "; }");
  EXPECT_FALSE(all.inspection.kernels[0].is_complete);
  EXPECT_THAT(all.codes(), IsEmpty());
}

}  // namespace
}  // namespace frx::detect
