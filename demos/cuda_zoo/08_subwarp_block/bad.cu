// Half of each warp has no thread.
__global__ void fill(double* a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = 1.0;
}

cudaError_t run(double* a, int n) {
  const int edge = 4;
  dim3 block(edge * edge);
  fill<<<(n + 15) / 16, block>>>(a, n);
  return cudaGetLastError();
}
