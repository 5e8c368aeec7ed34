// As many threads as the kernel is compiled for.
__global__ void __launch_bounds__(256) fill(float* a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = 1.0f;
}

cudaError_t start(float* a, int n) {
  fill<<<(n + 255) / 256, 256>>>(a, n);
  return cudaGetLastError();
}
