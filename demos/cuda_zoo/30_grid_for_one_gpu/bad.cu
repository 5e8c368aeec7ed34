// 80 blocks of 1,024 threads filled the GPU that this was written for; of an H100 they leave 52 SMs without work.
__global__ void add(double* y, const double* x, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] += x[i];
}

void launch(double* y, const double* x, int n) {
  add<<<80, 1024>>>(y, x, n);
  if (cudaGetLastError() != cudaSuccess) abort();
}
