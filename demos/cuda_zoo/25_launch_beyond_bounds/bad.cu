// The kernel is compiled for 256 threads, so that a launch with 512 fails.
__global__ void __launch_bounds__(256) fill(float* a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = 1.0f;
}

cudaError_t start(float* a, int n) {
  fill<<<(n + 511) / 512, 512>>>(a, n);
  return cudaGetLastError();
}
