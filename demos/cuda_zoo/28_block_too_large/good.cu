// Twice as many blocks of half the size.
__global__ void scale(float* a, int n, float factor) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] *= factor;
}

cudaError_t start(float* a, int n) {
  scale<<<(n + 1023) / 1024, 1024>>>(a, n, 0.5f);
  return cudaGetLastError();
}
