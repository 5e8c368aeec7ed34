// How often kernels read global memory, against numbers counted by hand for sizes of 4096.
#include <gtest/gtest.h>

#include "detect/testing.h"

namespace frx::detect {
namespace {

std::optional<double> reads_of_code(const std::string& code) {
  std::vector<model::cuda::Source> sources;
  sources.push_back(ingest::cuda::read_source("k.cu", code).value());
  const model::cuda::Inspection inspection = derive::cuda::inspect(sources, {});
  return inspection.kernels.at(0).global_reads_per_write;
}

TEST(CudaTraffic, ALoopReadsAsOftenAsItRuns) {
  EXPECT_EQ(reads_of_code(R"(
__global__ void matmul(const float* a, const float* b, float* c, int n) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + col];
  c[row * n + col] = sum;
})"),
            2 * 4096);
  EXPECT_EQ(reads_of_code(R"(
__global__ void triangle(const float* a, float* c, int n) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int i = 0; i < 8; ++i)
    for (int k = 0; k <= i; ++k) sum += a[row * n + k];
  c[row] = sum;
})"),
            8 * 5);  // of 1 to 8, by the middle of the outer loop
}

TEST(CudaTraffic, TilesInSharedMemoryAreReadOncePerTile) {
  EXPECT_EQ(reads_of_code(R"(
#define TILE 16
__global__ void matmul(const float* a, const float* b, float* c, int n) {
  __shared__ float as[TILE][TILE], bs[TILE][TILE];
  int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;
  float sum = 0;
  for (int t = 0; t < n / TILE; ++t) {
    as[threadIdx.y][threadIdx.x] = a[row * n + t * TILE + threadIdx.x];
    bs[threadIdx.y][threadIdx.x] = b[(t * TILE + threadIdx.y) * n + col];
    __syncthreads();
    for (int k = 0; k < TILE; ++k) sum += as[threadIdx.y][k] * bs[k][threadIdx.x];
    __syncthreads();
  }
  c[row * n + col] = sum;
})"),
            2 * 4096 / 16);
}

// Four elements a thread, or as wide as a float4: as many bytes for each one written.
TEST(CudaTraffic, CoarserThreadsReadNoMore) {
  EXPECT_EQ(reads_of_code("__global__ void copy(const float* a, float* b, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x;"
                          " if (i < n) b[i] = a[i]; }"),
            1);
  EXPECT_EQ(reads_of_code("__global__ void copy(const float4* a, float4* b, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x;"
                          " if (i < n) b[i] = a[i]; }"),
            1);
  EXPECT_EQ(reads_of_code("__global__ void copy(const float* a, float* b, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x;"
                          " for (int k = 0; k < 4; ++k) b[4 * i + k] = a[4 * i + k]; }"),
            1);
  EXPECT_EQ(reads_of_code("__global__ void copy(const float* a, float* b, int n) {"
                          " for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) b[i] = a[i]; }"),
            1);
}

TEST(CudaTraffic, WhatTheCodeDoesNotTellIsAbsent) {
  EXPECT_FALSE(
      reads_of_code("__global__ void walk(const int* next, int* out) { int node = threadIdx.x;"
                    " while (node >= 0) { node = next[node]; } out[threadIdx.x] = node; }"));
  EXPECT_FALSE(reads_of_code("__device__ float f(const float*); __global__ void k(const float* a, float* b) { b[threadIdx.x] = f(a); }"));
  EXPECT_FALSE(reads_of_code("__global__ void nothing(float* a) { __shared__ float s[32]; s[threadIdx.x] = 1; }"));
}

}  // namespace
}  // namespace frx::detect
