// The host waits for each step before it launches the next one.
__global__ void step(float4* to, const float4* from, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 a = from[i], b = from[i + 1 < n ? i + 1 : i];
  to[i] = make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}

void launch(float4* a, float4* b, int n, int steps) {
  for (int t = 0; t < steps; ++t) {
    step<<<(n + 255) / 256, 256>>>(b, a, n);
    cudaDeviceSynchronize();
    step<<<(n + 255) / 256, 256>>>(a, b, n);
    cudaDeviceSynchronize();
  }
  if (cudaGetLastError() != cudaSuccess) abort();
}
