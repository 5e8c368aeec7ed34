// An element for each thread, and one for each neighbour of the block.
__global__ void smooth(float* out, const float* in, int n) {
  __shared__ float s[258];
  int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x + 1;
  s[t] = i < n ? in[i] : 0.0f;
  if (threadIdx.x == 0) s[0] = i > 0 && i <= n ? in[i - 1] : 0.0f;
  if (threadIdx.x == 255) s[257] = i + 1 < n ? in[i + 1] : 0.0f;
  __syncthreads();
  if (i < n) out[i] = (s[t - 1] + s[t] + s[t + 1]) * (1.0f / 3);
}

void launch(float* out, const float* in, int n) {
  smooth<<<(n + 255) / 256, 256>>>(out, in, n);
  if (cudaGetLastError() != cudaSuccess) abort();
}
