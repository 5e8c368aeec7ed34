// No GPU takes a block of 2,048 threads, so that the launch always fails.
__global__ void scale(float* a, int n, float factor) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] *= factor;
}

cudaError_t start(float* a, int n) {
  scale<<<(n + 2047) / 2048, 2048>>>(a, n, 0.5f);
  return cudaGetLastError();
}
