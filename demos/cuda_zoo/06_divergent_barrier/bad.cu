// Threads beyond the end return, and the last one before it reads what one of them should have written.
__global__ void smooth(float* out, const float* in, int n) {
  __shared__ float tile[256];
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= n) return;
  tile[threadIdx.x] = in[i];
  __syncthreads();
  out[i] = 0.5f * (tile[threadIdx.x] + tile[threadIdx.x ^ 1]);
}
