// Kernels whose operations and bytes are known in closed form: tools/validate_kernels measures them and compares.
//
//   PROGRAM describe              the GPU, as one line of JSON
//   PROGRAM KERNEL N [SECONDS]    launches it once, or again and again for so long; prints how often
//
//   copy, triad, sum              arrays of N floats
//   product, tiled_product        FP32 matrices of N x N, N a multiple of 32
//   cublas_fp32, _tf32, _fp16     the same by cuBLAS, where it was compiled in (-DWITH_CUBLAS -lcublas); FP16 accumulates in FP32
//
// The operations of each stand in tools/validate_kernels; whoever changes a loop here changes them there.
#include <cuda_runtime.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#ifdef WITH_CUBLAS
#include <cublas_v2.h>
#include <cuda_fp16.h>
#endif

constexpr int threads = 256, blocks = 1024, warp = 32;  // of what takes each element once
constexpr int tile = 32;

__global__ void fill(float* to, size_t n, float value) {
  for (size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x; i < n; i += size_t{gridDim.x} * blockDim.x) to[i] = value;
}

__global__ void known_copy(const float* from, float* to, size_t n) {
  for (size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x; i < n; i += size_t{gridDim.x} * blockDim.x) to[i] = from[i];
}

__global__ void known_triad(const float* b, const float* c, float* a, size_t n, float factor) {
  for (size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x; i < n; i += size_t{gridDim.x} * blockDim.x) a[i] = fmaf(factor, c[i], b[i]);
}

// An addition for each element; then every lane of a block adds 5 times, and the lanes of its first warp 5 times more.
__global__ void known_sum(const float* from, float* sum, size_t n) {
  __shared__ float of_warps[threads / warp];
  float mine = 0;
  for (size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x; i < n; i += size_t{gridDim.x} * blockDim.x) mine += from[i];
  for (int distance = warp / 2; distance > 0; distance /= 2) mine += __shfl_down_sync(~0u, mine, distance);
  if (threadIdx.x % warp == 0) of_warps[threadIdx.x / warp] = mine;
  __syncthreads();
  if (threadIdx.x >= warp) return;
  mine = threadIdx.x < threads / warp ? of_warps[threadIdx.x] : 0;
  for (int distance = warp / 2; distance > 0; distance /= 2) mine += __shfl_down_sync(~0u, mine, distance);
  if (threadIdx.x == 0) sum[blockIdx.x] = mine;
}

// A multiply-add for each element of K.
__global__ void known_product(const float* a, const float* b, float* c, int n) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum = fmaf(a[size_t(row) * n + k], b[size_t(k) * n + column], sum);
  c[size_t(row) * n + column] = sum;
}

// The same; each block takes its tiles from memory once.
__global__ void known_tiled_product(const float* a, const float* b, float* c, int n) {
  __shared__ float of_a[tile][tile], of_b[tile][tile];
  const int column = blockIdx.x * tile + threadIdx.x, row = blockIdx.y * tile + threadIdx.y;
  float sum = 0;
  for (int first = 0; first < n; first += tile) {
    of_a[threadIdx.y][threadIdx.x] = a[size_t(row) * n + first + threadIdx.x];
    of_b[threadIdx.y][threadIdx.x] = b[size_t(first + threadIdx.y) * n + column];
    __syncthreads();
    for (int k = 0; k < tile; ++k) sum = fmaf(of_a[threadIdx.y][k], of_b[k][threadIdx.x], sum);
    __syncthreads();
  }
  c[size_t(row) * n + column] = sum;
}

namespace {

void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
  std::exit(1);
}

float* filled(size_t n, float value) {
  float* array = nullptr;
  check(cudaMalloc(&array, n * sizeof(float)), "cudaMalloc");
  fill<<<blocks, threads>>>(array, n, value);
  return array;
}

#ifdef WITH_CUBLAS
void check(cublasStatus_t status, const char* what) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  std::fprintf(stderr, "%s: status %d\n", what, int(status));
  std::exit(1);
}

__global__ void narrow(const float* from, __half* to, size_t n) {
  for (size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x; i < n; i += size_t{gridDim.x} * blockDim.x) to[i] = __float2half(from[i]);
}

struct Library {
  cublasHandle_t handle = nullptr;
  __half *a16 = nullptr, *b16 = nullptr, *c16 = nullptr;

