// What demos/ncu/strided_copy.csv is a profile of: a copy that reads every eighth element, and a sum
// whose active lanes lie apart. Both can be several times faster.
//
//   nvcc -O3 -o strided_copy strided_copy.cu
#include <cuda_runtime.h>

__global__ void strided_copy(float* out, const float* in, unsigned int count, unsigned int stride) {
  const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = in[static_cast<size_t>(i) * stride];
}

__global__ void block_sum_interleaved(const float* in, float* sums, unsigned int count) {
  __shared__ float part[256];
  const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
  part[threadIdx.x] = i < count ? in[i] : 0.0f;
  __syncthreads();
  for (unsigned int step = 1; step < blockDim.x; step *= 2) {
    if (threadIdx.x % (2 * step) == 0) part[threadIdx.x] += part[threadIdx.x + step];
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}

int main() {
  constexpr unsigned int count = 1u << 24, stride = 8, block = 256;
  float *in = nullptr, *out = nullptr, *sums = nullptr;
  cudaMalloc(&in, sizeof(float) * count * stride);
  cudaMalloc(&out, sizeof(float) * count);
  cudaMalloc(&sums, sizeof(float) * (count / block));
  for (int repeat = 0; repeat < 3; ++repeat) strided_copy<<<count / block, block>>>(out, in, count, stride);
  block_sum_interleaved<<<count / block, block>>>(out, sums, count);
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
