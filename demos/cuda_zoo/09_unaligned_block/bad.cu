// 100 threads are three warps and four threads of a fourth.
__global__ void fill(double* a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = 1.0;
}

cudaError_t run(double* a, int n) {
  fill<<<(n + 99) / 100, 100>>>(a, n);
  return cudaGetLastError();
}
