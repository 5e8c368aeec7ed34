// The index is compared with the size.
__global__ void scale(double* a, double by, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] *= by;
}

cudaError_t run(double* a, int n) {
  scale<<<(n + 255) / 256, 256>>>(a, 2.0, n);
  return cudaGetLastError();
}
