// What the analysis says of kernels that a real compiler has translated, line by line of their source.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

#include "base/temporary_directory.h"
#include "derive/ptx/memory_access.h"
#include "ingest/ptx/categories.h"
#include "ingest/ptx/read_module.h"
#include "knowledge/library.h"

namespace frx::testing {
namespace {

namespace model = ::frx::model::ptx;
namespace ptx = ::frx::derive::ptx;

std::string nvcc() {
  const char* home = std::getenv("CUDA_HOME");
  for (const std::string& path : {std::string(home == nullptr ? "" : home) + "/bin/nvcc", std::string("/usr/local/cuda/bin/nvcc")}) {
    if (std::ifstream(path)) return path;
  }
  return std::system("command -v nvcc >/dev/null 2>&1") == 0 ? "nvcc" : "";
}

#define FRX_NEEDS_NVCC() \
  if (nvcc().empty()) GTEST_SKIP() << "no nvcc: it compiles the kernels of this test"

// The module of a source text, for sm_80 and with lines.
std::optional<model::Module> compiled(const std::string& source) {
  const auto folder = TemporaryDirectory::make("/tmp");
  if (!folder) return std::nullopt;
  std::ofstream(folder->file("kernel.cu")) << source;
  const std::string command =
      nvcc() + " -arch=sm_80 -lineinfo -ptx -o '" + folder->file("kernel.ptx") + "' '" + folder->file("kernel.cu") + "'";
  if (std::system(command.c_str()) != 0) return std::nullopt;
  std::stringstream text;
  text << std::ifstream(folder->file("kernel.ptx")).rdbuf();
  auto module = ingest::ptx::read_module("kernel.ptx", text.str());
  if (!module) return std::nullopt;
  ingest::ptx::InstructionSet::load(knowledge::Library::builtin()).value().describe(*module);
  return std::move(*module);
}

// What is said of accesses of one space and type, in the order of the code, without repetition:
// "3: adjacent threads are 4 bytes apart: 4 sectors of 32 bytes".
std::vector<std::string> statements(const std::string& source, ptx::BlockShape block, model::Space space, ptx::AccessType type) {
  const std::optional<model::Module> module = compiled(source);
  if (!module) return {"it does not compile"};
  ptx::LaunchFacts facts;
  facts.block = block;
  std::vector<std::string> result;
  for (const ptx::MemoryAccess& access : ptx::memory_accesses(*module, module->functions.back(), facts)) {
    if (access.space != space || access.type != type) continue;
    const std::uint32_t place = module->instructions[access.instruction].place;
    const std::string line = place == model::none ? "?" : std::to_string(module->places[place].line);
    std::string statement = line + ": " + access.sentence;
    if (std::find(result.begin(), result.end(), statement) == result.end()) result.push_back(std::move(statement));
  }
  return result;
}

using Statements = std::vector<std::string>;
constexpr auto global = model::Space::global, shared = model::Space::shared;
constexpr auto load = ptx::AccessType::load, store = ptx::AccessType::store;

TEST(MemoryAccessNvcc, Copies) {
  FRX_NEEDS_NVCC();
  const std::string coalesced = R"(__global__ void k(const float* src, float* dst, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) dst[i] = src[i];
})";
  const Statements good = {"3: adjacent threads are 4 bytes apart: 4 sectors of 32 bytes"};
  EXPECT_EQ(statements(coalesced, {256, 1, 1}, global, load), good);
  EXPECT_EQ(statements(coalesced, {256, 1, 1}, global, store), good);
  const std::string strided = R"(__global__ void k(const float* src, float* dst, int n, int stride) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) dst[i] = src[i * stride];
})";
  EXPECT_EQ(statements(strided, {256, 1, 1}, global, load),
            Statements{"3: adjacent threads are 4*param_3 bytes apart: 32 sectors of 32 bytes where 4 would do"});
  EXPECT_EQ(statements(strided, {256, 1, 1}, global, store), good);
}

TEST(MemoryAccessNvcc, ConstantStrides) {
  FRX_NEEDS_NVCC();
  const auto source = [](int stride) {
    return "__global__ void k(const double* src, double* dst) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  "
           "dst[i] = src[i * " +
           std::to_string(stride) + "];\n}";
  };
  EXPECT_EQ(statements(source(1), {128, 1, 1}, global, load), Statements{"3: adjacent threads are 8 bytes apart: 8 sectors of 32 bytes"});
  EXPECT_EQ(statements(source(2), {128, 1, 1}, global, load)[0],
            "3: adjacent threads are 16 bytes apart: 16 sectors of 32 bytes where 8 would do; with each member in an "
            "array of its own: 8");
  EXPECT_EQ(statements(source(100), {128, 1, 1}, global, load)[0],
            "3: adjacent threads are 800 bytes apart: 32 sectors of 32 bytes where 8 would do");
}