  void multiply(const char* kernel, const float* a, const float* b, float* c, int n) {
    if (!handle) {
      check(cublasCreate(&handle), "cublasCreate");
      const size_t bytes = size_t(n) * n * sizeof(__half);
      check(cudaMalloc(&a16, bytes), "cudaMalloc"), check(cudaMalloc(&b16, bytes), "cudaMalloc"), check(cudaMalloc(&c16, bytes), "cudaMalloc");
      narrow<<<blocks, threads>>>(a, a16, size_t(n) * n);
      narrow<<<blocks, threads>>>(b, b16, size_t(n) * n);
    }
    const float one = 1, zero = 0;
    if (std::strcmp(kernel, "cublas_fp16") == 0) {
      check(cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, a16, CUDA_R_16F, n, b16, CUDA_R_16F, n, &zero, c16, CUDA_R_16F, n,
                         CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT), "cublasGemmEx");
      return;
    }
    const bool tf32 = std::strcmp(kernel, "cublas_tf32") == 0;
    check(cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, a, CUDA_R_32F, n, b, CUDA_R_32F, n, &zero, c, CUDA_R_32F, n,
                       tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F_PEDANTIC, CUBLAS_GEMM_DEFAULT), "cublasGemmEx");
  }
};
constexpr bool has_cublas = true;
#else
struct Library {
  void multiply(const char*, const float*, const float*, float*, int) {}
};
constexpr bool has_cublas = false;
#endif

bool is(const char* kernel, const char* name) { return std::strcmp(kernel, name) == 0; }

struct Work {
  const char* kernel;
  size_t n;
  float *a = nullptr, *b = nullptr, *c = nullptr;
  Library library{};

  bool prepare() {
    const bool matrices = std::strstr(kernel, "product") != nullptr || std::strncmp(kernel, "cublas_", 7) == 0;
    const bool arrays = is(kernel, "copy") || is(kernel, "triad") || is(kernel, "sum");
    if (!matrices && !arrays) return false;
    if (std::strncmp(kernel, "cublas_", 7) == 0 && !has_cublas) return false;
    const size_t size = matrices ? n * n : n;
    a = filled(size, 0.25f);
    b = filled(is(kernel, "sum") ? size_t{blocks} : size, 0.5f);
    if (matrices || is(kernel, "triad")) c = filled(size, 1.0f);
    check(cudaDeviceSynchronize(), "filling the arrays");
    return true;
  }

  void launch() {
    if (is(kernel, "copy")) known_copy<<<blocks, threads>>>(a, b, n);
    else if (is(kernel, "triad")) known_triad<<<blocks, threads>>>(a, b, c, n, 3.0f);
    else if (is(kernel, "sum")) known_sum<<<blocks, threads>>>(a, b, n);
    else if (is(kernel, "product")) known_product<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(a, b, c, int(n));
    else if (is(kernel, "tiled_product")) known_tiled_product<<<dim3(n / tile, n / tile), dim3(tile, tile)>>>(a, b, c, int(n));
    else library.multiply(kernel, a, b, c, int(n));
    check(cudaGetLastError(), "launch");
  }
};

int describe() {
  cudaDeviceProp device{};
  check(cudaGetDeviceProperties(&device, 0), "cudaGetDeviceProperties");
  size_t free_bytes = 0, all = 0;
  check(cudaMemGetInfo(&free_bytes, &all), "cudaMemGetInfo");
  std::printf("{\"gpu\": \"%s\", \"cc\": \"%d.%d\", \"l2_bytes\": %d, \"free_bytes\": %zu, \"cublas\": %s}\n", device.name, device.major,
              device.minor, device.l2CacheSize, free_bytes, has_cublas ? "true" : "false");
  return 0;
}

}  // namespace

int main(int count, char** words) {
  if (count == 2 && is(words[1], "describe")) return describe();
  if (count < 3) return 2;
  Work work{words[1], std::strtoull(words[2], nullptr, 10)};
  if (!work.prepare()) {
    std::fprintf(stderr, "no kernel is called %s here\n", words[1]);
    return 2;
  }
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(count > 3 ? std::atof(words[3]) : 0);
  unsigned long long launches = 0;
  do {
    work.launch();
    ++launches;
    if (count > 3) check(cudaDeviceSynchronize(), words[1]);
  } while (Clock::now() < end);
  check(cudaDeviceSynchronize(), words[1]);
  std::printf("{\"launches\": %llu}\n", launches);
  return 0;
}
