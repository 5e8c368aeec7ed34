// Four whole warps per block.
__global__ void fill(double* a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = 1.0;
}

cudaError_t run(double* a, int n) {
  const int threads = 128;
  fill<<<(n + threads - 1) / threads, threads>>>(a, n);
  return cudaGetLastError();
}