std::string tiled_transpose(int padding) {
  return R"(__global__ void k(const float* src, float* dst, int width, int height) {
  __shared__ float tile[32][32 + )" +
         std::to_string(padding) + R"(];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = src[(y + j) * width + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) dst[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
})";
}

TEST(MemoryAccessNvcc, Transposes) {
  FRX_NEEDS_NVCC();
  const std::string naive = R"(__global__ void k(const float* src, float* dst, int width, int height) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  dst[x * height + y] = src[y * width + x];
})";
  const ptx::BlockShape block = {32, 8, 1};
  EXPECT_EQ(statements(naive, block, global, store),
            Statements{"3: adjacent threads are 4*param_3 bytes apart: 32 sectors of 32 bytes where 4 would do; "
                       "with the indices of x and y swapped: 4"});
  EXPECT_EQ(statements(tiled_transpose(0), block, shared, store), Statements{"4: adjacent threads are 4 bytes apart: 1 wavefront"});
  EXPECT_EQ(statements(tiled_transpose(0), block, shared, load),
            Statements{"8: adjacent threads are 128 bytes apart: 32 wavefronts where 1 would do; "
                       "with 1 element of padding behind every 128 bytes: 1"});
  EXPECT_EQ(statements(tiled_transpose(1), block, shared, load), Statements{"8: adjacent threads are 132 bytes apart: 1 wavefront"});
  EXPECT_EQ(statements(tiled_transpose(1), block, global, store),
            Statements{"8: adjacent threads are 4 bytes apart: 4 sectors of 32 bytes, 5 at worst"});
}

TEST(MemoryAccessNvcc, StructuresAndVectors) {
  FRX_NEEDS_NVCC();
  const std::string structures = R"(struct Point { float x, y, z; };
__global__ void k(const Point* points, float* norm) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  norm[i] = points[i].x + points[i].y + points[i].z;
})";
  EXPECT_EQ(statements(structures, {256, 1, 1}, global, load),
            Statements{"4: adjacent threads are 12 bytes apart: 12 sectors of 32 bytes where 4 would do; "
                       "with each member in an array of its own: 4"});
  const std::string vectors = R"(__global__ void k(const float4* src, float4* dst, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    dst[i] = src[i];
})";
  EXPECT_EQ(statements(vectors, {256, 1, 1}, global, load), Statements{"3: adjacent threads are 16 bytes apart: 16 sectors of 32 bytes"});
}

TEST(MemoryAccessNvcc, Reductions) {
  FRX_NEEDS_NVCC();
  const std::string interleaved = R"(__global__ void k(const float* src, float* dst) {
  extern __shared__ float part[];
  int t = threadIdx.x;
  part[t] = src[blockIdx.x * blockDim.x + t];
  __syncthreads();
  for (int s = 1; s < blockDim.x; s *= 2) {
    int i = 2 * s * t;
    if (i < blockDim.x) part[i] += part[i + s];
    __syncthreads();
  }
  if (t == 0) dst[blockIdx.x] = part[0];
})";
  const Statements strided = statements(interleaved, {256, 1, 1}, shared, store);
  ASSERT_EQ(strided.size(), 2u);
  // With 256 threads a stride of 4, 8 or 16 leaves as many of a warp as meet in one bank eight times.
  EXPECT_EQ(strided[1], "8: adjacent threads are 8*u bytes apart: 8 wavefronts where 1 would do");
  const std::string sequential = R"(__global__ void k(const float* src, float* dst) {
  extern __shared__ float part[];
  int t = threadIdx.x;
  part[t] = src[blockIdx.x * blockDim.x + t];
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s /= 2) {
    if (t < s) part[t] += part[t + s];
    __syncthreads();
  }
  if (t == 0) dst[blockIdx.x] = part[0];
})";
  EXPECT_EQ(statements(sequential, {256, 1, 1}, shared, load), (Statements{"7: adjacent threads are 4 bytes apart: 1 wavefront",
                                                                           "10: all threads of a warp use the same address: 1 wavefront"}));
}

