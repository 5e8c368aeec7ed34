// Warps add up with shuffles; one barrier passes their sums to the first warp.
__global__ void sum(float* out, const float* in, int n) {
  __shared__ float partial[8];
  int i = blockIdx.x * 256 + threadIdx.x;
  float v = i < n ? in[i] : 0.0f;
  for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(0xffffffffu, v, d);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x == 0) {
    float total = 0.0f;
    for (int warp = 0; warp < 8; ++warp) total += partial[warp];
    out[blockIdx.x] = total;
  }
}