TEST(MemoryAccessNvcc, StridesThatDouble) {
  FRX_NEEDS_NVCC();
  const std::string scan = R"(__global__ void k(const float* src, float* dst, int n) {
  extern __shared__ float part[];
  int t = threadIdx.x, stride = 1;
  for (int d = n >> 1; d > 0; d >>= 1) {
    __syncthreads();
    if (t < d) {
      int i = stride * (2 * t + 1) - 1;
      part[i + stride] += part[i];
    }
    stride *= 2;
  }
})";
  for (const std::string& one : statements(scan, {256, 1, 1}, shared, load)) {
    EXPECT_NE(one.find("adjacent threads are 8*u bytes apart: 8 wavefronts where 1 would do, 32 at worst"), std::string::npos) << one;
  }
  const std::string butterfly = R"(__global__ void k(float* data, int n) {
  __shared__ float part[512];
  int t = threadIdx.x;
  for (int s = 1; s < n; s *= 2) {
    __syncthreads();
    int i = 2 * t - (t & (s - 1));
    part[i] = part[i + s] + data[t];
  }
})";
  for (const std::string& one : statements(butterfly, {256, 1, 1}, shared, store)) {
    EXPECT_NE(one.find("2 wavefronts where 1 would do"), std::string::npos) << one;
  }
  const std::string ascending = R"(__global__ void k(const float* src, float* dst) {
  __shared__ float part[256];
  int t = threadIdx.x;
  part[t] = src[t];
  for (int s = 1; s < blockDim.x; s *= 2) {
    __syncthreads();
    float other = t >= s ? part[t - s] : 0;
    __syncthreads();
    part[t] += other;
  }
  dst[t] = part[t];
})";
  for (const std::string& one : statements(ascending, {256, 1, 1}, shared, load)) {
    EXPECT_NE(one.find("adjacent threads are 4 bytes apart: 1 wavefront"), std::string::npos) << one;
    EXPECT_EQ(one.find("would do"), std::string::npos) << one;
  }
}

TEST(MemoryAccessNvcc, MatrixProducts) {
  FRX_NEEDS_NVCC();
  const std::string naive = R"(__global__ void k(const float* a, const float* b, float* c, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = 0;
  for (int i = 0; i < n; ++i)
    sum += a[y * n + i] *
           b[i * n + x];
  c[y * n + x] = sum;
})";
  const Statements loads = statements(naive, {32, 8, 1}, global, load);
  EXPECT_NE(std::find(loads.begin(), loads.end(), "5: all threads of a warp use the same address: 1 sector of 32 bytes"), loads.end());
  EXPECT_NE(std::find(loads.begin(), loads.end(), "6: adjacent threads are 4 bytes apart: 4 sectors of 32 bytes, 5 at worst"), loads.end());
  EXPECT_EQ(loads.size(), 2u);
  const std::string tiled = R"(__global__ void k(const float* a, const float* b, float* c, int n) {
  __shared__ float A[32][32], B[32][32];
  int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 32 + tx, y = blockIdx.y * 32 + ty;
  float sum = 0;
  for (int t = 0; t < n; t += 32) {
    A[ty][tx] = a[y * n + t + tx];
    B[ty][tx] = b[(t + ty) * n + x];
    __syncthreads();
    for (int i = 0; i < 32; ++i) sum += A[ty][i] * B[i][tx];
    __syncthreads();
  }
  c[y * n + x] = sum;
})";
  for (const std::string& one : statements(tiled, {32, 32, 1}, shared, load)) {
    EXPECT_EQ(one.find("would do"), std::string::npos) << one;
  }
}

TEST(MemoryAccessNvcc, Gathers) {
  FRX_NEEDS_NVCC();
  const std::string gather = R"(__global__ void k(const int* index, const float* src, float* dst) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int from = index[i];
  dst[i] = src[from];
})";
  EXPECT_EQ(statements(gather, {256, 1, 1}, global, load),
            (Statements{"3: adjacent threads are 4 bytes apart: 4 sectors of 32 bytes",
                        "4: the address is made of data: what a warp needs is only known when it runs"}));
}

// Numbers of lane and warp, quotients by constants, which the compiler makes products and shifts of.
TEST(MemoryAccessNvcc, LaneAndWarpNumbers) {
  FRX_NEEDS_NVCC();
  const std::string source = R"(__global__ void k(float* data) {
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  data[warp * 1000 + lane * 2] = 1;
  data[threadIdx.x / 5 * 100 + threadIdx.x % 5] = 2;
})";
  EXPECT_EQ(statements(source, {256, 1, 1}, global, store),
            (Statements{"3: adjacent threads are 8 bytes apart: 8 sectors of 32 bytes where 4 would do; "
                        "with each member in an array of its own: 4",
                        "4: the distance between adjacent threads varies: 10 sectors of 32 bytes where 4 would do, 11 at worst"}));
}

}  // namespace
}  // namespace frx::testing
